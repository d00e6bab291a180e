"""ASQ-PHI: queries in one text file, each followed by its PHI as one JSON object a line, without offsets.

    ===QUERY===
    … the text, one or more lines …
    ===PHI_TAGS===
    {"identifier_type": "NAME", "value": "…"}

A value stands for every place where it occurs as whole words; where it occurs nowhere so, as a part of words;
else without regard to case. Values that do not occur at all are counted. A block with no tags holds no PHI.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deidlab.corpus.files import read_text
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError

QUERY, TAGS = "===QUERY===", "===PHI_TAGS==="
ABSENT = "values that do not occur in their text"


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    lines = read_text(path, settings.encoding).splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.strip() == QUERY]
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        raise CorpusError(f"{path}: does not begin with {QUERY}")
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True), 1):
        yield _read_block(path, number, start + 1, lines[start + 1 : end])


def _read_block(path: Path, number: int, first: int, lines: list[str]) -> RawDocument | BadDocument:
    name = f"{path.name.removesuffix('.txt').removesuffix('.asq-phi')}-{number}"
    cut = next((place for place, line in enumerate(lines) if line.strip() == TAGS), None)
    if cut is None:
        return BadDocument(path, f"query {number} has no {TAGS}", name)
    text = "".join(lines[:cut]).strip("\r\n")
    values: list[tuple[str, str]] = []
    for place, line in enumerate(lines[cut + 1 :], first + cut + 2):
        if line.strip():
            value = _read_tag(line)
            if value is None:
                return BadDocument(path, f"line {place} is not a tag with a type and a value", name)
            values.append(value)
    skipped: Counter[str] = Counter()
    annotations = tuple(_find_all(text, values, skipped))
    return RawDocument(path, name, text, annotations, skipped=skipped, named_by_file=True)


def _read_tag(line: str) -> tuple[str, str] | None:
    try:
        table = json.loads(line)
        label, value = table["identifier_type"], table["value"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    good = isinstance(label, str) and isinstance(value, str) and label and value.strip()
    return (label, value.strip()) if good else None


def _find_all(text: str, values: list[tuple[str, str]], skipped: Counter[str]) -> Iterator[Annotation]:
    """Longer values first: what stands inside a longer one of the same type is part of that."""
    taken: dict[str, list[tuple[int, int]]] = {}
    for label, value in sorted(dict.fromkeys(values), key=lambda pair: (-len(pair[1]), pair)):
        places = find_value(text, value)
        skipped[ABSENT] += not places
        own = taken.setdefault(label, [])
        for start, end in places:
            if not any(before <= start and end <= after for before, after in own):
                own.append((start, end))
                yield Annotation(start, end, label)


def find_value(text: str, value: str) -> list[tuple[int, int]]:
    """Every place of a value, in the first of the three ways that finds one."""
    plain = re.escape(value)
    for pattern, flags in ((rf"(?<!\w){plain}(?!\w)", 0), (plain, 0), (plain, re.IGNORECASE)):
        if found := [match.span() for match in re.finditer(pattern, text, flags)]:
            return found
    return []


def begins(head: bytes) -> bool:
    return head.startswith(QUERY.encode())


# Its files end in .txt, as everybody's do: `--from asq-phi` says that one is of this format.
FORMAT = register(Format(name="asq-phi", suffixes=(".asq-phi.txt",), read=read, begins=begins))
