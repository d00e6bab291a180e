"""A language's own grammar, whole notes and slots in, notes with gold spans out, by the pen of all others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

from deidlab import languages
from deidlab.languages.language import Language, MadeNotes
from deidlab.make.cast import Cast
from deidlab.make.finish import finish
from deidlab.make.grammar import Grammar
from deidlab.make.notes import NOTES_A_PATIENT, to_document
from deidlab.make.pen import Pen
from deidlab.make.population import make_world
from deidlab.make.scene import scene_slots
from deidlab.make.values import PLAIN_VALUES
from deidlab.make.whole import WholeNotes, sign_further
from deidlab.types import Document


def make_spoken_notes(
    code: str, made: MadeNotes, n: int, seed: int = 1, first: int = 0
) -> Iterator[Document]:
    """n notes, from the patient number `first` on.

    A patient has one to three, with the same people, places and numbers in all of them.
    """
    writer = _Writer(languages.find(code), made)
    number, left = first, n
    while left > 0:
        for document in writer.write_patient(number, seed):
            if left > 0:
                yield document
            left -= 1
        number += 1


def write_all_whole(code: str, made: MadeNotes) -> list[Document]:
    """Every whole note once, each about a patient of its own, to see that all can be written."""
    writer = _Writer(languages.find(code), made)
    return [writer.write_whole(number) for number in range(len(writer.whole.all))]


class _Writer:
    """Writes the notes of patients of one language."""

    def __init__(self, language: Language, made: MadeNotes) -> None:
        self._code, self._made = language.code, made
        self._world = make_world(made.population)
        slots = {**PLAIN_VALUES, **scene_slots(language.calendar, self._world), **made.slots}
        self._grammar = Grammar(made.grammar.splitlines(), slots)
        self.whole = WholeNotes(made.whole, self._grammar)

    def write_patient(self, number: int, seed: int) -> Iterator[Document]:
        patient = f"{self._made.prefix}{number:06d}"
        key = f"{seed}/{self._code}/{patient}"
        chance, cast = random.Random(key), Cast(key, self._world)
        for index in range(1 + int(chance.random() * NOTES_A_PATIENT)):
            pen = Pen(chance, cast)
            kind = self._write(pen)
            parts = finish(pen, self._made.join(pen.take()))
            yield to_document(f"{patient}-{index + 1}", patient, parts, {"kind": kind})
            cast.day += timedelta(days=int(chance.random() ** 3 * 400) + 1)

    def write_whole(self, number: int) -> Document:
        note, id = self.whole.all[number], f"{self._made.prefix}w{number:04d}"
        pen = Pen(random.Random(id), Cast(id, self._world, note.country))
        note.write(pen)
        return to_document(id, id, self._made.join(pen.take()), {"kind": "whole"})

    def _write(self, pen: Pen) -> str:
        notes = self.whole.of(pen.cast.country)
        if notes and pen.often(self._made.whole_share):
            note = pen.pick(notes)
            note.write(pen)
            if "after.name" in self._grammar.names():
                sign_further(pen, self._grammar, 0.9)
            note.restyle(pen)
            return "whole"
        self._grammar.write("note", pen)
        return "note"
