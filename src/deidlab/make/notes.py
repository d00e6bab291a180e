"""A number of notes and a seed in, documents with gold spans out: the same on every machine.

Notes are made patient by patient, each from its own seed, so that any part of a corpus can be made alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import timedelta

from deidlab.errors import ConfigError
from deidlab.make.cast import Cast
from deidlab.make.finish import finish
from deidlab.make.layout import Profile, find_profile, write_note
from deidlab.make.pen import Part, Pen
from deidlab.types import Document, Span

NOTES_A_PATIENT = 3
"""So many notes a patient has at most; on average half as many and a half."""


def make_notes(n: int, seed: int = 1, lift: bool = False, first: int = 0) -> Iterator[Document]:
    """n made notes with the labels of i2b2 2014, from the patient number `first` on.

    With `lift`, PHI is dense and rare labels are as frequent as training wants them; without, frequencies
    are near Table 3 of the study.
    """
    if n < 0:
        raise ConfigError(f"{n} notes cannot be made: give 0 or more")
    profile = find_profile("lift" if lift else "study")
    made = 0
    number = first
    while made < n:
        for document in make_patient(number, seed, profile):
            if made == n:
                return
            yield document
            made += 1
        number += 1


def make_patient(number: int, seed: int, profile: Profile) -> Iterator[Document]:
    """All notes of one patient, in order of their days."""
    patient = f"p{number:06d}"
    cast = Cast(f"{seed}/{patient}")
    chance = random.Random(f"{seed}/{patient}/notes")
    for index in range(1 + int(chance.random() * NOTES_A_PATIENT)):
        pen = Pen(chance, cast)
        kind = write_note(pen, profile)
        yield to_document(f"{patient}-{index + 1}", patient, finish(pen, pen.take()), {"kind": kind})
        cast.day += timedelta(days=int(chance.random() ** 3 * 400) + 1)


def to_document(id: str, patient: str, parts: Iterable[Part], meta: dict[str, str]) -> Document:
    """Parts end to end as a document; white space at the edges of a marked part stays outside of its span."""
    texts: list[str] = []
    spans: list[Span] = []
    at = 0
    for text, label in parts:
        if label:
            start, end = at + len(text) - len(text.lstrip()), at + len(text.rstrip())
            if start < end:
                spans.append(Span(start, end, label))
        texts.append(text)
        at += len(text)
    return Document(id=id, patient=patient, text="".join(texts), spans=tuple(spans), meta=meta)
