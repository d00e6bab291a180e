"""A PDF opened within limits: what is encrypted, damaged or packed too tightly is `Refused`."""

from __future__ import annotations

import functools
import io
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pikepdf
from pikepdf import settings

from deidlab.carriers.carrier import Refused

MAX_STREAM = 32 << 20
MAX_CONTENT = 8 << 20
MAX_DECODED = 256 << 20
MAX_PAGES = 5000
_FILTERS = frozenset(
    ("/FlateDecode", "/Fl", "/ASCII85Decode", "/A85", "/ASCIIHexDecode", "/AHx", "/RunLengthDecode", "/RL")
)
_DENSE = re.compile(rb"/(?:ObjStm|XRef)\b[^>]{0,500}/LZW|/LZW[^>]{0,500}/(?:ObjStm|XRef)\b")
DAMAGED = (
    pikepdf.PdfError, ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError,
    RuntimeError,
)  # fmt: skip
"""What its library raises over a file that is not as it should be."""


@dataclass(slots=True)
class Source:
    """The file that is read, and how many bytes may still be unpacked."""

    pdf: pikepdf.Pdf = field(repr=False)
    _left: int = MAX_DECODED

    def read(self, stream: Any) -> bytes:
        """The decoded bytes of a stream."""
        filters = stream.get("/Filter", pikepdf.Array([]))
        names = [str(each) for each in (filters if isinstance(filters, pikepdf.Array) else [filters])]
        if not set(names) <= _FILTERS or len(names) > 3:
            raise Refused("a stream of it is packed in a way that is not read here")
        data: bytes = stream.read_bytes()
        self._left -= len(data)
        if self._left < 0:
            raise Refused(f"unpacked it has more than {MAX_DECODED >> 20} MiB")
        return data

    def contents(self, page: Any) -> bytes:
        """All content of a page, end to end."""
        found = page.get("/Contents")
        if found is None:
            return b""
        streams = list(found) if isinstance(found, pikepdf.Array) else [found]
        return b"\n".join(self.read(each) for each in streams)


def open_pdf(content: bytes) -> Source:
    """The file; nothing of what is wrong with it is told but its kind."""
    if not content.startswith(b"%PDF-"):
        raise Refused("it does not begin as a PDF does")
    if _DENSE.search(content):
        raise Refused("it is packed in a way that is not read here")
    _limit()
    try:
        pdf = pikepdf.open(io.BytesIO(content), attempt_recovery=False)
    except pikepdf.PasswordError:
        raise Refused("it is encrypted; save it without a password") from None
    except DAMAGED:
        raise Refused("it is damaged or cut short, or unpacks to too much") from None
    if pdf.is_encrypted:
        raise Refused("it is encrypted; save it without a password")
    if not 0 < len(pdf.pages) <= MAX_PAGES:
        raise Refused(f"it has no page, or more than {MAX_PAGES}")
    return Source(pdf)


def instructions_of(data: bytes) -> Iterator[Any]:
    """The instructions of a content; what is left open at its end is not one."""
    if len(data) > MAX_CONTENT:
        raise Refused(f"its content has more than {MAX_CONTENT >> 20} MiB")
    # What is read belongs to a file, which lives as long as that is looked at.
    pdf = pikepdf.new()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pikepdf.parse_content_stream(pdf.make_stream(data))
    yield from found


@functools.cache
def _limit() -> None:
    """The limits hold for the process; every file is read under the same."""
    settings.set_qpdf_limits(
        max_stream_filters=4,
        flate_max_memory=MAX_STREAM,
        run_length_max_memory=MAX_STREAM,
        png_max_memory=MAX_STREAM,
        tiff_max_memory=MAX_STREAM,
    )


def written(pdf: pikepdf.Pdf) -> bytes:
    """A new file, which has no history, and an id that says no more than its content."""
    stream = io.BytesIO()
    pdf.save(
        stream,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.disable,
        compress_streams=True,
    )
    return stream.getvalue()


def numbers(value: Any, n: int) -> tuple[float, ...] | None:
    """An array of that many numbers; None where it is anything else."""
    if not isinstance(value, pikepdf.Array) or len(value) != n:
        return None
    try:
        return tuple(float(each) for each in value)
    except (TypeError, ValueError):
        return None


def known_entries(
    found: Any, numeric: tuple[str, ...], named: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    """Those entries of a dictionary that are numbers, truths or words of the standard."""
    kept: dict[str, Any] = {}
    for key in numeric:
        value = found.get(key)
        if isinstance(value, bool):
            kept[key] = value
        elif value is not None and not isinstance(value, pikepdf.Object):
            kept[key] = int(value) if value == int(value) else float(value)
    for key, words in named.items():
        if str(found.get(key, "")) in words:
            kept[key] = pikepdf.Name(str(found[key]))
    return kept
