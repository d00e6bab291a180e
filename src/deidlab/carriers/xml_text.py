"""XML out of a container and into it again: no entities, no document type, nothing nested too deep.

Comments and processing instructions are not read; how many there were is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from deidlab.carriers.carrier import Refused, Removed

MAX_BYTES = 64 << 20
MAX_DEPTH = 120


class _Builder(TreeBuilder):
    """Builds the tree of what the container says, and counts what it says beside that."""

    def __init__(self, removed: Removed) -> None:
        super().__init__()
        self._removed = removed
        self._depth = 0

    def start(self, tag: Any, attrs: Any, /) -> Any:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Refused(f"its elements are nested more than {MAX_DEPTH} deep")
        return super().start(tag, attrs)

    def end(self, tag: Any, /) -> Any:
        self._depth -= 1
        return super().end(tag)

    def comment(self, text: Any, /) -> Any:
        self._removed["comments"] += 1

    def pi(self, target: Any, text: Any = None, /) -> Any:
        self._removed["processing instructions"] += 1


def read_xml(data: bytes, what: str, removed: Removed | None = None) -> Element:
    """The root; a reason that quotes nothing where it is not read. `what` is the word for the container."""
    if len(data) > MAX_BYTES:
        raise Refused(f"{what} has more than {MAX_BYTES >> 20} MiB of XML")
    builder = _Builder(Removed() if removed is None else removed)
    parser = ElementTree.XMLParser(target=builder, forbid_dtd=True)
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise Refused(f"{what} is not well-formed XML, or declares entities") from None
    return root


def write_xml(root: Element, namespaces: Mapping[str, str], more: str = "") -> bytes:
    """A tree whose names have prefixes, as text; the prefix "" is that of names without one."""
    declared = "".join(
        f" xmlns{':' if prefix else ''}{prefix}={_quoted(name)}" for prefix, name in namespaces.items()
    )
    out = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n']
    _write(root, out, declared + more)
    return "".join(out).encode()


_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF))
# White space that would not come back as it is from an attribute, or from text.
_IN_ATTRIBUTES = {9: "&#9;", 10: "&#10;", 13: "&#13;"}
_IN_TEXTS = {13: "&#13;"}


def _quoted(value: str) -> str:
    return f'"{escape(value).translate(_IN_ATTRIBUTES)}"'


def _shown(text: str | None) -> str:
    return escape((text or "").translate(_CONTROLS), quote=False).translate(_IN_TEXTS)


def _write(element: Element, out: list[str], more: str = "") -> None:
    held = "".join(f" {name}={_quoted(value.translate(_CONTROLS))}" for name, value in element.items())
    if not len(element) and not element.text:
        out.append(f"<{element.tag}{more}{held}/>")
        return
    out.append(f"<{element.tag}{more}{held}>{_shown(element.text)}")
    for child in element:
        _write(child, out)
        out.append(_shown(child.tail))
    out.append(f"</{element.tag}>")
