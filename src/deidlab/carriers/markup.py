"""XHTML and HTML in, what is written on each block as a piece; and the same blocks with other text.

Tags that `data/carriers/markup.toml` lists stay, with few attributes; script and what else no reader sees
goes with what it holds, and of other tags the text alone stays. Text over inline tags of one block is one
piece, since a name may be partly bold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import escape

from deidlab.carriers.carrier import Piece, Refused, Slot
from deidlab.carriers.html_tokens import cut_html
from deidlab.carriers.tables import load_table

_TAGS = {kind: frozenset(tags) for kind, tags in load_table("markup").items()}
_BLOCKS, _INLINE, _EMPTY = _TAGS["blocks"], _TAGS["inline"], _TAGS["empty"]
_VOID, _DROPPED = _TAGS["void"], _TAGS["dropped"]
_ATTRIBUTES = {"colspan": re.compile(r"\d{1,3}"), "rowspan": re.compile(r"\d{1,3}"),
               "xmlns": re.compile(r"http://www\.w3\.org/1999/xhtml")}  # fmt: skip
_TOKEN = re.compile(r"\w+|\W")
# Beyond this the places of inline tags in changed text are not looked for.
_MOST_TOKENS = 5_000


@dataclass(slots=True)
class _Text:
    """A stretch of text between two tags."""

    text: str = field(repr=False)


class _Reader:
    """Tags as they are to be written, and texts between them; `sound` tells that every tag was closed."""

    def __init__(self) -> None:
        self.events: list[str | _Text] = []
        self.sound = True
        self._open: list[str] = []
        self._dropping = 0

    def read(self, text: str) -> None:
        for token in cut_html(text):
            if token.kind == "start":
                (self._start_and_end if token.closed else self._start)(token.text, token.attributes)
            elif token.kind == "end":
                self._end(token.text)
            elif token.kind == "text":
                self._text(token.text)
        self._finish()

    def _start(self, tag: str, attrs: Sequence[tuple[str, str]]) -> None:
        if tag in _EMPTY:
            self._empty(tag, attrs)
        elif tag not in _VOID:
            self._open.append(tag)
            self._dropping += tag in _DROPPED
            self._tag(tag, attrs, ">")

    def _start_and_end(self, tag: str, attrs: Sequence[tuple[str, str]]) -> None:
        if tag in _EMPTY:
            self._empty(tag, attrs)
        elif tag not in _DROPPED | _VOID and tag in _BLOCKS:
            self._tag(tag, attrs, ">")
            self._close(tag)

    def _end(self, tag: str) -> None:
        if tag in _EMPTY or tag in _VOID:
            return
        if tag not in self._open:
            self.sound = False
            return
        self.sound &= self._open[-1] == tag
        while self._open:
            last = self._open.pop()
            self._close(last)
            self._dropping -= last in _DROPPED
            if last == tag:
                return

    def _text(self, data: str) -> None:
        if self._dropping:
            return
        if self.events and isinstance(self.events[-1], _Text):
            self.events[-1].text += data
        else:
            self.events.append(_Text(data))

    def _finish(self) -> None:
        self.sound &= not self._open
        while self._open:
            last = self._open.pop()
            self._close(last)
            self._dropping -= last in _DROPPED

    def _empty(self, tag: str, attrs: Sequence[tuple[str, str]]) -> None:
        self._tag(tag, attrs, "/>")

    def _tag(self, tag: str, attrs: Sequence[tuple[str, str]], end: str) -> None:
        if self._dropping or tag not in _BLOCKS | _INLINE:
            return
        kept = [
            f' {name}="{value}"'
            for name, value in attrs
            if name in _ATTRIBUTES and _ATTRIBUTES[name].fullmatch(value)
        ]
        self.events.append(f"<{tag}{''.join(kept)}{end}")

    def _close(self, tag: str) -> None:
        if not self._dropping and tag in _BLOCKS | _INLINE:
            self.events.append(f"</{tag}>")


@dataclass(slots=True)
class Markup:
    """Marked-up text taken apart."""

    events: list[str | _Text] = field(repr=False)

    def slots(self) -> Iterator[Slot]:
        """A piece for each block."""
        block: list[_Text] = []
        for event in [*self.events, "</div>"]:
            if isinstance(event, _Text):
                block.append(event)
            elif _name_of(event) in _BLOCKS and block:
                if any(each.text.strip() for each in block):
                    yield Slot(Piece("".join(each.text for each in block)), _filling(block))
                block = []

    def written(self) -> str:
        return "".join(
            event if isinstance(event, str) else escape(event.text, quote=False) for event in self.events
        )


def read_markup(text: str, whole: bool) -> Markup | None:
    """Marked-up text; None where it ends inside a tag, or crosses its tags and `whole` asks for better."""
    reader = _Reader()
    try:
        reader.read(text)
    except Refused:
        return None
    return Markup(reader.events) if reader.sound or not whole else None


def _name_of(tag: str) -> str:
    return re.split(r"[\s/>]", tag.lstrip("</"), maxsplit=1)[0]


def _filling(block: list[_Text]) -> Callable[[str], None]:
    def put(new: str) -> None:
        old = "".join(each.text for each in block)
        if new == old:
            return
        start, end = 0, 0
        for each, edge in zip(block, _moved_edges(old, new, block), strict=True):
            end = max(start, edge)
            each.text, start = new[start:end], end

    return put


def _moved_edges(old: str, new: str, block: list[_Text]) -> list[int]:
    """Where each stretch of the old text ends in the new one; all that is changed stays in one stretch."""
    edges: list[int] = []
    place = 0
    for each in block:
        place += len(each.text)
        edges.append(place)
    olds, news = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(block) == 1 or max(len(olds), len(news)) > _MOST_TOKENS:
        return [len(new)] * len(edges)
    same = _same(olds, news)
    return [*(_move(edge, same) for edge in edges[:-1]), len(new)]


def _same(olds: list[str], news: list[str]) -> list[tuple[int, int, int]]:
    """Stretches that both texts have, as characters: where in the old, where in the new, how long."""
    old_at, new_at = _starts(olds), _starts(news)
    matcher = SequenceMatcher(None, olds, news)
    return [
        (old_at[a], new_at[b], old_at[a + size] - old_at[a]) for a, b, size in matcher.get_matching_blocks()
    ]


def _starts(tokens: list[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def _move(edge: int, same: list[tuple[int, int, int]]) -> int:
    for old, new, size in same:
        if edge <= old + size:
            return new + max(0, edge - old)
    return same[-1][1]
