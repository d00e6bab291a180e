"""What a container knows of its pieces: typed fields are found as they are, and no span leaves its piece."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from deidlab.carriers import KEY, split_label
from deidlab.types import Document, Span

SOURCE = "field"
_SHORTEST = 4
_LONG_NUMBER = 6
_ECHOED = frozenset({"PATIENT", "DOCTOR"})


def typed_fields(document: Document) -> list[Span]:
    """The spans of all fields of which the container says what they hold."""
    if document.container is None:
        return []
    return [
        Span(each.start, each.end, each.label, 1.0, SOURCE)
        for each in document.container.regions
        if each.label and each.end > each.start
    ]


def has_text(document: Document) -> bool:
    """Whether there is anything to search: a row of a table may have typed fields alone."""
    return document.container is None or any(not each.label for each in document.container.regions)


def find_repeated(document: Document, fields: Iterable[Span]) -> list[Span]:
    """Where what stands in a field stands in a text of the same container, too: under the field's label.

    Names are echoed by parts elsewhere; here it is numbers, addresses and the like, letter for letter.
    """
    labels: dict[str, str] = {}
    for field in fields:
        value = document.text[field.start : field.end].strip()
        plain, kind, _ = split_label(field.label)
        is_key = plain == KEY
        if kind and value.isdecimal() and len(value) < _LONG_NUMBER:
            continue  # a row's number, or an age: other figures look like it
        if sum(map(str.isalnum, value)) < _SHORTEST or field.label in _ECHOED:
            continue
        if document.text.count(value) > 1:  # else it stands in its field alone
            labels.setdefault(value, field.label if is_key else plain)
    if not labels:
        return []
    longest_first = sorted(labels, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return [
        Span(match.start(), match.end(), labels[match[0]], 1.0, SOURCE)
        for match in pattern.finditer(document.text)
    ]


def beside_fields(spans: Sequence[Span], fields: Sequence[Span]) -> list[Span]:
    """The spans without those that lie in a typed field: whatever they say, the field is what it is."""
    if not fields:
        return list(spans)
    ordered = sorted((field.start, field.end) for field in fields)
    starts = [start for start, _ in ordered]

    def is_inside(span: Span) -> bool:
        index = bisect_right(starts, span.start) - 1
        return index >= 0 and span.end <= ordered[index][1]

    return [span for span in spans if not is_inside(span)]


def keep_in_place(spans: Iterable[Span], document: Document) -> tuple[Span, ...]:
    """The typed fields whole, and of other spans what lies in text, cut where a piece ends."""
    if document.container is None:
        return tuple(spans)
    free = [each for each in document.container.regions if not each.label]
    ends = [each.end for each in free]
    kept = typed_fields(document)
    for span in spans:
        for each in free[bisect_right(ends, span.start) :]:
            if each.start >= span.end:
                break
            start, end = max(span.start, each.start), min(span.end, each.end)
            kept.append(Span(start, end, span.label, span.score, span.source))
    return tuple(sorted(kept, key=lambda each: (each.start, each.end)))
