"""A note in, one line of JSON out; one line of JSON in, spans out, or what is wrong with it. docs/compare.md
has the contract.

What a system says is never quoted: it may hold the note's text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deidlab.errors import DeidError
from deidlab.types import Span

MAX_ANSWER_BYTES = 64 * 1024 * 1024
_LONGEST_LABEL = 64


class SystemFailure(DeidError):
    """A system failed for one note; `fatal` says that it has to be started again before the next."""

    def __init__(self, reason: str, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.fatal = reason, fatal


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """What a system tells of itself when it is ready; all of it may be unknown.

    `scheme` names the label set it speaks in, `labels` are those that it can say; a note that is longer than
    `limit` (characters or words, by `unit`) is cut for it.
    """

    scheme: str = ""
    labels: tuple[str, ...] = ()
    limit: int = 0
    unit: str = "characters"
    versions: Mapping[str, str] = field(default_factory=dict)
    installed_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system found in a text, and how many of its characters it would have read by itself."""

    spans: tuple[Span, ...]
    read: int


def write_question(number: int, text: str) -> bytes:
    """One line; the number stands for the note, whose id stays here."""
    return (json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n").encode()


def parse_object(line: bytes) -> dict[str, Any]:
    try:
        table = json.loads(line)
    except (ValueError, RecursionError):
        raise SystemFailure("answered with what is not JSON", fatal=True) from None
    if not isinstance(table, dict):
        raise SystemFailure("answered with JSON that is not an object", fatal=True)
    return table


def read_answer(table: Mapping[str, Any], number: int, text: str) -> Answer:
    """The spans of an answer to that question; anything wrong fails the note."""
    if str(table.get("id")) != str(number):
        raise SystemFailure("answered another question than was asked", fatal=True)
    if "error" in table:
        raise SystemFailure("said that it failed")
    if table.get("text", text) != text:
        raise SystemFailure("answered about another text than it was given")
    rows = table.get("spans")
    if not isinstance(rows, list):
        raise SystemFailure("gave no list of spans")
    read = table.get("read", len(text))
    if not _is_count(read):
        raise SystemFailure("gave spans that cannot be read")
    return Answer(tuple(_read_span(row, text) for row in rows), min(read, len(text)))


def _read_span(row: Any, text: str) -> Span:
    if not isinstance(row, dict):
        raise SystemFailure("gave spans that cannot be read")
    start: Any = row.get("start")
    end: Any = row.get("end")
    label, score = row.get("label"), row.get("score")
    if not (_is_count(start) and _is_count(end) and isinstance(label, str) and label):
        raise SystemFailure("gave spans that cannot be read")
    if not is_label(label):
        raise SystemFailure("gave a label that is too long, or cannot be shown")
    if not start < end <= len(text):
        raise SystemFailure("gave a span out of bounds")
    if row.get("text", text[start:end]) != text[start:end]:
        raise SystemFailure("quoted other text than stands at a span's place")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise SystemFailure("gave spans that cannot be read")
    # Some libraries' certainties pass 1 by a rounding; NaN is none.
    sure = None if score is None or score != score else min(1.0, max(0.0, float(score)))
    return Span(start, end, label, sure, "system")


def is_label(label: str) -> bool:
    """Whether a label can stand in a table: all of it can be printed, and it is no whole sentence."""
    return len(label) <= _LONGEST_LABEL and label.isprintable()


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def read_facts(table: Mapping[str, Any]) -> SystemFacts:
    """What the first line of a system tells of it; what is of the wrong kind is not known."""
    limit, labels = table.get("limit", 0), table.get("labels", ())
    versions, size = table.get("versions", {}), table.get("bytes", 0)
    return SystemFacts(
        scheme=str(table.get("scheme", "")),
        labels=tuple(filter(is_label, map(str, labels))) if isinstance(labels, list) else (),
        limit=limit if _is_count(limit) else 0,
        unit="words" if table.get("unit") == "words" else "characters",
        versions={k: str(v) for k, v in versions.items() if is_label(f"{k} {v}")}
        if isinstance(versions, dict)
        else {},
        installed_bytes=size if _is_count(size) else 0,
    )
