"""A run and notes in, what its model says of them out: kept, so that every row of the tests is made of it.

A row is whatever a `Detector` makes of the answers, the one that masks; the model is asked only once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deidlab.detect.answers import to_ask
from deidlab.detect.detector import Detector
from deidlab.detect.findings import Findings, NoteTagger
from deidlab.detect.folder import TaggerFacts
from deidlab.detect.model import TaggingModel
from deidlab.detect.packed.runtime import PackedRuntime
from deidlab.detect.runtimes import IDS, WindowInputs
from deidlab.types import Document, Span

Found = list[tuple[Span, ...]]


class Answered(NoteTagger):
    """A model that has given its answers to some notes, in every way to read them: it says the same again."""

    def __init__(self, facts: TaggerFacts, notes: Iterable[Document], findings: Iterable[Findings]) -> None:
        self.facts = facts
        self._found = {(note.id, note.text): each for note, each in zip(notes, findings, strict=True)}

    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]:
        return (self._found[document.id, document.text] for document in documents)


def ask(model: TaggingModel, documents: Sequence[Document]) -> Answered:
    """What the model says of the notes."""
    asked = to_ask(bare(documents))
    return Answered(model.facts, asked, model.tag_notes(asked))


def bare(documents: Iterable[Document]) -> list[Document]:
    """The notes without gold."""
    return [Document(id=each.id, patient=each.patient, text=each.text) for each in documents]


def find_with(detector: Detector, documents: Sequence[Document], answered: Answered | None = None) -> Found:
    """What a detector finds in the notes, as `deidlab detect` does; its model may have answered already."""
    if answered is not None:
        detector = replace(detector, model=answered)
    return [detection.spans for detection in detector.detect(bare(documents), with_words=False)]


def ask_timed(model: TaggingModel, documents: Sequence[Document]) -> tuple[Answered, dict[str, Any]]:
    """The same, and how fast it was, from text to spans: with all windows, and with the first ones alone."""
    runtime = model.runtime
    assert isinstance(runtime, PackedRuntime)
    asked = to_ask(bare(documents))
    began = time.perf_counter()
    notes = [model.cut(each) for each in asked]
    cutting = time.perf_counter() - began
    whole = _time(runtime, [window for note in notes for window in note.windows])
    first = _time(runtime, [note.windows[0] for note in notes if note.windows])
    began = time.perf_counter()
    edges = np.cumsum([len(note.words) for note in notes])
    findings = list(model.decide(notes, np.split(whole.pop("scores"), edges[:-1])))
    parts = {"cutting_seconds": cutting, "deciding_seconds": time.perf_counter() - began}
    first.pop("scores")
    counted = {"notes": len(documents)}
    return Answered(model.facts, asked, findings), {
        "all_windows": parts | counted | whole,
        "first_window_only": counted | first,
    }


def _time(runtime: PackedRuntime, windows: Sequence[WindowInputs]) -> dict[str, Any]:
    """Scores, counts, and the seconds of a scoring that is warm: graphs recorded, memory in place."""
    rows = runtime.lay_out(windows)
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        scores = runtime.run(rows)
        seconds.append(time.perf_counter() - began)
    return {
        "scores": scores,
        "windows": len(windows),
        "pieces": sum(window.arrays[IDS].shape[1] for window in windows),
        "steps": len(rows),
        "seconds": seconds[1],
        "first_seconds": seconds[0],
    }
