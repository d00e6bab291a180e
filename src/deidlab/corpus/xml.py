"""XML in and out, for the formats built on it: entities refused, every legal character kept.

Parsing is expat through defusedxml: it expands nothing, fetches nothing, and its messages name a line and
a column but never quote the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING
from xml.etree.ElementTree import ParseError, fromstring

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from deidlab.errors import CorpusError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse_xml(data: bytes, path: Path) -> Element:
    """The root element."""
    # Entities need a DOCTYPE. Where there is none, the C parser does the same three times as fast; bytes that
    # are not ASCII's (UTF-16) cannot be searched for it and take the careful way.
    plain = b"<!DOCTYPE" not in data and b"\0" not in data[:4] and data[:2] not in (b"\xff\xfe", b"\xfe\xff")
    try:
        return fromstring(data) if plain else ElementTree.fromstring(data)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise xml_error(error, path, data) from None


def iterate_xml(stream: IO[bytes], path: Path, tag: str) -> Iterator[Element]:
    """Every element of that tag, one at a time; what was read before is let go."""
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == tag:
                yield element
                root.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise xml_error(error, path) from None


def xml_error(error: Exception, path: Path, data: bytes = b"") -> CorpusError:
    """What was wrong, where, without a word of the document."""
    if isinstance(error, DefusedXmlException):
        return CorpusError(f"{path}: declares XML entities, which are refused; remove its DOCTYPE")
    if not data.strip() and isinstance(error, ParseError) and error.position == (1, 0):
        return CorpusError(f"{path}: the file is empty, or not XML")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return CorpusError(
                f"{path}: byte {wrong.start} is not UTF-8; the XML declaration may name another"
            )
    if isinstance(error, ParseError):
        line, column = error.position
        what = "ends too early" if error.code in _CUT_SHORT else "is not well-formed XML"
        return CorpusError(f"{path}: {what} (line {line}, column {column + 1})")
    return CorpusError(f"{path}: is not well-formed XML")


# expat: no element found, unclosed token, unclosed CDATA section.
_CUT_SHORT = (3, 5, 20)


def refuse_forbidden(text: str, document_id: str, what: str = "text") -> None:
    """Raise where the text has a character that XML cannot hold."""
    match = _FORBIDDEN.search(text)
    if match:
        raise CorpusError(
            f"document {document_id}: the {what} has a character at offset {match.start()} "
            f"(U+{ord(match.group()):04X}) that XML cannot hold; write jsonl or brat instead"
        )


def cdata(text: str) -> str:
    """The text as CDATA that a parser gives back character for character.

    A parser folds CR and CRLF into LF, in CDATA too, so CR is written as a reference between sections.
    """
    inside = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inside}]]>"


_CONTENT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def escape_content(text: str) -> str:
    return text.translate(_CONTENT)


def escape_attribute(text: str) -> str:
    return text.translate(_ATTRIBUTE)
