"""Gold notes and the files of a run in, where originals can still be read out: by file and label, without a
word.

Every file below the output is searched, and the run's own record beside it, whatever it is: what is a zip
(a letter, a spreadsheet) is opened. Looked for are the texts of gold spans and each longer word of a name,
whole and whatever their case; what the source also has outside its gold is no trace of anybody. A surrogate
may by chance be somebody's real name: what is found is to be looked at, and nothing found is no proof.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import ahocorasick_rs

from deidlab.labels import is_shipped_label, usual_group
from deidlab.types import Document, Span

_NAMES, _OTHER = "NAME", "OTHER"
_FEWEST = 4
_WORD = re.compile(r"[^\W\d_]{4,}")
# A zip may unpack to anything; what is larger is left out and counted.
_MOST_BYTES = 256 * 1024 * 1024


def search_files(
    golds: Callable[[], Iterable[Document]], places: Iterable[Path], left_by_policy: Collection[str]
) -> dict[str, Any]:
    """`golds` gives the notes anew each time it is called."""
    wanted = _collect(golds(), left_by_policy)
    _drop_common(wanted, golds(), left_by_policy)
    terms = list(wanted)
    finder = ahocorasick_rs.AhoCorasick(terms) if terms else None
    found: list[dict[str, Any]] = []
    n_files = n_unread = 0
    for path, root in _files(places):
        n_files += 1
        text = _read(path)
        if text is None:
            n_unread += 1
            continue
        counts: Counter[str] = Counter()
        for term in _matches(finder, terms, text):
            # A label of people's own may be a word of the notes.
            counts[wanted[term] if is_shipped_label(wanted[term]) else _OTHER] += 1
        name = path.name if path == root else str(path.relative_to(root.parent))
        found += [{"file": name, "label": label, "n": n} for label, n in sorted(counts.items())]
    return {
        "files": n_files, "unread": n_unread, "originals": len(terms),
        "found": sum(row["n"] for row in found), "places": found,
    }  # fmt: skip


def _collect(golds: Iterable[Document], left_by_policy: Collection[str]) -> dict[str, str]:
    """What to look for, and its label."""
    wanted: dict[str, str] = {}
    for gold in golds:
        for span in gold.spans:
            if span.label in left_by_policy:
                continue
            said = gold.text[span.start : span.end].strip().lower()
            if sum(map(str.isalnum, said)) >= _FEWEST:
                wanted.setdefault(said, span.label)
            if usual_group(span.label) == _NAMES:
                wanted |= {word: span.label for word in _WORD.findall(said) if word not in wanted}
    return wanted


def _drop_common(wanted: dict[str, str], golds: Iterable[Document], left_by_policy: Collection[str]) -> None:
    """Leave out what the source has outside the spans that were to be masked."""
    for gold in golds:
        if not wanted:
            return
        terms = list(wanted)
        finder = ahocorasick_rs.AhoCorasick(terms)
        spans = [span for span in gold.spans if span.label not in left_by_policy]
        for term in set(_matches(finder, terms, _blank(gold.text, spans))):
            del wanted[term]


def _blank(text: str, spans: Iterable[Span]) -> str:
    characters = list(text)
    for span in spans:
        characters[span.start : span.end] = "\n" * (span.end - span.start)
    return "".join(characters)


def _matches(finder: Any, terms: list[str], text: str) -> Iterator[str]:
    """Every term that stands in the text as a whole."""
    if finder is None:
        return
    lower = text.lower()
    for number, start, end in finder.find_matches_as_indexes(lower, overlapping=True):
        before, after = lower[start - 1 : start], lower[end : end + 1]
        if not (before.isalnum() and lower[start].isalnum()) and not (
            after.isalnum() and lower[end - 1].isalnum()
        ):
            yield terms[number]


def _files(places: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    for place in places:
        if place.is_file():
            yield place, place
        for path in sorted(place.rglob("*")) if place.is_dir() else ():
            if path.is_file() and not path.is_symlink():
                yield path, place


def _read(path: Path) -> str | None:
    """All that can be read in a file, and in its name; None where it is too large or no sound zip."""
    name = re.sub(r"[_.-]", " ", path.name)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                if sum(each.file_size for each in archive.infolist()) > _MOST_BYTES:
                    return None
                parts = [archive.read(each).decode("utf-8", "replace") for each in archive.infolist()]
            return "\n".join((name, *parts))
        if path.stat().st_size > _MOST_BYTES:
            return None
        return f"{name}\n{path.read_bytes().decode('utf-8', 'replace')}"
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return None
