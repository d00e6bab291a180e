"""Notes that others masked, or without identifiers, in; the same notes with labelled, made-up PHI out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from deidlab.errors import ConfigError
from deidlab.make.cast import Cast
from deidlab.make.finish import finish
from deidlab.make.grammar import Slot
from deidlab.make.layout import Profile, english, find_profile, write_end, write_head_of, write_rule
from deidlab.make.masks import BaseNote, Sentence, read_base
from deidlab.make.notes import to_document
from deidlab.make.pen import Pen
from deidlab.types import Document, Span


def fill_notes(
    base: Sequence[BaseNote], n: int, seed: int = 1, lift: bool = False, first: int = 0
) -> Iterator[Document]:
    """n notes, each made of one of the base's, in an order of chance.

    Without `lift` a whole note is filled; with it, stretches of a note are, with further sentences that hold
    PHI between theirs. `first` is the number of the first note.
    """
    if n and not base:
        raise ConfigError("there is no note to fill: give a base with notes")
    profile = find_profile("lift" if lift else "study")
    for number in range(first, first + n):
        chance = random.Random(f"{seed}/base/{number}")
        note = base[int(chance.random() * len(base))]
        id = f"b{number:06d}"
        pen = Pen(chance, Cast(f"{seed}/base/{id}"))
        _fill(pen, note, profile, lift)
        yield to_document(id, id, finish(pen, pen.take()), {"kind": "base", "base": note.id})


def read_notes(documents: Iterable[Document]) -> Iterator[BaseNote]:
    """Documents as notes to fill; the rules find what is not masked. Spans of the documents play no part."""
    # Imported here: filling what was read before needs none of the libraries that the rules do.
    from deidlab.detect import DetectorSettings, load_detector

    rules = load_detector(None, DetectorSettings("only"))

    def find(document: Document) -> Sequence[Span]:
        return rules.detect([document], with_words=False)[0].spans

    return (read_base(document, find) for document in documents)


def _fill(pen: Pen, note: BaseNote, profile: Profile, lift: bool) -> None:
    first, end = 0, len(note.sentences)
    if lift and end > 12:
        size = pen.number(5, 30)
        first = pen.number(0, max(end - size, 0))
        end = min(first + size, end)
    if pen.often(profile.head * 0.7):
        write_head_of(pen, profile)
        pen.put("\n")
    for place in range(first, end):
        _write(pen, note.sentences[place])
        pen.put(note.gaps[place])
        if pen.often(profile.rate * 0.6):
            write_rule(pen, profile, lambda: profile.draw_rule(pen))
            pen.put(note.gaps[place])
    if pen.often(profile.end * 0.7):
        write_end(pen, profile)


def _write(pen: Pen, sentence: Sentence) -> None:
    for text, becomes, share in sentence:
        if not becomes or not pen.often(share):
            pen.put(text)
        elif becomes[0] == "=":
            pen.put(text, becomes[1:])
        else:
            if text[0].isupper() and becomes[0] in "\\{":
                pen.capitalise()
            _compiled(becomes)(pen)


_LINES: dict[str, Slot] = {}


def _compiled(line: str) -> Slot:
    if line not in _LINES:
        _LINES[line] = english().compile(line, "base")
    return _LINES[line]
