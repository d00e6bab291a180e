"""The record of a masking run in, its facts out: what `NAME.deidlab/` beside an output says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.corpus import ReadSettings, read_corpus
from deidlab.corpus.database_reading import read_table
from deidlab.corpus.database_url import TablePlace
from deidlab.errors import CorpusError
from deidlab.types import Document, Span

RECORD, NOTES = "record.json", "notes.jsonl"


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """Where replacements stand in one note: spans of the note itself, and stretches of the masked text."""

    document: str
    characters: int
    masked_characters: int
    spans: tuple[Span, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it was recorded; notes by the id that they have in the output, a file, folder or table."""

    output: Path | TablePlace
    facts: Mapping[str, Any] = field(repr=False)
    notes: Mapping[str, NoteFacts] = field(repr=False)

    @property
    def settings(self) -> Mapping[str, Any]:
        return dict(self.facts["settings"])

    def documents(self) -> Iterator[tuple[Document, NoteFacts]]:
        """The masked notes with their facts; a note that the run did not write is an error."""
        columns, masked = self.settings["columns"], self.settings.get("masked_columns", {})
        reading = ReadSettings.of_masked(columns["text"], columns["id"], columns["patient"], masked)
        only = self.notes[next(iter(self.notes))] if len(self.notes) == 1 else None
        for document in self._read(reading):
            # One note under a name of the user's choice has no pseudonym to go by.
            facts = self.notes.get(document.id, only)
            if facts is None or facts.masked_characters != len(document.text):
                raise CorpusError(f"{self.output}: document {document.id} is not as the run wrote it")
            yield document, facts

    def _read(self, reading: ReadSettings) -> Iterator[Document]:
        if isinstance(self.output, TablePlace):
            return read_table(self.output, reading)
        if "tables" in self.facts:
            raise CorpusError(
                f"{self.output}: the run wrote whole tables; its record counts their cells by class"
            )
        if self.settings["format"] == "database":
            raise CorpusError(f"{self.output}: the run wrote a table; name that by its URL")
        return read_corpus(self.output, self.settings["format"], reading)


def read_record(output: Path | TablePlace) -> RunRecord:
    """The record that belongs to an output."""
    folder = find_record(output if isinstance(output, Path) else output.stand_in)
    try:
        facts = json.loads((folder / RECORD).read_text("utf-8"))
        check_shape(facts)
        notes = NotesOnDisk(folder / NOTES)
    except OSError:
        raise CorpusError(f"{folder}: no record of a masking run; `deidlab mask` writes one") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise CorpusError(f"{folder}: the record is damaged") from None
    return RunRecord(output, facts, notes)


_SHAPE: dict[str, type | tuple[type, ...]] = {
    "settings": dict, "masked": int, "failed": int, "patients": int, "replaced": list, "left_by_policy": list,
    "certainty": dict, "weaker_candidates": dict, "review": list, "failures": list, "versions": dict,
    "finished": str, "seconds": (int, float), "patients_known": bool,
}  # fmt: skip


def check_shape(facts: Any) -> None:
    """Raise ValueError, or KeyError, where a record is not as a run writes it."""
    if not isinstance(facts, dict) or not all(isinstance(facts[key], kind) for key, kind in _SHAPE.items()):
        raise ValueError
    settings = facts["settings"]
    if (
        not {"text", "id", "patient"} <= settings["columns"].keys()
        or not {"ids", "format"} <= settings.keys()
    ):
        raise ValueError
    for row in (*facts["replaced"], *facts["left_by_policy"]):
        if (
            not isinstance(row["label"], str)
            or not isinstance(row["source"], str)
            or not isinstance(row["n"], int)
        ):
            raise ValueError
    if not all(isinstance(n, int) for n in (*facts["certainty"]["bins"], facts["certainty"]["unscored"])):
        raise ValueError


class NotesOnDisk(Mapping[str, NoteFacts]):
    """The notes of `notes.jsonl` by id; held are only the places of their lines, each read when asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        place = 0
        with path.open("rb") as lines:
            for line in lines:
                self._places[_read_note(line).document] = place
                place += len(line)

    def __getitem__(self, name: str) -> NoteFacts:
        place = self._places[name]
        with self._path.open("rb") as lines:
            lines.seek(place)
            return _read_note(lines.readline())

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def find_record(output: Path) -> Path:
    """The folder of the record, beside the output."""
    beside = output.resolve().with_name(f"{output.resolve().name}.deidlab")
    above = output.resolve().parent.with_name(f"{output.resolve().parent.name}.deidlab")
    # One file of a folder is `FOLDER/corpus.csv`; its record stands beside the folder.
    return above if not beside.exists() and output.stem == "corpus" else beside


def _read_note(line: bytes) -> NoteFacts:
    row = json.loads(line)
    cells = row["replaced"]
    spans = tuple(Span(start, end, label, score, source) for start, end, label, score, source, _, _ in cells)
    places = tuple((cell[5], cell[6]) for cell in cells)
    return NoteFacts(row["document"], row["characters"], row["masked_characters"], spans, places)
