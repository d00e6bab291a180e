"""Spanish notes unlike those that the model learned from: what is found there does not fall behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus
from deidlab.detect import load_detector
from deidlab.types import Document, Span

NOTES = Path(__file__).parents[2] / "data" / "notes-es-fresh"


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Document, tuple[Span, ...]]]:
    notes = list(read_corpus(NOTES, "inline"))
    answers = load_detector("es").detect(notes, with_words=False)
    return {note.id: (note, answer.spans) for note, answer in zip(notes, answers, strict=True)}


def is_counted_only(name: str) -> bool:
    return name.startswith("g") and int(name[1:]) % 2 == 0


@pytest.mark.parametrize(("counted", "recall", "precision"), [(True, 0.81, 0.88), (False, 0.88, 0.87)])
def test_words_found_and_found_rightly(
    found: dict[str, tuple[Document, tuple[Span, ...]]], counted: bool, recall: float, precision: float
) -> None:
    chosen = [pair for name, pair in found.items() if is_counted_only(name) is counted]
    assert len(chosen) == (20 if counted else 50)
    hits = misses = wrong = 0
    for note, spans in chosen:
        gold, mine = places(note.spans), places(spans)
        for word in re.finditer(r"\w+", note.text):
            own = set(range(*word.span()))
            if wanted := own & gold:
                hits, misses = hits + (wanted <= mine), misses + (not wanted <= mine)
            else:
                wrong += bool(own & mine)
    assert hits / (hits + misses) > recall
    assert hits / (hits + wrong) > precision


def places(spans: tuple[Span, ...]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end)}
