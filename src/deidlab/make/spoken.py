"""A language's own grammar and slots in, notes with gold spans out: the same pen as for all others."""

from __future__ import annotations

import random
from collections.abc import Iterator

from deidlab.languages.language import MadeNotes
from deidlab.make.cast import Cast
from deidlab.make.finish import finish
from deidlab.make.grammar import Grammar
from deidlab.make.notes import to_document
from deidlab.make.pen import Pen
from deidlab.make.values import VALUES
from deidlab.types import Document


def make_spoken_notes(code: str, made: MadeNotes, n: int, seed: int = 1) -> Iterator[Document]:
    """n notes, each of a patient of its own."""
    grammar = Grammar(made.grammar.splitlines(), {**VALUES, **made.slots})
    for number in range(n):
        id = f"{made.prefix}{number:06d}"
        key = f"{seed}/{code}/{id}"
        pen = Pen(random.Random(key), Cast(key))
        grammar.write("note", pen)
        yield to_document(id, id, finish(pen, pen.take()), {"kind": "note"})
