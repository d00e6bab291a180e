"""The same measures a second time, one word and one span at a time: slow, plain, and written apart.

Tests hold the scorer against these on random documents.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from deidlab.encode.tags import resolve_overlaps
from deidlab.encode.words import find_words
from deidlab.evaluate.pairing import Pair
from deidlab.types import Document, Span


def words_of(gold: Document, style: str) -> list[tuple[int, int]]:
    edges = {edge for span in gold.spans for edge in (span.start, span.end)}
    words = []
    for start, end in find_words(gold.text, style):
        cuts = [start, *sorted(edge for edge in edges if start < edge < end), end]
        words += list(itertools.pairwise(cuts))
    return words


def label_of(word: tuple[int, int], spans: list[Span]) -> tuple[str | None, bool]:
    """The label with most characters of the word (first in the text among equals), and whether it has all."""
    share: Counter[str] = Counter()
    for place in range(*word):
        for span in spans:
            if span.start <= place < span.end:
                share[span.label] += 1
    if not share:
        return None, False
    most = max(share.values())
    label = next(label for label, n in share.items() if n == most)
    return label, most == word[1] - word[0]


def count_words(pair: Pair, style: str) -> tuple[Counter[tuple[str, str]], int, int]:
    """(label, 'tp' | 'fp' | 'fn') counts, right words and all words."""
    gold, _ = resolve_overlaps(pair.gold.spans)
    system, _ = resolve_overlaps(_once(pair.system.spans))
    counts: Counter[tuple[str, str]] = Counter()
    right = 0
    words = words_of(pair.gold, style)
    for word in words:
        wanted, _ = label_of(word, gold)
        given, whole = label_of(word, system)
        if wanted == given and (whole or given is None):
            right += 1
            if wanted is not None:
                counts[wanted, "tp"] += 1
            continue
        if wanted is not None:
            counts[wanted, "fn"] += 1
        if given is not None:
            counts[given, "fp"] += 1
    return counts, right, len(words)


def count_hidden(pair: Pair, style: str) -> tuple[int, int, int, int, int]:
    """PHI words, leaked words, PHI characters, leaked characters, over-masked words."""
    gold = {place for span in pair.gold.spans for place in range(span.start, span.end)}
    system = {place for span in pair.system.spans for place in range(span.start, span.end)}
    phi = leaked = characters = bare = over = 0
    for start, end in words_of(pair.gold, style):
        places = set(range(start, end))
        if places & gold:
            phi += 1
            leaked += not places <= system
            characters += len(places)
            bare += len(places - system)
        elif places & system:
            over += 1
    return phi, leaked, characters, bare, over


def largest_matching(gold: list[Span], system: list[Span], same: object) -> int:
    """The size of the largest one-to-one matching, by augmenting paths."""
    assert callable(same)
    partner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column, other in enumerate(system):
            if column not in tried and same(gold[row], other):
                tried.add(column)
                if column not in partner or place(partner[column], tried):
                    partner[column] = row
                    return True
        return False

    return sum(place(row, set()) for row in range(len(gold)))


def _once(spans: tuple[Span, ...]) -> list[Span]:
    return list({(span.start, span.end, span.label): span for span in spans}.values())


def once(spans: tuple[Span, ...]) -> list[Span]:
    return _once(spans)


def stretches(spans: tuple[Span, ...]) -> Iterator[Span]:
    """Each start and end once, labels aside."""
    return iter({(span.start, span.end): Span(span.start, span.end, "X") for span in spans}.values())
