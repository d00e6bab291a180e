from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect.probabilities import tag_probabilities
from deidlab.encode.decoding import TagGrammar, decode_valid

TAGS = ("O", "B-NAME", "I-NAME", "B-DATE")
GRAMMAR = TagGrammar.of(TAGS)


def by_enumeration(scores: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Marginals as their definition says: over every run of tags that is valid."""
    allowed = GRAMMAR.allowed()
    weights = np.zeros(scores.shape)
    for run in product(range(len(TAGS)), repeat=len(scores)):
        valid = not GRAMMAR.is_inside[run[0]] and all(allowed[a, b] for a, b in pairwise(run))
        if valid:
            total = sum(scores[place, tag] for place, tag in enumerate(run))
            total += sum(steps[a, b] for a, b in pairwise(run))
            for place, tag in enumerate(run):
                weights[place, tag] += np.exp(total)
    return weights / weights.sum(axis=1, keepdims=True)


@given(st.integers(1, 5), st.integers(0, 10_000))
def test_marginals_of_a_crf_are_sums_over_all_valid_runs(n_words: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.normal(0, 2, (n_words, len(TAGS))).astype(np.float32)
    steps = random.normal(0, 1, (len(TAGS), len(TAGS))).astype(np.float32)
    found = tag_probabilities(scores, GRAMMAR, steps)
    assert np.allclose(found, by_enumeration(scores, steps), atol=1e-4)


def test_without_steps_each_word_stands_alone() -> None:
    scores = np.array([[0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 5.0, 5.0]], np.float32)
    found = tag_probabilities(scores, GRAMMAR)
    raised = np.exp(scores[0])
    assert np.allclose(found[0], raised / raised.sum())
    assert np.allclose(found[1], 0.25)


def test_a_note_of_many_words_neither_overflows_nor_vanishes() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(0, 30, (3000, len(TAGS))).astype(np.float32)
    found = tag_probabilities(scores, GRAMMAR, np.zeros((len(TAGS), len(TAGS)), np.float32))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1, atol=1e-4)
    best = decode_valid([scores], GRAMMAR, np.zeros((len(TAGS), len(TAGS)), np.float32))[0]
    assert (found.argmax(axis=1) == best).mean() > 0.95


@pytest.mark.parametrize("steps", [None, np.zeros((4, 4), np.float32)])
def test_no_words_no_probabilities(steps: np.ndarray | None) -> None:
    assert tag_probabilities(np.zeros((0, 4), np.float32), GRAMMAR, steps).shape == (0, 4)
