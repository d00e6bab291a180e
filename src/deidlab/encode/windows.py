"""Words and their pieces in, overlapping windows that fit a model out; a model's answers back to words.

Nothing is cut off: every word of a note is in some window, and is decided by the one window that sees most
context around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeVar

from deidlab.encode.pieces import Pieces
from deidlab.errors import ConfigError
from deidlab.types import Window

IGNORED = -100
"""The label id of a piece that decides nothing; losses skip it."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class WindowShape:
    """How windows are cut: at most `length` pieces with the special ones, about every `stride` pieces."""

    length: int
    stride: int
    prefix: Pieces
    suffix: Pieces

    def __post_init__(self) -> None:
        if self.room < 1:
            raise ConfigError(f"a window of {self.length} pieces has no room for a word")
        if not 1 <= self.stride <= self.length:
            raise ConfigError(
                f"the stride ({self.stride}) must be at least 1 and at most the window ({self.length})"
            )

    @property
    def room(self) -> int:
        """Pieces of words that fit."""
        return self.length - len(self.prefix) - len(self.suffix)

    @property
    def overlap(self) -> int:
        """Pieces that neighbouring windows share at least, where words allow."""
        return max(0, self.room - self.stride)


def cut_windows(
    doc: str,
    pieces: Sequence[Pieces],
    shape: WindowShape,
    label_ids: Sequence[int] = (),
    rest_ids: Sequence[int] = (),
) -> list[Window]:
    """The windows of one note.

    `label_ids` holds the tag id of each word for training; it is put on the word's first piece, in the
    window that decides the word. `rest_ids`, where given, goes on the word's other pieces.
    """
    if not pieces:
        return []
    room = shape.room
    cut = [word[:room] for word in pieces]
    bounds = _find_bounds([len(word) for word in cut], room, shape.overlap)
    windows = []
    for index, (first, end, first_word, end_word) in enumerate(bounds):
        ids, labels = list(shape.prefix), [IGNORED] * len(shape.prefix)
        word_ids: list[int | None] = [None] * len(shape.prefix)
        for word in range(first, end):
            n_pieces = len(cut[word])
            ids += cut[word]
            word_ids += [word] * n_pieces
            if label_ids:
                decides = first_word <= word < end_word
                labels.append(label_ids[word] if decides else IGNORED)
                labels += [rest_ids[word] if rest_ids and decides else IGNORED] * (n_pieces - 1)
        ids += shape.suffix
        word_ids += [None] * len(shape.suffix)
        labels += [IGNORED] * len(shape.suffix)
        decided = tuple(labels) if label_ids else ()
        windows.append(Window(doc, index, tuple(ids), tuple(word_ids), decided, first_word, end_word))
    return windows


def deciding_pieces(window: Window) -> list[int]:
    """For each word that the window decides, in order, the place of its first piece in the window."""
    places = []
    wanted = window.first_word
    for place, word in enumerate(window.word_ids):
        if word == wanted and wanted < window.end_word:
            places.append(place)
            wanted += 1
    return places


def merge_windows(windows: Iterable[Window], values: Iterable[Sequence[Value]]) -> list[Value]:
    """One note's windows, in order, and a value for each of their pieces; out goes one value a word."""
    merged: list[Value] = []
    for window, row in zip(windows, values, strict=True):
        merged += [row[place] for place in deciding_pieces(window)]
    return merged


def _find_bounds(sizes: Sequence[int], room: int, overlap: int) -> Iterator[tuple[int, int, int, int]]:
    """First and end word of each window, then the first and end word that it decides."""
    starts = [0, *accumulate(sizes)]
    spread = _spread(starts, max(sizes), room, overlap)
    edges = [0, *(_boundary(starts, left, right) for left, right in pairwise(spread)), len(sizes)]
    for (first, end), (first_word, end_word) in zip(spread, pairwise(edges), strict=True):
        yield first, end, first_word, end_word


def _spread(starts: Sequence[int], widest: int, room: int, overlap: int) -> list[tuple[int, int]]:
    """As few windows as will do, all of about the same length: a short last one would see little."""
    n_words, total = len(starts) - 1, starts[-1]
    if total <= room:
        return [(0, n_words)]
    n_windows = -(-(total - overlap) // (room - overlap))
    length = min(room, -(-(total + (n_windows - 1) * overlap) // n_windows) + widest)
    spread: list[tuple[int, int]] = []
    first = 0
    while True:
        end = max(bisect_right(starts, starts[first] + length) - 1, first + 1)
        spread.append((first, end))
        if end == n_words:
            return spread
        first = max(bisect_left(starts, starts[end] - overlap), first + 1)
        while starts[end + 1] - starts[first] > length and first < end:
            first += 1


def _boundary(starts: Sequence[int], left: tuple[int, int], right: tuple[int, int]) -> int:
    """The first word of the overlap of which the right window sees more than the left one."""
    for word in range(right[0], left[1]):
        if starts[left[1]] - starts[word + 1] < starts[word] - starts[right[0]]:
            return word
    return left[1]
