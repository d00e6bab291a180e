"""Chunks of a body in, lines out; a line in, its note or what is wrong with it out. No line is quoted."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deidlab.corpus.raw import BadDocument, build_document
from deidlab.corpus.records import record_to_raw
from deidlab.errors import DeidError
from deidlab.mask import own_patient
from deidlab.types import Document
from deidlab.web.api_models import Line
from deidlab.web.errors import say_problems


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no note: which, and why."""

    number: int
    error: str
    message: str

    def to_json(self) -> bytes:
        record = {"line": self.number, "error": self.error, "message": self.message}
        return json.dumps(record, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class NoteLine:
    """The note of a line; `patient` is whom the line names, and empty where it names nobody."""

    note: Document
    patient: str


class LineCutter:
    """Cuts chunks at line ends; of a line that is too long only its length limit is kept."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._rest = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that this chunk completes; None stands for one that was too long."""
        *ends, tail = chunk.split(b"\n")
        lines = [self._close(end) for end in ends]
        self._add(tail)
        return lines

    def finish(self) -> list[bytes | None]:
        """The last line, where it has no line end."""
        return [self._close(b"")] if self._rest or self._skipping else []

    def _close(self, end: bytes) -> bytes | None:
        self._add(end)
        line = None if self._skipping else bytes(self._rest)
        self._rest.clear()
        self._skipping = False
        return line

    def _add(self, part: bytes) -> None:
        if not self._skipping:
            self._rest += part
        if len(self._rest) > self._most:
            self._rest.clear()
            self._skipping = True


def read_line(line: bytes, number: int, needs_spans: bool = False) -> NoteLine | BadLine:
    """The note of a line; where it names neither id nor patient, it is a patient of its own."""
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return BadLine(number, "not-utf-8", f"byte {error.start} of the line is not UTF-8")
    except json.JSONDecodeError as error:
        return BadLine(number, "not-json", f"the line is not JSON (column {error.colno})")
    except (RecursionError, ValueError):
        return BadLine(number, "not-json", "the line is not JSON that can be read")
    if problem := _find_problem(record, needs_spans):
        return BadLine(number, "wrong-field", problem)
    own = {key: value for key, value in record.items() if key != "meta" and value is not None}
    raw = record_to_raw(own, Path("the line"), "the line", f"line-{number}")
    if isinstance(raw, BadDocument):
        return BadLine(number, "wrong-field", raw.reason)
    try:
        note = build_document(raw)
    except DeidError as error:
        # An id may be a name: it is in our own messages, and not repeated.
        message = str(error).replace("the line: ", "").replace(f"document {raw.id}", "the note")
        return BadLine(number, "wrong-field", message)
    if "id" not in own and not raw.patient:
        note = replace(note, patient=own_patient())
    return NoteLine(note, raw.patient)


def _find_problem(record: Any, needs_spans: bool) -> str:
    """What is wrong with a line's object, if anything. A field that nobody knows is: it may be a typo."""
    if not isinstance(record, dict):
        return "the line is not a JSON object"
    try:
        read = Line.model_validate(record)
    except ValidationError as error:
        return say_problems(error.errors(include_url=False, include_input=False))
    if needs_spans and read.spans is None:
        return (
            "spans: is missing; this task masks the spans of each line and finds nothing, so send [] for none"
        )
    return ""
