"""Notes, specs and completions for the tests of studies: small, and without torch."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from deidlab.corpus import write_corpus
from deidlab.study.completing import Timing, complete_run
from deidlab.study.grid import Run
from deidlab.study.measuring import describe
from deidlab.study.reading import spec_from
from deidlab.study.spec import StudySpec
from deidlab.types import Counts, Document, Span

NAMES = ("Ana Lopez", "John Smith", "Mary Ann Poe", "Wei Li", "Omar Haddad")
TINY: dict[str, Any] = {
    "model_type": "bert",
    "vocab_size": 300,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 66,
}
SETTINGS: dict[str, Any] = {"epochs": 2, "batch": 4, "learning_rate": 3e-3, "window": 48, "stride": 32}


def make_notes(n_notes: int, seed: int) -> list[Document]:
    draw = random.Random(seed)
    notes = []
    for number in range(n_notes):
        name = draw.choice(NAMES)
        date = f"{draw.randint(1, 28)}/{draw.randint(1, 12)}/20{draw.randint(10, 24)}"
        text = f"Patient {name} was seen on {date}.\nPain since {draw.randint(2, 9)} weeks. "
        spans = (
            Span(8, 8 + len(name), "PATIENT"),
            Span(text.index(date), text.index(date) + len(date), "DATE"),
        )
        text += "No other findings were noted today. " * draw.randint(0, 9)
        notes.append(
            Document(
                id=f"{number // 2:03d}-{number % 2:02d}", patient=f"{number // 2:03d}", text=text, spans=spans
            )
        )
    return notes


def make_spec(models: int = 1, **changes: Any) -> StudySpec:
    """A study of tiny models; keywords replace whole keys of the table."""
    table: dict[str, Any] = {
        "name": "trial",
        "split": {"ratios": "50:25:25", "by": "document"},
        "settings": dict(SETTINGS),
        "models": [{"name": f"tiny{number}", "config": dict(TINY)} for number in range(1, models + 1)],
    }
    return spec_from(json.loads(json.dumps(table | changes)), "trial")


def write_notes(folder: Path, n_notes: int = 24, format: str = "jsonl", seed: int = 1) -> Path:
    path = folder / ("notes.jsonl" if format == "jsonl" else "notes")
    write_corpus(make_notes(n_notes, seed), path, format, overwrite=True)
    return path


def finish(folder: Path, run: Run, f1: float | None, error: str | None = None) -> None:
    """The completion record of a run that nobody trained."""
    figures = describe(Counts(1, 0, 0)) | {"f1": f1, "accuracy": 1.0, "by_label": {}}
    record = None if error else {"validation": figures, "epochs": [{"epoch": 1, "seconds": 1.0}]}
    complete_run(folder, run, Timing.start(folder, run.id), record, error)
