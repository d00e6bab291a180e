"""Word scores on disk: JSON lines in, each document's words with their PHI probability out, and the mirror.

One line a document: `{"id": "note-1", "words": [[0, 6, 0.0021], [7, 12, 0.9987]]}`. A word is its start, its
end and the probability that it is PHI of any type. Words are in order and do not overlap; together they
hold every visible character of the text, so that a detector which stopped half way is found out.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from deidlab.errors import CorpusError
from deidlab.evaluate.layout import Floats
from deidlab.inputfile import open_input

WordScores = Mapping[str, Floats]
"""A document's id -> words × (start, end, probability)."""


def read_word_scores(path: Path) -> dict[str, Floats]:
    """Every document's words, checked; an error names the line and the document."""
    found: dict[str, Floats] = {}
    try:
        with io.TextIOWrapper(open_input(path), "utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    name, words = _read_line(line, f"{path}, line {number}")
                    if name in found:
                        raise CorpusError(f"{path}, line {number}: document {name} came before")
                    found[name] = words
    except UnicodeDecodeError:
        raise CorpusError(f"{path}: not UTF-8") from None
    if not found:
        raise CorpusError(f"{path}: holds no document; one JSON object a line is expected")
    return found


def write_word_scores(path: Path, documents: Iterable[tuple[str, Iterable[tuple[int, int, float]]]]) -> None:
    """One line a document, in the order given."""
    with path.open("w", encoding="utf-8") as file:
        for name, words in documents:
            rows = [[int(start), int(end), float(score)] for start, end, score in words]
            file.write(json.dumps({"id": name, "words": rows}, ensure_ascii=False) + "\n")


def _read_line(line: str, where: str) -> tuple[str, Floats]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise CorpusError(f"{where}: not JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not record["id"]:
        raise CorpusError(f"{where}: an object with the document's id as a string in 'id' is expected")
    name = record["id"]
    return name, _check_words(_to_array(record.get("words"), f"{where}, document {name}"), where, name)


def _to_array(words: Any, where: str) -> Floats:
    if isinstance(words, list):
        try:
            array = np.array(words, np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if not words:
            return np.empty((0, 3))
        if array.ndim == 2 and array.shape[1] == 3:
            return array
    raise CorpusError(f"{where}: 'words' must be a list of [start, end, probability]")


def _check_words(words: Floats, where: str, name: str) -> Floats:
    start, end, score = words.T
    wrong = {
        "has an offset that is not a whole number": (start % 1 != 0) | (end % 1 != 0),
        "is empty, reversed or negative": ~((start >= 0) & (start < end)),
        "has a probability outside 0…1": ~((score >= 0) & (score <= 1)),
        "overlaps the word before, or comes out of order": np.append(False, start[1:] < end[:-1])[
            : len(words)
        ],
    }
    for problem, rows in wrong.items():
        if rows.any():
            raise CorpusError(f"{where}, document {name}: word {int(np.argmax(rows)) + 1} {problem}")
    return words
