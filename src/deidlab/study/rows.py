"""What one row of the tests found in, its predictions and its record out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.study.measuring import measure_found
from deidlab.study.predictions import write_predictions
from deidlab.study.records import predictions_path
from deidlab.study.testrecords import write_test
from deidlab.types import Document, Span

MODEL, ENSEMBLE, HYBRID, BASELINE, SYSTEM = "model", "ensemble", "hybrid", "baseline", "system"


@dataclass(frozen=True, slots=True)
class Row:
    """A row: `found` has each note's spans of each part; none where it was left out, and `note` says why."""

    name: str
    kind: str
    found: Mapping[str, Sequence[Sequence[Span]]] = field(repr=False)
    style: str = "runs"
    members: tuple[str, ...] = ()
    run: str | None = None
    prediction: Mapping[str, Any] = field(default_factory=dict, repr=False)
    cross: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class RowWriter:
    """Writes rows into a study's folder; `notes` gives the notes of a part, with their gold."""

    folder: Path
    notes: Callable[[str], list[Document]]
    test_digest: str
    opened: str

    def write(self, row: Row) -> None:
        scores = {}
        for part, found in row.found.items():
            documents = self.notes(part)
            write_predictions(predictions_path(self.folder, row.name, part), documents, found, row.style)
            scores[part] = measure_found(documents, found, row.style)
        write_test(
            self.folder,
            row.name,
            {
                "kind": row.kind,
                "members": list(row.members),
                "run": row.run,
                "opened_at": self.opened,
                "test_digest": self.test_digest,
                "scores": scores,
                "prediction": dict(row.prediction),
                "cross": list(row.cross),
                "note": row.note,
            },
        )
