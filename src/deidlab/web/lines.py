"""Chunks of a body in, lines out; a line in, its note or what is wrong with it out. No line is quoted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.corpus.jsonl import record_to_raw
from deidlab.corpus.raw import BadDocument, build_document
from deidlab.errors import DeidError
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no note: which, and why."""

    number: int
    error: str
    message: str

    def to_json(self) -> bytes:
        record = {"line": self.number, "error": self.error, "message": self.message}
        return json.dumps(record, separators=(",", ":")).encode()


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


def read_line(line: bytes, number: int) -> Document | BadLine:
    """The note of a line: an object with a text, and perhaps id, patient and spans; the rest is ignored."""
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return BadLine(number, "not-utf-8", f"byte {error.start} of the line is not UTF-8")
    except json.JSONDecodeError as error:
        return BadLine(number, "not-json", f"the line is not JSON (column {error.colno})")
    except (RecursionError, ValueError):
        return BadLine(number, "not-json", "the line is not JSON that can be read")
    if isinstance(record, dict):
        record = {key: value for key, value in record.items() if key in ("text", "id", "patient", "spans")}
        if problem := _odd_field(record):
            return BadLine(number, "wrong-field", problem)
    raw = record_to_raw(record, Path("the line"), "the line", f"line-{number}")
    if isinstance(raw, BadDocument):
        return BadLine(number, "wrong-field", raw.reason)
    try:
        return build_document(raw)
    except DeidError as error:
        # An id may be a name: it is in our own messages, and not repeated.
        message = str(error).replace("the line: ", "").replace(f"document {raw.id}", "the note")
        return BadLine(number, "wrong-field", message)


def _odd_field(record: dict[str, Any]) -> str:
    """What the readers of files let pass, since there nobody would send it on purpose."""
    if not isinstance(record.get("patient", ""), (str, int, type(None))):
        return "the line: 'patient' must be a string or a whole number"
    spans = record.get("spans") or []
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        return "the line: 'spans' must be a list of objects"
    if not all(isinstance(span.get(key) or "", str) for span in spans for key in ("source", "text")):
        return "the line: 'source' and 'text' of a span must be strings"
    return ""
