"""Conventions of a corpus: how its files are read, how its spans are drawn, what its own program measures.

They stand apart from the language of its notes: another corpus in the same language has others. A corpus is a
folder here with `CONVENTIONS` in it, and the table below lists those that ship. Its labels are data: a label
set of the same name, which may also say the language of the notes.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from deidlab.errors import UnknownNameError
from deidlab.types import Span

Redraw = Callable[[str, Iterable[Span]], Iterable[Span]]
SHIPPED = ("meddocan",)


class Measure(NamedTuple):
    """One of the corpus's own measures: its title in tables, and the counts that it is made of.

    `counts` is the key of one of `evaluate.measures`.
    """

    title: str
    counts: str


@dataclass(frozen=True, slots=True, eq=False)
class Conventions:
    """The conventions of one corpus.

    `format` is that of its files. `redraw_with` is the module whose `follow_corpus` turns what a tagger found
    in a text into spans as the corpus draws them; it is imported when it is first called for.
    """

    name: str
    title: str
    format: str
    redraw_with: str
    measures: Mapping[str, Measure] = field(default_factory=dict)

    def redraw(self, text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
        """The spans as this corpus would have them."""
        return tuple(_load(self.redraw_with)(text, spans))


def known() -> tuple[str, ...]:
    return SHIPPED


def find(name: str) -> Conventions:
    """The conventions of that name, or an error that lists the known ones."""
    if name not in SHIPPED:
        raise UnknownNameError("corpus's conventions", name, known())
    return _shipped(name)


@functools.cache
def _shipped(name: str) -> Conventions:
    conventions: Conventions = importlib.import_module(f"{__name__}.{name}").CONVENTIONS
    return conventions


@functools.cache
def _load(module: str) -> Redraw:
    redraw: Redraw = importlib.import_module(module).follow_corpus
    return redraw
