"""The canaries of pretraining: codes of digits in notes of their own, and how likely a model finds them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from deidlab.encode.pieced import Cutting, PiecedCorpus, piece_texts
from deidlab.encode.windows import IGNORED
from deidlab.evaluate.layout import Floats, Ints
from deidlab.train.canaries import (
    N_RIVALS,
    Canary,
    HowSure,
    Place,
    Surroundings,
    deal_times,
    words_of_secrets,
)
from deidlab.train.masking import score_hidden
from deidlab.types import Document

if TYPE_CHECKING:
    import torch
    from torch import nn

N_DIGITS = 6


def make_codes(number: int, seed: int) -> list[Canary]:
    """So many canaries to plant, and as many that are held out."""
    draw = random.Random(f"canaries {seed}")
    return [_make_code(draw, times) for times in deal_times(number)]


def likelihood_of_codes(model: nn.Module, cutting: Cutting, device: torch.device) -> HowSure:
    """The log-likelihood of each secret's words, each word hidden in turn."""

    def how_sure(notes: Sequence[Document], places: Sequence[Place]) -> Floats:
        corpus = piece_texts(notes, cutting)
        words, owners = words_of_secrets(corpus, places)
        chances, _ = score_hidden(model, _hide_each(corpus, words, cutting.pieces.hidden), device, 64)
        sure: Floats = np.bincount(owners, weights=chances, minlength=len(notes)).astype(float)
        return sure

    return how_sure


def _make_code(draw: random.Random, times: int) -> Canary:
    name = "".join(draw.choices("BCDFGHJKLMNPQRSTVWXZ", k=5))
    around = Surroundings(f"Reference {name}: the confirmation code is ", ".")
    secret, *rivals = (" ".join(draw.choices("0123456789", k=N_DIGITS)) for _ in range(N_RIVALS + 1))
    return Canary("code", secret, tuple(rivals), around, times)


def _hide_each(corpus: PiecedCorpus, words: Ints, hidden: int) -> PiecedCorpus:
    """For each of these words its window, with the word hidden and as the label of its place."""
    ids, labels, shapes = [], [], []
    for place in corpus.deciding[words].tolist():
        window = int(np.searchsorted(corpus.starts, place, "right")) - 1
        start, end = int(corpus.starts[window]), int(corpus.starts[window + 1])
        ids.append(corpus.ids[start:end].copy())
        labels.append(np.full(end - start, IGNORED, np.int32))
        shapes.append(corpus.shapes[start:end])
        labels[-1][place - start] = corpus.ids[place]
        ids[-1][place - start] = hidden
    starts = np.cumsum([0, *(len(each) for each in ids)])
    return replace(
        corpus,
        ids=np.concatenate(ids),
        labels=np.concatenate(labels),
        shapes=np.concatenate(shapes),
        starts=starts,
    )
