"""Lines of masked notes in, the record of the run out: counts, certainties, what to look at again. No PHI.

Beside the output stands `NAME.deidlab/` with `record.json` and `notes.jsonl` (where each replacement stands,
in the note and in its masked text). Keep it to yourself: with surrogates it tells which names are not real.
"""

from __future__ import annotations

import heapq
import json
import os
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import deidlab
from deidlab import files
from deidlab.pipeline.run.state import Failure

BINS = 20
_BANDS = 10
_N_REVIEW = 50
RECORD, NOTES, OUTPUTS = "record.json", "notes.jsonl", "outputs.sha256"


@dataclass(slots=True)
class Tally:
    """Counts over masked notes, filled as they pass."""

    n_notes: int = 0
    n_characters: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    n_unscored: int = 0
    annotations: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    weak: dict[str, list[int]] = field(default_factory=dict)
    review: list[tuple[float, int, str, int, int]] = field(default_factory=list)

    def add(
        self, number: int, name: str, spans: list[Any], replaced: list[Any], tally: Mapping[str, Any]
    ) -> None:
        """One note: spans are [start, end, label, score, source, …]."""
        self.n_notes += 1
        self.n_characters += int(tally["characters"])
        for cells in replaced:
            self.replaced[cells[2], cells[4] or "people"] += 1
            self._count_score(cells[3])
        self._count_left(spans, replaced)
        n_weak = 0
        doubt = sum(1 - cells[3] for cells in replaced if cells[3] is not None)
        for key, n in tally["weak"].items():
            label, _, band = key.rpartition(" ")
            self.weak.setdefault(label, [0] * _BANDS)[int(band)] += n
            n_weak += n
            doubt += n * (int(band) + 0.5) / _BANDS
        row = (round(doubt, 4), -number, name, len(replaced), n_weak)
        (heapq.heappush if len(self.review) < _N_REVIEW else heapq.heappushpop)(self.review, row)

    def _count_left(self, spans: list[Any], replaced: list[Any]) -> None:
        index = 0
        for cells in spans:
            while index < len(replaced) and replaced[index][1] <= cells[0]:
                index += 1
            if index == len(replaced) or replaced[index][0] >= cells[1]:
                self.left[cells[2], cells[4] or "people"] += 1

    def _count_score(self, score: float | None) -> None:
        if score is None:
            self.n_unscored += 1
        else:
            self.bins[min(int(score * BINS), BINS - 1)] += 1

    def to_json(self) -> dict[str, Any]:
        review = [
            {"document": name, "number": -number, "doubt": doubt, "replaced": n, "weak": weak}
            for doubt, number, name, n, weak in sorted(self.review, reverse=True)
            if doubt > 0
        ]
        return {
            "characters": self.n_characters,
            "replaced": _rows(self.replaced),
            "left_by_policy": _rows(self.left),
            "certainty": {"bins": self.bins, "unscored": self.n_unscored},
            "weaker_candidates": dict(sorted(self.weak.items())),
            "annotations": {
                name: self.annotations[name] for name in ("replaced", "dropped", "kept", "hidden", "renamed")
            },
            "removed": dict(sorted(self.removed.items())),
            "review": review,
        }


def _rows(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"label": label, "source": source, "n": n} for (label, source), n in sorted(counts.items())]


def failure_rows(failures: list[Failure]) -> list[dict[str, Any]]:
    return [
        {"number": each.number, "document": each.document, "stage": each.stage, "reason": each.reason}
        for each in failures
    ]


def versions() -> dict[str, str]:
    return {"deidlab": deidlab.__version__, "python": platform.python_version(), "system": platform.system()}


def notes_line(line: Mapping[str, Any]) -> str:
    """A masked note's line in `notes.jsonl`."""
    facts = {
        "document": line["document"],
        "patient": line["patient"],
        "number": line["number"],
        "characters": line["tally"]["characters"],
        "masked_characters": line["masked_characters"],
        "replaced": line["replaced"],
    }
    return json.dumps(facts, ensure_ascii=False) + "\n"


def record_folder(destination: Path) -> Path:
    """Where the record of an output stands."""
    whole = destination if destination.name else destination.resolve()
    return whole.with_name(f"{whole.name}.deidlab")


def open_private(path: Path) -> IO[str]:
    """A new file that only its owner can read, to write to; one that is there goes first, with its mode."""
    path.unlink(missing_ok=True)
    return os.fdopen(files.open_private(path, "anew"), "w", encoding="utf-8")
