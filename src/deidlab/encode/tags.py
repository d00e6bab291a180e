"""Spans in, BIO tags out, and the mirror.

Where spans overlap, the longest stays; of equals, the one that starts first, then the one whose label
comes first in the alphabet. What gives way, or has a label or tag outside the set, is a `Misfit`: kept,
counted and shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from deidlab.encode.words import find_words, fit_words
from deidlab.labels import OUTSIDE, LabelSet, split_tag
from deidlab.types import Document, Misfit, Span, TaggedDocument, Word

OVERLAP = "overlaps a longer span"
SAME_LENGTH_OVERLAP = "overlaps a span of the same length"
SCHEMES = {
    "BIO": frozenset("BI"),
    "IO": frozenset("I"),
    "BIOES": frozenset("BIES"),
    "BILOU": frozenset("BILU"),
}
"""The prefixes of the tags of each scheme, beside O."""
_GOES_ON, _ENDS = frozenset("IEL"), frozenset("ELSU")


def spans_to_tags(document: Document, labels: LabelSet | None = None, style: str = "runs") -> TaggedDocument:
    """The document as words and tags; without a label set every label is taken."""
    fitting, misfits = resolve_overlaps(document.spans)
    words, runs = fit_words(find_words(document.text, style), ((span.start, span.end) for span in fitting))
    tags = [OUTSIDE] * len(words)
    known = None if labels is None else frozenset(labels.tags)
    for span, (first, end) in zip(fitting, runs, strict=True):
        begin, inside = f"B-{span.label}", f"I-{span.label}"
        lacking = None if known is None else _lacking_tag(known, begin, inside, end - first)
        if lacking:
            misfits.append(Misfit(span, f"the label set has no {lacking}"))
            continue
        tags[first] = begin
        tags[first + 1 : end] = [inside] * (end - first - 1)
    return TaggedDocument(document.id, tuple(words), tuple(tags), tuple(misfits))


def _lacking_tag(known: frozenset[str], begin: str, inside: str, n_words: int) -> str | None:
    if begin not in known:
        return begin
    if n_words > 1 and inside not in known:
        return inside
    return None


def tags_to_spans(words: Sequence[Word], tags: Sequence[str], source: str = "") -> tuple[Span, ...]:
    """The spans that BIO, BIOES or BILOU tags spell; an I that continues nothing begins a span of its own."""
    spans: list[Span] = []
    start, end, label = 0, 0, ""
    for (word_start, word_end), tag in zip(words, tags, strict=True):
        if tag == OUTSIDE:
            if label:
                spans.append(Span(start, end, label, source=source))
                label = ""
            continue
        prefix, tag_label = split_tag(tag)
        if prefix in _GOES_ON and tag_label == label:
            end = word_end
        else:
            if label:
                spans.append(Span(start, end, label, source=source))
            start, end, label = word_start, word_end, tag_label
        if prefix in _ENDS:
            spans.append(Span(start, end, label, source=source))
            label = ""
    if label:
        spans.append(Span(start, end, label, source=source))
    return tuple(spans)


def resolve_overlaps(spans: Iterable[Span]) -> tuple[list[Span], list[Misfit]]:
    """Spans that do not overlap, in order, and those that gave way, by the rule above."""
    ordered = list(spans)
    if all(left.end <= right.start for left, right in pairwise(ordered)):
        return ordered, []
    kept: list[Span] = []
    misfits: list[Misfit] = []
    for span in sorted(ordered, key=lambda s: (s.start - s.end, s.start, s.label)):
        # What is kept never overlaps, so only the neighbours can be in the way.
        place = bisect_right(kept, span.start, key=lambda k: k.start)
        rivals = [k for k in kept[max(place - 1, 0) : place + 1] if k.start < span.end and span.start < k.end]
        if not rivals:
            kept.insert(place, span)
            continue
        longer = max(rival.end - rival.start for rival in rivals) > span.end - span.start
        misfits.append(Misfit(span, OVERLAP if longer else SAME_LENGTH_OVERLAP))
    misfits.sort(key=lambda m: (m.span.start, m.span.end, m.span.label))
    return kept, misfits


def spell_spans(tags: Sequence[str]) -> bool:
    """Whether tags are O and those of one scheme, each with a label; others would spell no span."""
    if len(set(tags)) != len(tags) or OUTSIDE not in tags:
        return False
    parts = [split_tag(tag) for tag in tags if tag != OUTSIDE]
    prefixes = {prefix for prefix, _ in parts}
    return (
        bool(parts) and all(label for _, label in parts) and any(prefixes <= own for own in SCHEMES.values())
    )
