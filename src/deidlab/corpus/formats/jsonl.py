"""JSON lines: one document a line, as `records.py` has it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.corpus.files import numbered_lines
from deidlab.corpus.format import Counted, Format, OneText, blocks_of, longer_than_first, register
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.corpus.records import document_to_record, record_to_raw
from deidlab.errors import CorpusError
from deidlab.inputfile import open_input
from deidlab.types import Document


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    for number, record in records(path, settings):
        if isinstance(record, BadDocument):
            yield record
        else:
            yield record_to_raw(record, path, f"line {number}", f"{path.stem}-{number}")


def records(path: Path, settings: ReadSettings) -> Iterator[tuple[int, Any]]:
    """The number of each line that is not blank, and its JSON, or a BadDocument where it is none."""
    try:
        with open_input(path) as stream:
            for number, line in numbered_lines(stream):
                if line is None:
                    yield number, BadDocument(path, f"line {number} is longer than 128 MiB")
                elif line.strip():
                    yield number, _read_line(path, number, line, settings)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _read_line(path: Path, number: int, line: bytes, settings: ReadSettings) -> Any:
    if b"\0" in line and settings.encoding.lower().startswith("utf-8"):
        return BadDocument(path, f"line {number} has a NUL at byte {line.index(0)}; this is not a text file")
    try:
        return json.loads(line.decode(settings.encoding))
    except UnicodeDecodeError as error:
        return BadDocument(path, f"line {number}, byte {error.start} is not {settings.encoding}")
    except json.JSONDecodeError as error:
        return BadDocument(path, f"line {number} is not JSON (column {error.colno})")
    except (RecursionError, ValueError, LookupError):
        return BadDocument(path, f"line {number} is not JSON that can be read")


def render(document: Document, losses: Counter[str]) -> str:
    """The document's line."""
    return json.dumps(document_to_record(document), ensure_ascii=False) + "\n"


def begins(head: bytes) -> bool:
    # A backslash behind the brace is no JSON, but RTF.
    return head.startswith(b"{") and not head.startswith(b"{\\")


def count(path: Path) -> int:
    n, last = 0, b""
    for block in blocks_of(path):
        n += block.count(b"\n")
        last = block
    return n + (bool(last) and not last.endswith(b"\n"))


def sample(paths: Sequence[Path], n_sample: int) -> Counted:
    n_lines = size = sample_size = 0
    for path in paths:
        with open_input(path) as stream:
            for line in islice(stream, max(0, n_sample - n_lines)):
                n_lines += 1
                sample_size += len(line)
            for block in iter(lambda: stream.read(1 << 20), b""):
                n_lines += block.count(b"\n")
        size += path.stat().st_size
    return Counted(n_lines, True, longer_than_first(n_lines, size, n_sample, sample_size))


def first_lines(data: bytes) -> Sequence[bytes]:
    return data.splitlines(keepends=True)


FORMAT = register(
    Format(
        name="jsonl",
        suffixes=(".jsonl", ".ndjson"),
        read=read,
        begins=begins,
        one=OneText(render),
        count=count,
        sample=sample,
        first_notes=first_lines,
        media_type="application/x-ndjson",
    )
)
