"""HTML cut into tags and texts as browsers cut it, in time that grows with its length alone.

The parser of the standard library takes the square of it for tags that are never closed, and quotes the page
when it fails. Here a page that ends inside a tag is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Literal

from deidlab.carriers.carrier import Refused

Kind = Literal["start", "end", "text", "comment", "doctype", "instruction"]

_MARKUP = re.compile(r"<(?=[A-Za-z!?/])")
_NAME = re.compile(r"[A-Za-z][^\s/>]*+")
_BETWEEN = re.compile(r"[\s/]*+")
_ATTRIBUTE = re.compile(r"=?[^\s/>=]*+")
_EQUALS = re.compile(r"\s*+=\s*+")
_BARE = re.compile(r"[^\s>]*+")
_COMMENT_END = re.compile(r"--!?>")
_RAW = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes"))
_TEXT_ONLY = frozenset(("title", "textarea"))


@dataclass(frozen=True, slots=True)
class Token:
    """A tag by its name, or a text."""

    kind: Kind
    text: str = field(repr=False)
    attributes: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    closed: bool = False
    """Whether a tag ends in />, which means something in XHTML alone."""


def cut_html(page: str) -> Iterator[Token]:
    """The tokens of a page, in order."""
    place = 0
    while place < len(page):
        found = _MARKUP.search(page, place)
        start = found.start() if found else len(page)
        if start > place:
            yield Token("text", unescape(page[place:start]))
        if found is None:
            return
        token, place = _markup(page, start)
        if token is None:
            continue
        yield token
        if token.kind == "start" and token.text in _RAW | _TEXT_ONLY:
            end = _end_of(page, place, rf"</{token.text}(?=[\s/>])")[0]
            inside, place = page[place:end], end
            if inside:
                yield Token("text", unescape(inside) if token.text in _TEXT_ONLY else inside)


def _markup(page: str, start: int) -> tuple[Token | None, int]:
    """What begins at a <, and where it ends."""
    if page.startswith("<!--", start):
        if page.startswith((">", "->"), start + 4):
            return Token("comment", ""), page.index(">", start) + 1
        inside, end = _end_of(page, start + 4, _COMMENT_END)
        return Token("comment", page[start + 4 : inside]), end
    closing = page.startswith("</", start)
    name = _NAME.match(page, start + 1 + closing)
    if name is not None:
        attributes, end = _attributes(page, name.end())
        closed = page[end - 2] == "/"
        return Token("end" if closing else "start", name[0].lower(), attributes, closed), end
    inside, end = _end_of(page, start, ">")
    text = page[start + 2 : inside]
    if text[:7].lower() == "doctype":
        return Token("doctype", text[7:].strip()), end
    if page.startswith("<?", start):
        return Token("instruction", text), end
    return (Token("comment", text) if text else None), end


def _attributes(page: str, place: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """Those of a tag, the first of each name, and where the tag ends."""
    found: dict[str, str] = {}
    while True:
        place = _after(_BETWEEN, page, place)
        if place >= len(page):
            raise _cut_off()
        if page[place] == ">":
            return tuple(found.items()), place + 1
        end = _after(_ATTRIBUTE, page, place)
        name, value, place = page[place:end].lower(), "", end
        if equals := _EQUALS.match(page, place):
            place = equals.end()
            if page[place : place + 1] in ("'", '"'):
                closed = page.find(page[place], place + 1)
                if closed < 0:
                    raise _cut_off()
                value, place = page[place + 1 : closed], closed + 1
            else:
                end = _after(_BARE, page, place)
                value, place = page[place:end], end
        found.setdefault(name, unescape(value))


def _after(pattern: re.Pattern[str], page: str, place: int) -> int:
    match = pattern.match(page, place)
    return match.end() if match else place


def _end_of(page: str, place: int, pattern: str | re.Pattern[str]) -> tuple[int, int]:
    """Where the next of these begins and ends; a page without one is cut off."""
    match = (
        re.compile(pattern, re.I).search(page, place)
        if isinstance(pattern, str)
        else pattern.search(page, place)
    )
    if match is None:
        raise _cut_off()
    return match.span()


def _cut_off() -> Refused:
    return Refused("it ends inside a tag, a comment or a script; it may be cut off")
