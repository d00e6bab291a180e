"""Vectors and labels in, logistic regressions that tell them, and what they say of those they did not see.

They are small on purpose: what is asked is not how good a model can get, but how much worse the same one
gets when it learned from masked notes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deidlab.encode.words import find_words
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.resample import ResampleSettings, draw_weights, interval

_MOST_WORDS = 4000
_STEPS = 120
_DECAY = 1e-3
FOLDS = 5


Bag = Counter[str]
"""The words of a text, counted."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a bag of words counts, by rarity."""

    places: dict[str, int]
    weights: Floats

    def vectors(self, bags: Sequence[Bag]) -> Floats:
        """A row a bag: the logarithm of how often each word stands there, by its rarity, of length one."""
        table = np.zeros((len(bags), len(self.places)))
        for row, bag in enumerate(bags):
            for word, n in bag.items():
                if (place := self.places.get(word)) is not None:
                    table[row, place] = 1 + np.log(n)
        table *= self.weights
        vectors: Floats = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
        return vectors


def learn_vocabulary(bags: Sequence[Bag]) -> Vocabulary:
    """The most common words that stand in two texts or more."""
    counts = Counter(word for bag in bags for word in bag)
    common = [word for word, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if n > 1]
    words = common[:_MOST_WORDS]
    rarity = np.array([np.log(len(bags) / counts[word]) + 1 for word in words])
    return Vocabulary({word: place for place, word in enumerate(words)}, rarity)


def count_words(text: str) -> Bag:
    """How often each word or number stands there, whatever its case."""
    return Counter(word for a, b in find_words(text) if (word := text[a:b].lower())[0].isalnum())


def train_logistic(vectors: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Weights and offsets of one regression for each column of yes and no, by gradient with momentum from
    nought: the same each time."""
    weights, offsets = np.zeros((vectors.shape[1], wanted.shape[1])), np.zeros(wanted.shape[1])
    pace, momentum = [np.zeros_like(weights), np.zeros_like(offsets)], 0.9
    # The largest curvature of the loss is a quarter of the mean square of a row: no step can overshoot.
    rate = 1.0 / (0.25 * float((vectors**2).sum(axis=1).mean() + 1))
    for _ in range(_STEPS):
        gap = (probabilities(vectors, weights, offsets) - wanted) / len(wanted)
        pace[0] = momentum * pace[0] - rate * (vectors.T @ gap + _DECAY * weights)
        pace[1] = momentum * pace[1] - rate * gap.sum(axis=0)
        weights, offsets = weights + pace[0], offsets + pace[1]
    return weights, offsets


def probabilities(vectors: Floats, weights: Floats, offsets: Floats) -> Floats:
    """Of a yes, a column a regression."""
    shares: Floats = 1 / (1 + np.exp(-(vectors @ weights + offsets)))
    return shares


def deal_folds(groups: Sequence[str], seed: int) -> Ints:
    """A fold for each row; all rows of a group share one."""
    names = sorted(set(groups))
    random.Random(seed).shuffle(names)
    fold = {name: place % FOLDS for place, name in enumerate(names)}
    return np.array([fold[group] for group in groups])


def predict_unseen(
    learned: Sequence[Bag], asked: Sequence[Sequence[Bag]], labels: Ints, folds: Ints, n_classes: int
) -> list[Ints]:
    """For each list asked, the label of each text by a model that learned from the other folds' texts."""
    said = [np.zeros(len(labels), int) for _ in asked]
    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(folds == fold).tolist(), np.flatnonzero(folds != fold).tolist()
        if not inside:
            continue
        bags = [learned[place] for place in outside]
        vocabulary = learn_vocabulary(bags)
        model = train_logistic(vocabulary.vectors(bags), np.eye(n_classes)[labels[outside]])
        for answers, texts in zip(said, asked, strict=True):
            vectors = vocabulary.vectors([texts[place] for place in inside])
            answers[inside] = probabilities(vectors, *model).argmax(axis=1)
    return said


def macro_f1(
    gold: Ints, said: Sequence[Ints], n_classes: int, settings: ResampleSettings, owners: Ints
) -> list[tuple[Interval, Interval]]:
    """Of each prediction: its F1, the mean over labels, and how much more that is than the first one's, on
    the same draws."""
    tables = [_cells(gold, each, n_classes) for each in said]
    values = [float(_f1(table.sum(axis=0)[None])[0]) for table in tables]
    drawn: list[list[Floats]] = [[] for _ in tables]
    by_unit = [sum_by_unit(table, owners) for table in tables]
    if settings.n_resamples and len(by_unit[0]) > 1:
        for weights in draw_weights(len(by_unit[0]), settings.n_resamples, settings.seed):
            for place, table in enumerate(by_unit):
                drawn[place].append(_f1(np.tensordot(weights, table, 1)))
    samples = [np.concatenate(each) if each else np.zeros(0) for each in drawn]
    return [
        (
            interval(value, sample, settings.confidence),
            interval(value - values[0], sample - samples[0], settings.confidence),
        )
        for value, sample in zip(values, samples, strict=True)
    ]


def sum_by_unit(values: Floats, owners: Ints) -> Floats:
    """The rows added up by what owns them: notes, or their patients."""
    totals = np.zeros((int(owners.max()) + 1, *values.shape[1:]))
    np.add.at(totals, owners, values)
    return totals


def _cells(gold: Ints, said: Ints, n_classes: int) -> Floats:
    """Notes × labels × (right, said, there)."""
    one, other = np.eye(n_classes)[gold], np.eye(n_classes)[said]
    return np.stack([one * other, other, one], axis=-1)


def _f1(cells: Floats) -> Floats:
    """Over the labels that are there at all."""
    right, said, there = (cells[..., place] for place in range(3))
    f1 = 2 * right / np.maximum(said + there, 1e-9)
    present = there > 0
    mean: Floats = (f1 * present).sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
    return mean
