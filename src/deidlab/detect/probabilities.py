"""Scores of tags for each word in, probabilities out: by word, or with a CRF over the whole note."""

from __future__ import annotations

import numpy as np

from deidlab.encode.decoding import Scores, TagGrammar

_NEVER = np.float32(-1e9)


def tag_probabilities(scores: Scores, grammar: TagGrammar, steps: Scores | None = None) -> Scores:
    """[words, tags], each row adding up to 1, for one note.

    With a CRF's `steps` these are its marginals over all valid runs of tags; without, each word's own.
    """
    scores = np.asarray(scores, np.float32)
    if not len(scores) or steps is None:
        return _normalise(scores)
    routes = np.where(grammar.allowed(), steps, _NEVER).astype(np.float32)
    opening = scores[0] + np.where(grammar.is_inside, _NEVER, np.float32(0))
    forward = _sweep(opening, scores[1:], routes)
    backward = _sweep(np.zeros_like(opening), None, routes.T, scores[:0:-1])[::-1]
    return _normalise(forward + backward)


def _sweep(first: Scores, arriving: Scores | None, routes: Scores, leaving: Scores | None = None) -> Scores:
    """Sums over all routes up to each word; scores are added on arriving at a word or on leaving it."""
    n_steps = len(arriving if arriving is not None else leaving if leaving is not None else ())
    swept = [first]
    for place in range(n_steps):
        before = swept[-1] if leaving is None else swept[-1] + leaving[place]
        reached = _log_sum(before[:, None] + routes)
        swept.append(reached if arriving is None else reached + arriving[place])
    return np.stack(swept)


def _log_sum(values: Scores) -> Scores:
    """The logarithm of the sum of exponentials, down each column."""
    top = values.max(axis=0)
    return np.asarray(top + np.log(np.exp(values - top).sum(axis=0)), np.float32)


def _normalise(scores: Scores) -> Scores:
    if not len(scores):
        return scores
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)
