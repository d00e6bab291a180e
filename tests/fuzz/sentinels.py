"""Sentinels: a word for each field, known again wherever it turns up.

A word has two halves that are looked for apart, so that half a name counts as a leak. Words are drawn from the
case's number alone. Data is folded before it is searched: case, width, and characters that nobody sees.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from random import Random

_LETTERS = "abcdefghiklmnoprstuw"
_HALF = re.compile(r"(?:zq|xv)[a-z]{6}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_UNSEEN = dict.fromkeys(n for n in range(sys.maxunicode) if unicodedata.category(chr(n)) == "Cf")
_LINE_HYPHEN = re.compile(r"[-\u2010]\r?\n[ \t]*")


class Sentinels:
    """The words of one case, each with the kind of field that it stands in."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self.kinds: dict[str, str] = {}

    def plant(self, kind: str) -> str:
        """A new word of that kind, written like a name."""
        halves = ["zq" + self._letters(), "xv" + self._letters()]
        for half in halves:
            self.kinds[half] = kind
        return "".join(halves).capitalize()

    def adopt(self, word: str, kind: str) -> str:
        """A word that another set has made, known here as of that kind."""
        for half in _HALF.findall(word.lower()):
            self.kinds[half] = kind
        return word

    def found_in(self, data: bytes | str) -> set[str]:
        """The kinds of the words of which a half stands in the data."""
        return {self.kinds[half] for half in _halves(data) if half in self.kinds}

    def _letters(self) -> str:
        return "".join(self._random.choices(_LETTERS, k=6))


def _halves(data: bytes | str) -> Iterator[str]:
    text = data if isinstance(data, str) else _decode(data)
    yield from _HALF.findall(text.lower())
    if not text.isascii() or "\\" in text or "-" in text:
        yield from _HALF.findall(_fold(text))


def _decode(data: bytes) -> str:
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    return data.decode("utf-16" if wide else "utf-8", "ignore")


def _fold(text: str) -> str:
    text = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    return unicodedata.normalize("NFKC", _LINE_HYPHEN.sub("", text.translate(_UNSEEN))).lower()
