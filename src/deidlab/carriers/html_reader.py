"""HTML in, its tags and texts in their order out; what the table removes is not among them, but counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

from deidlab.carriers.carrier import Refused, Removed
from deidlab.carriers.html_tokens import cut_html
from deidlab.carriers.tables import load_table

_DOCTYPE = re.compile(
    r"""html(?:\s+public\s+["']-//W3C//DTD\ X?HTML\ (?:Basic\ )?\d\.\d{1,2}
    (?:\ (?:Strict|Transitional|Frameset))?//EN["']
    (?:\s+["']http://www\.w3\.org/TR/(?:xhtml1|xhtml11|html4|html401|REC-html40)/(?:DTD/)?
    (?:strict|loose|frameset|xhtml1-strict|xhtml1-transitional|xhtml1-frameset|xhtml11)\.dtd["'])?)?""",
    re.I | re.X,
)
_VIEWPORT = re.compile(
    r"(?:(?:\A|\s*[,;]\s*)(?:width|height|initial-scale|minimum-scale|maximum-scale|user-scalable|shrink-to-fit)"
    r"=(?:device-width|device-height|yes|no|\d{1,4}(?:\.\d{1,3})?))+"
)


def table() -> dict[str, Any]:
    return load_table("html")


@cache
def names(kind: str) -> frozenset[str]:
    """The elements of a kind."""
    return frozenset(table()["elements"][kind])


@dataclass(slots=True)
class Tag:
    """A tag as it will be written."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict, repr=False)
    closing: bool = False

    def written(self) -> str:
        held = "".join(f' {key}="{escape(value)}"' for key, value in self.attributes.items())
        return f"</{self.name}>" if self.closing else f"<{self.name}{held}>"


@dataclass(slots=True)
class Text:
    """A stretch of text between two tags; a style sheet is `styles`, and what is `exact` keeps its lines."""

    text: str = field(repr=False)
    styles: bool = False
    exact: bool = False

    def written(self) -> str:
        return self.text if self.styles else escape(self.text, quote=False)


@dataclass(slots=True)
class Literal:
    """What is written as it is: a document type, or what says the character set."""

    text: str

    def written(self) -> str:
        return self.text


class PageReader:
    """Reads one letter; `charset` is how it is written again."""

    def __init__(self, charset: str, removed: Removed) -> None:
        self.events: list[Tag | Text | Literal] = []
        self._charset, self._removed = charset, removed
        self._gone = ""
        self._gone_depth = 0
        self._exact = 0
        self._in_style = False

    def read(self, text: str) -> list[Tag | Text | Literal]:
        """All of a letter; one that ends inside what shows no text is refused."""
        for token in cut_html(text):
            if token.kind == "start":
                self._start(token.text, dict(token.attributes))
            elif token.kind == "end":
                self._end(token.text)
            elif token.kind == "text":
                self._text(token.text)
            elif token.kind == "doctype":
                self._doctype(token.text)
            else:
                self._removed["comments" if token.kind == "comment" else "processing instructions"] += 1
        if self._gone:
            raise Refused("an element in it that shows no text is never closed; it may be cut off")
        return self.events

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._gone:
            self._gone_depth += tag == self._gone
        elif tag in names("gone"):
            self._gone, self._gone_depth = tag, 1
            self._removed[tag] += 1
        elif tag == "meta":
            self._meta(attributes)
        elif tag in names("gone_alone"):
            self._removed[tag] += 1
        elif tag == "input" and attributes.get("type", "text").lower() not in table()["elements"]["inputs"]:
            self._removed["hidden fields"] += 1
        elif tag == "style":
            self._in_style = True
            self.events.append(Tag(tag))
        elif tag in names("blocks") | names("marks"):
            self._exact += tag in ("pre", "textarea")
            self.events.append(Tag(tag, attributes))
        else:
            self._removed["unknown elements"] += 1

    def _end(self, tag: str) -> None:
        if self._gone:
            self._gone_depth -= tag == self._gone
            self._gone = self._gone if self._gone_depth else ""
        elif tag == "style" or (tag in names("blocks") | names("marks") and tag not in names("empty")):
            self._in_style = False
            self._exact -= tag in ("pre", "textarea") and self._exact > 0
            self.events.append(Tag(tag, closing=True))
        elif tag == "br":
            self.events.append(Tag(tag))

    def _text(self, data: str) -> None:
        if not self._gone:
            self.events.append(Text(data, self._in_style, self._exact > 0))

    def _doctype(self, said: str) -> None:
        known = _DOCTYPE.fullmatch(said)
        self._removed["document types"] += not known
        self.events.append(Literal(f"<!DOCTYPE {said}>" if known else "<!DOCTYPE html>"))

    def _meta(self, attributes: dict[str, str]) -> None:
        """The character set and the width of the window stay."""
        content = attributes.get("content", "")
        says = attributes.get("http-equiv", "").lower() == "content-type"
        if attributes.get("charset") or says:
            self.events.append(Literal(f'<meta charset="{self._charset}">'))
        elif attributes.get("name", "").lower() == "viewport" and _VIEWPORT.fullmatch(content):
            self.events.append(Literal(f'<meta name="viewport" content="{content}">'))
        else:
            self._removed["meta"] += 1
