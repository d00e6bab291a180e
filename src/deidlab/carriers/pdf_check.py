"""What was written is read again by another program before it is released: what was masked must be gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pikepdf
import pypdfium2

from deidlab.carriers.carrier import Refused
from deidlab.carriers.pdf_standard import PDFIUM

_WORD = re.compile(r"\w+|[^\w\s]")
_LONG = 6
_MOST_UNSEEN = 0.03


def read_again(content: bytes) -> list[str]:
    """The text of each page as pdfium reads it."""
    with PDFIUM:
        try:
            document = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError:
            raise Refused("another program cannot open it") from None
        try:
            return [_text_of(document[number]) for number in range(len(document))]
        except pypdfium2.PdfiumError:
            raise Refused("another program cannot read it") from None
        finally:
            document.close()


def _text_of(page: Any) -> str:
    text = page.get_textpage()
    try:
        return str(text.get_text_range())
    finally:
        text.close()
        page.close()


def check_alike(ours: Sequence[str], theirs: Sequence[str]) -> None:
    """Refuse a file of which another program reads letters that we do not see."""
    if len(ours) != len(theirs):
        raise Refused("two programs do not see the same pages in it")
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        unseen = _letters(other) - _letters(one)
        if unseen.total() > max(3, _MOST_UNSEEN * len(other)):
            raise Refused(f"page {number}: two programs read its text differently, so that it cannot be told")


def _letters(text: str) -> Counter[str]:
    return Counter(each for each in text.casefold() if each.isascii() and each.isalnum())


def check_gone(masked: Iterable[str], expected: Sequence[str], content: bytes, new: pikepdf.Pdf) -> None:
    """Refuse a file in which something that was masked can be read more often than was let stand."""
    seen, wanted = " ".join(read_again(content)), " ".join(expected)
    words = [f" {' '.join(_WORD.findall(text.casefold()))} " for text in (seen, wanted)]
    bare = ["".join(text.casefold().split()) for text in (seen, wanted)]
    data = _all_bytes(new)
    for each in sorted(set(masked)):
        parts = _WORD.findall(each.casefold())
        short, whole = f" {' '.join(parts)} ", "".join(parts)
        is_long = sum(map(str.isalnum, whole)) >= _LONG
        there = parts and words[0].count(short) > words[1].count(short)
        there = there or (is_long and bare[0].count(whole) > bare[1].count(whole))
        plain = each.strip().encode("utf-8", "replace")
        there = there or (is_long and (plain in data or each.strip().encode("utf-16-be", "replace") in data))
        if there:
            raise Refused("what was masked could still be read in what was written; nothing is released")


def _all_bytes(pdf: pikepdf.Pdf) -> bytes:
    """All that stands in the file, unpacked: streams, strings and names."""
    parts: list[bytes] = []
    for each in pdf.objects:
        if isinstance(each, pikepdf.Stream):
            parts.append(each.read_bytes())
            parts.append(each.stream_dict.unparse())
        else:
            parts.append(each.unparse())
    return b"\n".join(parts)
