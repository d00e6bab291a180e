"""Site dictionaries: terms to hide wherever they stand (deny), and terms to leave alone (allow).

A file has one term a line, `#` starts a comment; a deny term may be followed by a tab and its label.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path

from deidlab.errors import ConfigError
from deidlab.inputfile import read_input
from deidlab.labels import load_label_set
from deidlab.rules.folding import Terms, fold_term
from deidlab.rules.readings import find_in_readings
from deidlab.types import Span

ALLOW, DENY, DEFAULT_LABEL = "allow", "deny", "OTHER"


def read_terms(path: Path | str) -> frozenset[str]:
    """The terms of a dictionary file."""
    try:
        lines = read_input(Path(path)).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a text file in UTF-8") from None
    return frozenset(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))


@functools.lru_cache(maxsize=8)
def _terms(terms: frozenset[str]) -> tuple[Terms, dict[str, str]]:
    known = load_label_set("i2b2-2014")
    labels: dict[str, str] = {}
    for number, line in enumerate(sorted(terms), 1):
        term, _, label = line.partition("\t")
        label = label.strip() or DEFAULT_LABEL
        if label not in known:
            raise ConfigError(f"dictionary: term {number} in order has a label that i2b2-2014 does not know")
        if fold_term(term):
            labels[fold_term(term)] = label
    return Terms(labels, loose=True), labels


def check_terms(terms: frozenset[str]) -> None:
    """Raises where a term's label is unknown."""
    _terms(terms)


def find_denied(text: str, terms: frozenset[str]) -> list[Span]:
    """Every occurrence of a denied term, as a whole word, in any case, accents aside."""
    if not terms:
        return []
    finder, labels = _terms(terms)
    return find_in_readings(
        text,
        lambda plain: [Span(start, end, labels[term], 1.0, DENY) for start, end, term in finder.find(plain)],
    )


def find_allowed(text: str, terms: frozenset[str]) -> list[tuple[int, int]]:
    """Where allowed terms stand, in order; none lies inside another."""
    if not terms:
        return []
    finder = _terms(terms)[0]
    found = find_in_readings(
        text, lambda plain: [Span(start, end, ALLOW) for start, end, _ in finder.find(plain)]
    )
    stretches: list[tuple[int, int]] = []
    for start, minus_end in sorted({(span.start, -span.end) for span in found}):
        if not stretches or -minus_end > stretches[-1][1]:
            stretches.append((start, -minus_end))
    return stretches


def outside(spans: Iterable[Span], stretches: list[tuple[int, int]]) -> list[Span]:
    """The spans that lie inside none of the stretches (in order, none inside another)."""
    if not stretches:
        return list(spans)
    kept = []
    for span in spans:
        index = bisect_left(stretches, (span.start + 1,)) - 1
        if index < 0 or stretches[index][1] < span.end:
            kept.append(span)
    return kept


def covered(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """The stretches that the spans cover together, in order and disjoint."""
    stretches: list[tuple[int, int]] = []
    for start, end in sorted((span.start, span.end) for span in spans):
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return stretches


def overlaps(span: Span, stretches: Sequence[tuple[int, int]]) -> bool:
    """Whether a span has text in common with any of the stretches (in order, disjoint)."""
    index = bisect_left(stretches, (span.end,)) - 1
    return index >= 0 and stretches[index][1] > span.start
