"""Columns that are kept as they are in, what their first values look like out: counts, and never a value.

A kept column stands beside masked text. Dates in it undo the shift of those in the text, and names undo more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from deidlab.banks import known_name
from deidlab.pipeline.io.notes import Note

SAMPLE = 200

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic)[a-z]*"
_DATE = re.compile(
    r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}([/.-])\d{1,2}\1\d{2,4}"
    rf"|(?:\d{{1,2}}\.? (?:de )?)?{_MONTH}\.?,? (?:de )?\d{{1,4}}(?:, \d{{4}})?)(?:\D.*)?"
    r"|(?:19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[^@]+@[^@.]+\.[^@]+")
_DIALLED = re.compile(r"[+\d().\s/-]+")
_NAME = re.compile(r"[^\W\d_][^\d_!?;:/\\()\[\]]*")
_TITLE = re.compile(r"(?:dr|dra|mr|mrs|ms|prof|sr|sra|don|doña)\b\.?\s", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LONG_NUMBER, _LONG_TEXT, _LONGEST = 6, 8, 80


def look_at_columns(columns: tuple[str, ...], notes: Iterable[Note]) -> list[str]:
    """A warning for each column whose first values look like what is masked in text."""
    kinds: dict[str, Counter[str]] = {column: Counter() for column in columns}
    seen: Counter[str] = Counter()
    any_note = False
    for note in notes:
        if note.document is None:
            continue
        any_note = True
        for column in columns:
            value = note.document.meta.get(column)
            if value not in (None, ""):
                seen[column] += 1
                kinds[column].update(kind_of(value))
    warnings = []
    for column in columns:
        found = ", ".join(f"{n} look like {kind}" for kind, n in kinds[column].most_common())
        if found:
            warnings.append(
                f"column '{column}' is kept as it is, beside masked text: of its first {seen[column]} values "
                f"{found}"
            )
        elif any_note and not seen[column]:
            warnings.append(f"column '{column}' (--keep-column) is empty in the first notes")
    return warnings


def kind_of(value: Any) -> tuple[str, ...]:
    """What a value looks like, where it is of a kind that is masked."""
    if isinstance(value, list | dict):
        parts = value.values() if isinstance(value, dict) else value
        return tuple(sorted({kind for part in parts for kind in kind_of(part)}))
    if isinstance(value, bool | float):
        return ()
    text = str(value).strip()
    if len(text) > _LONGEST or text.count(" ") >= _LONG_TEXT:
        return ("text",)
    if _DATE.fullmatch(text):
        return ("dates",)
    if any(_EMAIL.fullmatch(word) for word in text.split()):
        return ("e-mail addresses",)
    digits = sum(char.isdigit() for char in text)
    if digits >= _LONG_NUMBER and not re.fullmatch(r"-?\d*[.,]\d+", text):
        is_dialled = _DIALLED.fullmatch(text) and not text.isdigit()
        return ("telephone numbers",) if is_dialled else ("long numbers",)
    return ("names of people",) if _is_name(text) else ()


def _is_name(text: str) -> bool:
    """A title and a name, or few words with capitals of which one is a name that people have."""
    words = _WORDS.findall(text)
    if not words or len(words) > 5 or not _NAME.fullmatch(text):
        return False
    if _TITLE.match(text):
        return len(words) > 1
    known = [known_name(word) for word in words]
    # Alone, a family name is as likely a town or a ward.
    is_known = any(any(each) for each in known) if len(words) > 1 else bool(known[0][1])
    return is_known and all(word[0].isupper() for word in words)
