"""Scores of tags for each word in, the best tags out: greedily, over valid runs only, or with learned steps.

Notes are decoded together, word by word in step, so that many cost as many steps as the longest of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deidlab.labels import split_tag

Scores = npt.NDArray[np.float32]
TagIds = npt.NDArray[np.int64]

_NEVER = np.float32(-1e9)
_BATCH_WORDS = 1_000_000
_GOES_ON, _OPEN, _LAST = frozenset("IEL"), frozenset("BI"), frozenset("EL")


@dataclass(frozen=True, slots=True)
class TagGrammar:
    """Which tag may follow which: an I, E or L only a B or I of its own label.

    `before_inside` lists for each tag the B of its label where the tag goes on with a span, and itself
    otherwise; `is_inside` says which tags go on. One whose B is not in the set is treated as a B.
    `open_until` has for each B and I of a scheme that marks last words the E or L that has to come; else -1.
    """

    tags: tuple[str, ...]
    before_inside: npt.NDArray[np.int64]
    is_inside: npt.NDArray[np.bool_]
    open_until: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tags: Sequence[str]) -> TagGrammar:
        place = {tag: index for index, tag in enumerate(tags)}
        parts = [split_tag(tag) for tag in tags]
        begins = [place.get(f"B-{label}") if prefix in _GOES_ON else None for prefix, label in parts]
        before = [index if begin is None else begin for index, begin in enumerate(begins)]
        last = {label: index for index, (prefix, label) in enumerate(parts) if prefix in _LAST}
        until = [last.get(label, -1) if prefix in _OPEN else -1 for prefix, label in parts]
        inside = np.array([begin is not None for begin in begins])
        return cls(tuple(tags), np.array(before), inside, np.array(until))

    @property
    def marks_ends(self) -> bool:
        """Whether spans have a last tag of their own."""
        return bool((self.open_until >= 0).any())

    def allowed(self) -> npt.NDArray[np.bool_]:
        """Whether column may follow row."""
        n_tags = len(self.tags)
        allowed = np.ones((n_tags, n_tags), dtype=np.bool_)
        parts = [split_tag(tag) for tag in self.tags]
        for tag in np.flatnonzero(self.is_inside):
            allowed[:, tag] = [prefix in _OPEN and label == parts[tag][1] for prefix, label in parts]
        for tag in np.flatnonzero(self.open_until >= 0):
            allowed[tag] &= [prefix in _GOES_ON and label == parts[tag][1] for prefix, label in parts]
        return allowed


def decode_greedy(scores: Sequence[Scores]) -> list[TagIds]:
    """The best tag of each word by itself, from each note's [words, tags] scores."""
    return [np.argmax(note, axis=1) if len(note) else np.zeros(0, np.int64) for note in scores]


def decode_valid(scores: Sequence[Scores], grammar: TagGrammar, steps: Scores | None = None) -> list[TagIds]:
    """The best valid run of tags for each note; `steps` are a CRF's learned transitions."""
    order = sorted(range(len(scores)), key=lambda index: -len(scores[index]))
    decoded: list[TagIds] = [np.zeros(0, np.int64)] * len(scores)
    filled = [index for index in order if len(scores[index])]
    if not filled:
        return decoded
    for batch in _batches(filled, [len(note) for note in scores]):
        best = _best_paths([np.asarray(scores[index], np.float32) for index in batch], grammar, steps)
        for index, path in zip(batch, best, strict=True):
            decoded[index] = path
    return decoded


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[Sequence[int]]:
    """Runs of notes whose table of words stays small enough to hold in memory at once."""
    first = 0
    while first < len(order):
        end = first + max(1, _BATCH_WORDS // lengths[order[first]])
        yield order[first:end]
        first = end


def _best_paths(notes: list[Scores], grammar: TagGrammar, steps: Scores | None) -> list[TagIds]:
    """Viterbi over notes sorted by falling length: those that have ended drop off the end of the batch."""
    lengths = np.array([len(note) for note in notes])
    padded = np.zeros((lengths[0], len(notes), notes[0].shape[1]), np.float32)
    for index, note in enumerate(notes):
        padded[: len(note), index] = note
    back = np.zeros(padded.shape, np.int16)
    total = padded[0].copy()
    total[:, grammar.is_inside] += _NEVER
    if steps is None and grammar.marks_ends:
        steps = np.zeros((len(grammar.tags), len(grammar.tags)), np.float32)
    blocked = None if steps is None else np.where(grammar.allowed(), steps, _NEVER).astype(np.float32)
    n_open = _count_open(lengths)
    for place in range(1, len(n_open)):
        still = n_open[place]
        reached, back[place, :still] = _step(total[:still], grammar, blocked)
        np.add(reached, padded[place, :still], out=total[:still])
    return _trace(total, back, lengths, n_open)


def _count_open(lengths: npt.NDArray[np.int64]) -> list[int]:
    """How many notes have a word at each place."""
    ended = np.bincount(lengths)
    n_open: list[int] = (len(lengths) - ended.cumsum())[:-1].tolist()
    return n_open


def _step(total: Scores, grammar: TagGrammar, steps: Scores | None) -> tuple[Scores, TagIds]:
    if steps is not None:
        routes = total[:, :, None] + steps
        came = routes.argmax(axis=1)
        return np.take_along_axis(routes, came[:, None], axis=1)[:, 0], came
    # A tag that goes on comes from itself or from the B of its label, any other from the best of all.
    begun = total.take(grammar.before_inside, axis=1)
    stays = total >= begun
    best, anywhere = total.max(axis=1, keepdims=True), total.argmax(axis=1)[:, None]
    reached = np.where(grammar.is_inside, np.where(stays, total, begun), best)
    own = np.where(stays, np.arange(total.shape[1]), grammar.before_inside)
    return reached, np.where(grammar.is_inside, own, anywhere)


def _trace(
    total: Scores, back: npt.NDArray[np.int16], lengths: npt.NDArray[np.int64], n_open: list[int]
) -> list[TagIds]:
    paths = np.zeros(back.shape[:2], np.int64)
    notes = np.arange(len(lengths))
    current = total.argmax(axis=1)
    for place in reversed(range(len(n_open))):
        still = n_open[place]
        own = current[:still]
        paths[place, :still] = own
        if place:
            current[:still] = back[place, notes[:still], own]
    return [paths[: lengths[index], index] for index in range(len(lengths))]
