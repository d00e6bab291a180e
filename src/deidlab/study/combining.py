"""Several taggers' probabilities in, one answer out, by vote or by their mean; a tagger's spans and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_valid
from deidlab.errors import ConfigError
from deidlab.labels import guess_label_set, known_maps, load_map
from deidlab.types import Document, Span

RULE_LABELS = "i2b2-2014"
# Below every other difference: it decides only where votes are equal.
_LEAST = np.float32(1e-3)


def combine_probabilities(members: Sequence[Sequence[Scores]], grammar: TagGrammar, how: str) -> list[TagIds]:
    """The tags of each note's words from each member's [words, tags] probabilities.

    `mean` takes the best valid run of tags under the mean; `vote` the one that most members' own tags agree
    with, word by word, where the mean decides between equals.
    """
    combined = []
    for notes in zip(*members, strict=True):
        mean = np.mean(np.stack(notes), axis=0)
        if how == "mean":
            combined.append(np.log(np.maximum(mean, 1e-12)).astype(np.float32))
            continue
        votes = np.zeros_like(mean)
        for tags in _own_tags(notes, grammar):
            votes[np.arange(len(tags)), tags] += 1.0
        combined.append((votes + _LEAST * mean).astype(np.float32))
    return decode_valid(combined, grammar)


def _own_tags(notes: Sequence[Scores], grammar: TagGrammar) -> list[TagIds]:
    logs = [np.log(np.maximum(note, 1e-12)).astype(np.float32) for note in notes]
    return decode_valid(logs, grammar)


def find_by_rules(documents: Sequence[Document], labels: Sequence[str]) -> list[tuple[Span, ...]]:
    """What the rules find in each note, in the corpus's own `labels`, the most frequent first.

    Rules speak in i2b2's labels. Where the corpus has others they are mapped; without a map it is an error.
    """
    # Here, since the rules need libraries that a machine which only trains may lack.
    from deidlab.detect.detector import load_detector

    names, known = name_for_rules(labels), frozenset(labels)
    detector = load_detector(rules="only")
    bare = [Document(id=document.id, text=document.text) for document in documents]
    return [
        tuple(
            replace(span, label=name)
            for span in detection.spans
            if (name := names.get(span.label, span.label)) in known
        )
        for detection in detector.detect(bare, with_words=False)
    ]


def add_rules(found: Sequence[Span], by_rules: Sequence[Span]) -> tuple[Span, ...]:
    """What a tagger found, and what the rules found where it found nothing; the tagger's spans stand."""
    free = [span for span in by_rules if not _overlaps(span, found)]
    return tuple(sorted((*found, *free), key=lambda span: (span.start, span.end)))


def name_for_rules(labels: Sequence[str]) -> dict[str, str]:
    """The corpus's label for each of i2b2's; of several that mean the same, the most frequent."""
    scheme = guess_label_set(dict.fromkeys(labels, 1)).name
    if scheme == RULE_LABELS:
        return {}
    if f"{RULE_LABELS}--{scheme}" in known_maps():
        return load_map(f"{RULE_LABELS}--{scheme}")
    if f"{scheme}--{RULE_LABELS}" not in known_maps():
        raise ConfigError(f"the rules cannot speak in this corpus's labels: no map {RULE_LABELS}--{scheme}")
    meant = load_map(f"{scheme}--{RULE_LABELS}")
    names: dict[str, str] = {}
    for label in labels:
        names.setdefault(meant.get(label, ""), label)
    return names


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(other.start < span.end and span.start < other.end for other in others)
