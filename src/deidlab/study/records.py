"""A study's folder in, everything that a report needs out: frozen values, no note text.

What is not there yet is empty or None, so that a study that is still running can be read at any moment.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.study.folder import (
    ACCESS,
    COMPLETIONS,
    CROSS,
    PREDICTIONS,
    SELECTION,
    STUDY,
    TESTS,
)
from deidlab.study.values import (
    DONE,
    FAILED,
    PARTS,
    Choice,
    Completion,
    PredictedDocument,
    Selection,
    StudyFacts,
    StudyModel,
    Table,
    TestRecord,
)
from deidlab.types import Span

__all__ = [
    "DONE",
    "FAILED",
    "PARTS",
    "Choice",
    "Completion",
    "PredictedDocument",
    "Selection",
    "StudyFacts",
    "StudyModel",
    "StudyRecords",
    "TestRecord",
    "cross_path",
    "predictions_path",
    "read_completion",
    "read_completions",
    "read_facts",
    "read_predictions",
    "read_selection",
    "read_study",
]


@dataclass(frozen=True, slots=True)
class StudyRecords:
    """Everything that a study has left so far."""

    folder: Path
    study: StudyFacts
    completions: tuple[Completion, ...]
    selection: Selection | None
    tests: tuple[TestRecord, ...]
    access: tuple[Table, ...] = field(repr=False)

    @property
    def done(self) -> tuple[Completion, ...]:
        return tuple(each for each in self.completions if each.is_done)

    def completions_of(self, model: str) -> tuple[Completion, ...]:
        return tuple(each for each in self.completions if each.model == model)

    def has_predictions(self, name: str, part: str) -> bool:
        return _find(predictions_path(self.folder, name, part)) is not None

    def predictions(self, name: str, part: str) -> Iterator[PredictedDocument]:
        """What a row of the tests found in a part, one document at a time."""
        return read_predictions(predictions_path(self.folder, name, part))

    def cross_predictions(self, name: str, corpus: str) -> Iterator[PredictedDocument]:
        """What a row of the tests found in another corpus."""
        return read_predictions(cross_path(self.folder, name, corpus))


def predictions_path(folder: Path, name: str, part: str) -> Path:
    return folder / TESTS / PREDICTIONS / f"{name}.{part}.jsonl"


def cross_path(folder: Path, name: str, corpus: str) -> Path:
    return folder / TESTS / CROSS / f"{name}.{corpus}.jsonl"


def read_study(folder: Path | str) -> StudyRecords:
    """The records in a study's folder; a file that is not what it should be is an error that names it."""
    folder = Path(folder)
    if not (folder / STUDY).is_file():
        raise ConfigError(f"{folder}: no study is here (no {STUDY}); `deidlab study run` makes one")
    return StudyRecords(
        folder,
        read_facts(folder),
        read_completions(folder),
        read_selection(folder),
        tuple(_read_test(path) for path in sorted((folder / TESTS).glob("*.json"))),
        tuple(_read_lines(folder / ACCESS)),
    )


def read_facts(folder: Path) -> StudyFacts:
    path = folder / STUDY
    table = read_object(path)
    try:
        return StudyFacts(
            name=table["name"],
            title=table["title"],
            digest=table["digest"],
            created=table["created"],
            models=tuple(_study_model(each) for each in table["models"]),
            split={part: tuple(ids) for part, ids in table["split"].items()},
            corpora=table["corpora"],
            selection_measure=table["selection_measure"],
            word_style=table["word_style"],
            labels=tuple(table["labels"]),
            price_per_hour=table["price_per_hour"],
            currency=table["currency"],
            environment=table["environment"],
            spec=table["spec"],
        )
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path}: not the description of a study") from None


def _study_model(table: Table) -> StudyModel:
    return StudyModel(
        name=table["name"],
        model=table["model"],
        tokenizer=table.get("tokenizer", ""),
        scratch=table.get("scratch", False),
        published=table.get("published"),
        config=table.get("config") or {},
        settings=tuple(table.get("settings", ())),
    )


def read_completions(folder: Path) -> tuple[Completion, ...]:
    """Every run that ended, in the order of their names."""
    return tuple(read_completion(path) for path in sorted((folder / COMPLETIONS).glob("*.json")))


def read_completion(path: Path) -> Completion:
    """The record of one run."""
    table = read_object(path)
    try:
        return Completion(
            run=table["run"],
            model=table["model"],
            settings=table["settings"],
            seed=table["seed"],
            status=table["status"],
            error=table.get("error"),
            started=table["started"],
            ended=table["ended"],
            seconds=float(table["seconds"]),
            gpu_seconds=float(table["gpu_seconds"]),
            attempts=int(table["attempts"]),
            shares=table.get("shares"),
            rung=table.get("rung"),
            final=bool(table.get("final", True)),
            validation=table.get("validation"),
            train=table.get("train") or {},
            epochs=tuple(table.get("epochs") or ()),
            speed=table.get("speed") or {},
            n_parameters=table.get("n_parameters"),
            peak_memory_bytes=table.get("peak_memory_bytes"),
            environment=table.get("environment") or {},
        )
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"{path}: not the record of a run") from None


def read_selection(folder: Path) -> Selection | None:
    """The selection, once it is made."""
    path = folder / SELECTION
    if not path.is_file():
        return None
    table = read_object(path)
    try:
        choices = {name: Choice(model=name, **each) for name, each in table["models"].items()}
        return Selection(table["time"], table["measure"], table["digest"], choices)
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path}: not the selection of a study") from None


def _read_test(path: Path) -> TestRecord:
    table = read_object(path)
    try:
        return TestRecord(
            name=table["name"],
            kind=table["kind"],
            members=tuple(table["members"]),
            run=table["run"],
            opened_at=table["opened_at"],
            test_digest=table["test_digest"],
            scores=table["scores"],
            prediction=table["prediction"],
            cross=tuple(table["cross"]),
            note=table.get("note", ""),
        )
    except (KeyError, TypeError):
        raise ConfigError(f"{path}: not the record of a test") from None


def read_predictions(path: Path) -> Iterator[PredictedDocument]:
    """The documents of a predictions file, plain or `.gz`, one at a time."""
    found = _find(path)
    if found is None:
        raise ConfigError(f"{path}: no predictions are here")
    for number, line in enumerate(_lines(found), 1):
        try:
            table = json.loads(line)
            yield PredictedDocument(
                table["id"],
                table["patient"],
                _steps_to_words(table["steps"]),
                tuple(Span(start, end, label) for start, end, label in table["gold"]),
                tuple(Span(start, end, label, score) for start, end, label, score in table["found"]),
            )
        except (ValueError, KeyError, TypeError):
            raise ConfigError(f"{found}, line {number}: not a predicted document") from None


def _steps_to_words(steps: list[int]) -> tuple[tuple[int, int], ...]:
    ends = list(accumulate(steps))
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def _find(path: Path) -> Path | None:
    packed = path.with_name(path.name + ".gz")
    return path if path.is_file() else packed if packed.is_file() else None


def _lines(path: Path) -> Iterator[str]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as packed:
            yield from (line for line in packed if line.strip())
        return
    with path.open(encoding="utf-8") as lines:
        yield from (line for line in lines if line.strip())


def _read_lines(path: Path) -> Iterator[Table]:
    if not path.is_file():
        return
    for line in _lines(path):
        try:
            yield json.loads(line)
        except ValueError:
            # A process that was killed while it wrote leaves half a line at the end.
            continue
