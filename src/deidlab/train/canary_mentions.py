"""The canaries of a tagger: made names and numbers where its notes have such, and how surely they are tagged.

A tagger writes nothing, so it gives a name away only by being surer of it than of others: whoever has the
model can ask it for any name. A canary is a few words of a note around a mention, with a made one in its
place; the other mentions among these words are made up too, so that nobody's are seen more often than before.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain, cycle, islice, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from deidlab.detect.packed.scoring import WordScorer
from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.pieced import Cutting, piece_corpus
from deidlab.encode.tags import resolve_overlaps
from deidlab.errors import ConfigError
from deidlab.evaluate.layout import Floats
from deidlab.labels import LabelSet, usual_group
from deidlab.train.canaries import (
    N_RIVALS,
    Canary,
    HowSure,
    Place,
    Surroundings,
    deal_times,
    words_of_secrets,
)
from deidlab.train.settings import MOST_CANARIES
from deidlab.train.surrogates import make_surrogate, put_surrogates
from deidlab.train.validating import word_losses
from deidlab.types import Document, Span

if TYPE_CHECKING:
    import torch

_KINDS = {"NAME": "names", "ID": "numbers", "CONTACT": "numbers"}
# Shorter ones are too few to be a secret.
_LEAST_CHARACTERS = 6
_AROUND = 80

_Mention = tuple[Document, Span]


def make_mentions(documents: Sequence[Document], number: int, seed: int) -> list[Canary]:
    """So many canaries to plant, and as many that are held out, names and numbers by turns."""
    if not 0 <= number <= MOST_CANARIES:
        raise ConfigError(f"{number} canaries are impossible: 0 to {MOST_CANARIES}")
    if not number:
        return []
    draw = random.Random(f"canaries {seed}")
    stages, others = _choose_stages(documents, draw)
    chosen = list(islice(cycle(stages), 2 * number))
    draw.shuffle(chosen)
    return [
        _make_mention(mention, draw.choice(others[mention[1].label]), f"canary {seed} {index}", times)
        for index, (mention, times) in enumerate(zip(chosen, deal_times(number), strict=True))
    ]


def certainty_of_mentions(
    tagger: Tagger, cutting: Cutting, labels: LabelSet, device: torch.device
) -> HowSure:
    """The log-likelihood of the gold tags of each secret's words."""

    def how_sure(notes: Sequence[Document], places: Sequence[Place]) -> Floats:
        corpus = piece_corpus(notes, cutting, labels)
        words, owners = words_of_secrets(corpus, places)
        losses = word_losses(WordScorer(tagger, corpus, device).score(), corpus.labels[corpus.deciding])
        sure: Floats = -np.bincount(owners, weights=losses[words], minlength=len(notes)).astype(float)
        return sure

    return how_sure


def _choose_stages(
    documents: Sequence[Document], draw: random.Random
) -> tuple[list[_Mention], dict[str, list[_Mention]]]:
    """Mentions to put secrets in place of, names and numbers by turns, and by label others, in place of which
    none is ever planted."""
    by_label: dict[str, list[_Mention]] = {}
    for document in documents:
        for span in resolve_overlaps(document.spans)[0]:
            text = document.text[span.start : span.end]
            if usual_group(span.label) in _KINDS and sum(map(str.isalnum, text)) >= _LEAST_CHARACTERS:
                by_label.setdefault(span.label, []).append((document, span))
    by_kind: dict[str, list[_Mention]] = {}
    others: dict[str, list[_Mention]] = {}
    for label, mentions in sorted(by_label.items()):
        draw.shuffle(mentions)
        half = len(mentions) // 2
        by_kind.setdefault(_kind(label), []).extend(mentions[:half])
        others[label] = mentions[half:]
    for stages in by_kind.values():
        draw.shuffle(stages)
    chosen = [mention for mention in chain(*zip_longest(*by_kind.values())) if mention is not None]
    if not chosen:
        raise ConfigError(
            "canaries stand where the training notes have names, numbers or contacts of one label twice or "
            f"more, of {_LEAST_CHARACTERS} letters and digits at least, and these notes have none"
        )
    return chosen, others


def _kind(label: str) -> str:
    return _KINDS[usual_group(label)]


def _make_mention(stage: _Mention, other: _Mention, key: str, times: int) -> Canary:
    document, span = stage
    text = document.text[span.start : span.end]
    secret = make_surrogate(text, key)
    made = (make_surrogate(text, f"{key}/{number}") for number in range(4 * N_RIVALS))
    rivals = tuple(islice((each for each in made if each != secret), N_RIVALS))
    return Canary(_kind(span.label), secret, rivals, _cut_out(*stage, key), times, _cut_out(*other, key))


def _cut_out(document: Document, span: Span, key: str) -> Surroundings:
    """What stands around a mention, whole words and whole mentions, all of these made up."""
    text, spans = document.text, resolve_overlaps(document.spans)[0]
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    while start and start < span.start and not text[start - 1].isspace():
        start += 1
    while end < len(text) and end > span.end and not text[end].isspace():
        end -= 1
    for other in spans:
        start = other.end if other.start < start < other.end else start
        end = other.start if other.start < end < other.end else end
    inside = [each for each in spans if start <= each.start and each.end <= end]
    moved = tuple(Span(each.start - start, each.end - start, each.label) for each in inside)
    piece = Document(id=document.id, patient=document.patient, text=text[start:end], spans=moved)
    made, own = put_surrogates(piece, key), inside.index(span)
    at = made.spans[own]
    after = tuple(Span(s.start - at.end, s.end - at.end, s.label) for s in made.spans[own + 1 :])
    return Surroundings(made.text[: at.start], made.text[at.end :], at.label, made.spans[:own], after)
