"""HTML in, its tags and texts in their order out; what the table removes is not among them, but counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from html.parser import HTMLParser
from typing import Any

from deidlab.carriers.carrier import Refused, Removed
from deidlab.carriers.tables import load_table

_DOCTYPE = re.compile(
    r"""html(?:\s+public\s+["']-//W3C//DTD X?HTML [\w. ]{1,30}//EN["'](?:\s+["']http://www\.w3\.org/[\w./-]{1,60}["'])?)?""",
    re.I,
)
_VIEWPORT = re.compile(r"[a-z-]+=[\w.-]+(?:\s*,\s*[a-z-]+=[\w.-]+)*", re.I)


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


class Reader(HTMLParser):
    """Reads one letter; `charset` is how it is written again."""

    def __init__(self, charset: str, removed: Removed) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[Tag | Text | Literal] = []
        self._charset, self._removed = charset, removed
        self._gone = ""
        self._gone_depth = 0
        self._exact = 0
        self._in_style = False

    def read(self, text: str) -> list[Tag | Text | Literal]:
        """All of a letter; one that ends inside a tag or a comment is refused."""
        if text.rfind("<!--") > text.rfind("-->") or re.search(r"<[/!?A-Za-z][^>]*\Z", text):
            raise Refused("it ends inside a tag or a comment; it may be cut off")
        self.feed(text)
        self.close()
        if self._gone or self.cdata_elem:
            raise Refused("an element in it that shows no text is never closed; it may be cut off")
        return self.events

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._gone:
            self._gone_depth += tag == self._gone
        elif tag in names("gone"):
            self._gone, self._gone_depth = tag, 1
            self._removed[tag] += 1
        elif tag == "meta":
            self._meta(dict(attrs))
        elif tag in names("gone_alone"):
            self._removed[tag] += 1
        elif tag == "input" and not self._is_shown(dict(attrs)):
            self._removed["hidden fields"] += 1
        elif tag == "style":
            self._in_style = True
            self.events.append(Tag(tag))
        elif tag in names("blocks") | names("inline"):
            self._exact += tag in ("pre", "textarea")
            found = Tag(tag)
            for name, value in attrs:
                found.attributes.setdefault(name, value or "")
            self.events.append(found)
        else:
            self._removed["unknown elements"] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in names("empty"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._gone:
            self._gone_depth -= tag == self._gone
            self._gone = self._gone if self._gone_depth else ""
        elif tag == "style" or (tag in names("blocks") | names("inline") and tag not in names("empty")):
            self._in_style = False
            self._exact -= tag in ("pre", "textarea") and self._exact > 0
            self.events.append(Tag(tag, closing=True))
        elif tag == "br":
            self.events.append(Tag(tag))

    def handle_data(self, data: str) -> None:
        if self._gone:
            return
        last = self.events[-1] if self.events else None
        if isinstance(last, Text):
            last.text += data
        else:
            self.events.append(Text(data, self._in_style, self._exact > 0))

    def handle_comment(self, data: str) -> None:
        self._removed["comments"] += 1

    def handle_decl(self, decl: str) -> None:
        name, _, rest = decl.partition(" ")
        known = name.lower() == "doctype" and _DOCTYPE.fullmatch(rest.strip())
        self._removed["document types"] += not known
        self.events.append(Literal(f"<!DOCTYPE {rest.strip()}>" if known else "<!DOCTYPE html>"))

    def handle_pi(self, data: str) -> None:
        self._removed["processing instructions"] += 1

    def unknown_decl(self, data: str) -> None:
        self._removed["comments"] += 1

    def _is_shown(self, attributes: dict[str, str | None]) -> bool:
        return (attributes.get("type") or "text").lower() in table()["elements"]["inputs"]

    def _meta(self, attributes: dict[str, str | None]) -> None:
        """The character set and the width of the window stay."""
        content = attributes.get("content") or ""
        says = (attributes.get("http-equiv") or "").lower() == "content-type"
        if attributes.get("charset") or says:
            self.events.append(Literal(f'<meta charset="{self._charset}">'))
        elif (attributes.get("name") or "").lower() == "viewport" and _VIEWPORT.fullmatch(content):
            self.events.append(Literal(f'<meta name="viewport" content="{content}">'))
        else:
            self._removed["meta"] += 1
