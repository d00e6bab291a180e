"""A text in, the ways to read it out: for people two texts may look alike that differ in every character.

Letters and digits in another form (full width, ligatures, accents written apart) become plain ones. Format
and control characters, which nobody sees, are read in two ways: as something between two words, and as
nothing; a hyphen at the end of a line likewise. Each reading knows where its characters stand in the text, so
that what is found in it is a stretch of the text with all that is hidden inside. Nearly every text has one
reading: itself.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from deidlab.types import Span

# All of Unicode's categories Cc (but tab and line ends) and Cf, and what else is drawn as nothing.
_HIDDEN_CODES = (
    (0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F),
    (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2),
    (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E),
    (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
HIDDEN = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _HIDDEN_CODES)
# Letters, digits, marks and blanks in another form, but no sign with a meaning of its own (º, ½, ², №).
OTHER_FORMS = (
    "\xa0\u0132\u0133\u013f\u0140\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3\u2000-\u200a\u202f\u205f\u2102\u210a-\u2113"
    "\u2115\u2119-\u211d\u2124\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u24b6-\u24e9\u3000"
    "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f149\U0001fbf0-\U0001fbf9"
)
_MARKS = "\u0300-\u036f"
_MARK = re.compile(f"[{_MARKS}]")
_ODD = re.compile(f"[{HIDDEN}{OTHER_FORMS}{_MARKS}]")
_ODD_ASCII = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]")
_BROKEN = re.compile("[-\u2010\u2011][ \t]{0,8}\r?\n")
_OTHER_FORM = re.compile(f"[{OTHER_FORMS}]")
_ACCENTED = re.compile(f"([^\\W\\d_])[{_MARKS}]+")
# Those that are white space (a page break) end a word as they are.
_CONTROL = re.compile("[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f]")
_SOFT_BREAK = re.compile(f"\xad(?=[{HIDDEN} \t]{{0,8}}\r?\n)")
# One blank is enough where something hidden stood between two.
_HIDDEN_RUN = re.compile(f" ?[{HIDDEN}][{HIDDEN} ]*")
_LINE_END = re.compile("(?<=[^\\W_])[-\u2010\u2011][ \t]{0,8}\r?\n[ \t]{0,8}(?=[^\\W_])")

Find = Callable[[str], Iterable[Span]]
WordScore = tuple[int, int, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text to match against; `starts` and `ends` give the stretch of the original behind each character.

    Without them it is the original itself. `lines_only` tells that only lines were joined.
    """

    text: str = field(repr=False)
    starts: Sequence[int] | None = field(default=None, repr=False)
    ends: Sequence[int] = field(default=(), repr=False)
    lines_only: bool = False

    def back(self, spans: Iterable[Span]) -> list[Span]:
        """Spans of this reading as spans of the original."""
        if self.starts is None:
            return list(spans)
        return [
            Span(self.starts[span.start], self.ends[span.end - 1], span.label, span.score, span.source)
            for span in spans
        ]

    def back_words(self, words: Iterable[WordScore]) -> list[WordScore]:
        """The same for words with a score."""
        if self.starts is None:
            return list(words)
        return [(self.starts[start], self.ends[end - 1], score) for start, end, score in words]

    def forth(self, spans: Iterable[Span]) -> list[Span]:
        """Spans of the original as spans of this reading; those that hold nothing visible are left out."""
        if self.starts is None:
            return list(spans)
        moved = []
        for span in spans:
            start, end = bisect_right(self.ends, span.start), bisect_left(self.starts, span.end)
            if start < end:
                moved.append(Span(start, end, span.label, span.score, span.source))
        return moved


@functools.lru_cache(maxsize=2)
def readings(text: str) -> tuple[Reading, ...]:
    """The text with what is hidden left as it stands, and, where that is another, with it taken out."""
    odd = _ODD_ASCII.search(text) if text.isascii() else _ODD.search("".join(set(text)))
    if odd is None and not _BROKEN.search(text):
        return (Reading(text),)
    plain = Reading(text, range(len(text)), range(1, len(text) + 1), lines_only=odd is None)
    if odd is None:
        # Nothing but a hyphen at the end of a line.
        joined = _edit(plain, _LINE_END, _join_line)
        return (Reading(text),) if joined.text == text else (Reading(text), joined)
    plain = _edit(plain, _OTHER_FORM, lambda match: unicodedata.normalize("NFKC", match[0]))
    apart = _edit(_compose_accents(plain), _CONTROL, lambda match: " ")
    joined = _edit(_edit(plain, _SOFT_BREAK, lambda match: "-"), _HIDDEN_RUN, _close)
    joined = _edit(_compose_accents(joined), _LINE_END, _join_line)
    first = Reading(text) if apart.text == text else apart
    return (first,) if joined.text == apart.text else (first, joined)


def is_plain(text: str) -> bool:
    """Whether the text is its own reading, lines that may be joined aside."""
    return all(way.starts is None or way.lines_only for way in readings(text))


def find_in_readings(text: str, find: Find) -> list[Span]:
    """What `find` finds in any reading of the text, as spans of the text itself."""
    first, *others = readings(text)
    found = first.back(find(first.text))
    if not others:
        return found
    return list(dict.fromkeys((*found, *(span for way in others for span in way.back(find(way.text))))))


def hidden_codes() -> set[int]:
    """The code points of all characters that nobody sees."""
    return {code for first, last in _HIDDEN_CODES for code in range(first, last + 1)}


def plain_form(term: str) -> str:
    """A listed term as the last of its readings has it."""
    return readings(term)[-1].text


def _edit(way: Reading, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Reading:
    """The reading with every match replaced; what replaces it stands for all of it."""
    assert way.starts is not None
    texts, starts, ends, done = list[str](), list[int](), list[int](), 0
    for match in pattern.finditer(way.text):
        begin, stop = match.span()
        fresh = new(match)
        texts += (way.text[done:begin], fresh)
        starts += way.starts[done:begin]
        ends += way.ends[done:begin]
        if len(fresh) == stop - begin:
            starts += way.starts[begin:stop]
            ends += way.ends[begin:stop]
        else:
            starts += [way.starts[begin]] * len(fresh)
            ends += [way.ends[stop - 1]] * len(fresh)
        done = stop
    if not done:
        return way
    texts.append(way.text[done:])
    starts += way.starts[done:]
    ends += way.ends[done:]
    return Reading("".join(texts), starts, ends, way.lines_only)


def _compose_accents(way: Reading) -> Reading:
    # To look for marks alone is much faster than to look for letters with marks.
    return _edit(way, _ACCENTED, _compose) if _MARK.search(way.text) else way


def _compose(match: re.Match[str]) -> str:
    """A letter with its accents as one character, without those that it cannot hold."""
    return unicodedata.normalize("NFC", match[0])[0]


def _close(match: re.Match[str]) -> str:
    return " " if " " in match[0] else ""


def _join_line(match: re.Match[str]) -> str:
    """The hyphen of a word goes with the line end; that of a number is part of how it is written."""
    text, (begin, end) = match.string, match.span()
    return "" if text[begin - 1].isalpha() and text[end].isalpha() else "-"
