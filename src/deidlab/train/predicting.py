"""Scores of words in, tags and spans out: how a training's own validation decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_greedy, decode_valid
from deidlab.encode.pieced import PiecedCorpus
from deidlab.encode.tags import tags_to_spans
from deidlab.types import Span


def split_by_note(scores: Scores, corpus: PiecedCorpus) -> list[Scores]:
    """The scores of each note's words."""
    edges = np.cumsum([len(words) for words in corpus.words])
    return np.split(scores, edges[:-1]) if len(edges) else []


def choose_tags(
    scores: list[Scores], grammar: TagGrammar, decoding: str, steps: Scores | None = None
) -> list[TagIds]:
    """The tags of each note's words by the run's way of decoding."""
    if decoding == "greedy":
        return decode_greedy(scores)
    return decode_valid(scores, grammar, steps if decoding == "crf" else None)


def tags_to_found(corpus: PiecedCorpus, tags: list[TagIds], names: Sequence[str]) -> list[tuple[Span, ...]]:
    """The spans that each note's tags spell."""
    return [
        tags_to_spans([(start, end) for start, end in words.tolist()], [names[tag] for tag in note.tolist()])
        for words, note in zip(corpus.words, tags, strict=True)
    ]
