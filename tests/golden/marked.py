"""Marked text in, plain text and its spans out: `seen [[3/14|DATE]]`."""

from __future__ import annotations

import re

_MARK = re.compile(r"\[\[(.+?)\|([A-Z-]+)\]\]", re.DOTALL)
Marks = tuple[tuple[int, int, str], ...]


def read_marks(marked: str) -> tuple[str, Marks]:
    """The text without marks, and start, end and label of each."""
    text, marks, place = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[place : match.start()]
        marks.append((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        place = match.end()
    return text + marked[place:], tuple(marks)


def write_marks(text: str, marks: Marks) -> str:
    """The marked text again."""
    for start, end, label in sorted(marks, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}|{label}]]{text[end:]}"
    return text
