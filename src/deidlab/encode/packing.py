"""Windows in, rows of a constant number of pieces out: no padding but what is left at a row's end.

A row is one int32 vector, so that a step moves it to where it computes in one copy: ids, positions, labels
and shapes of its pieces, then where each window starts, then, where a model can use it, the places of the
pieces that decide anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deidlab.encode.pieced import Ints, PiecedCorpus
from deidlab.encode.shapes import SPECIAL
from deidlab.encode.windows import IGNORED

_FIELDS = 4
_STEP = 128
_SLACK = 1.003
_CHOSEN = 3
_FIRSTS = 16
_GOOD_ENOUGH = 4
_WORTH_TELLING = 0.9
_SPREADS = 4


@dataclass(frozen=True, slots=True)
class RowShape:
    """The sizes of a row: pieces, windows at most, the longest window, and the first position's number.

    `n_deciding` has room for the places of all pieces that decide; 0 where they are not told.
    """

    n_pieces: int
    n_windows: int
    longest: int
    first_position: int = 0
    n_deciding: int = 0

    @property
    def width(self) -> int:
        return _FIELDS * self.n_pieces + self.n_windows + 1 + self.n_deciding

    def field(self, index: int) -> slice:
        """Where ids (0), positions (1), labels (2), shapes (3) stand in a row."""
        return slice(index * self.n_pieces, (index + 1) * self.n_pieces)

    @property
    def edges(self) -> slice:
        """Where the windows' starts stand, and the end of the last."""
        start = _FIELDS * self.n_pieces
        return slice(start, start + self.n_windows + 1)

    @property
    def deciding(self) -> slice:
        """Where the places of pieces that decide stand, filled up with places of others."""
        return slice(self.width - self.n_deciding, self.width)


def choose_row_shape(
    corpus: PiecedCorpus,
    batch: float,
    first_position: int = 0,
    tell_deciding: bool = False,
    step: int = _STEP,
) -> RowShape:
    """Rows that hold as many pieces as a batch of `batch` windows has on average, and any single window.

    Within 3% of that, the multiple of `step` is taken that leaves least filler over an epoch.
    """
    lengths = corpus.lengths
    total, longest = int(lengths.sum()), int(lengths.max())
    wanted = max(total / math.ceil(corpus.n_windows / batch), longest)
    least = max(1, math.ceil(total / (1.03 * wanted)))
    most = max(least, math.floor(total / (0.97 * wanted)))
    sizes = {
        n_rows: max(_round_up(total / n_rows * _SLACK, step), longest) for n_rows in range(least, most + 1)
    }
    n_rows = min(sizes, key=lambda rows: (rows * sizes[rows], abs(sizes[rows] - wanted)))
    n_pieces = sizes[n_rows]
    # A kernel starts work for every window that a row may hold: room for many more than there are costs time.
    n_windows = max(math.ceil(1.25 * batch) + 6, -(-n_pieces // longest) + 1 + _CHOSEN)
    n_deciding = _room_for_deciding(corpus, n_pieces) if tell_deciding else 0
    return RowShape(n_pieces, n_windows, longest, first_position, n_deciding)


def _room_for_deciding(corpus: PiecedCorpus, n_pieces: int) -> int:
    """Room for the pieces that decide in all but the rarest row; 0 where nearly all pieces do."""
    decided = count_deciding(corpus)
    share = decided.sum() / corpus.lengths.sum()
    spread = float(np.std(decided - share * corpus.lengths)) * math.sqrt(n_pieces / corpus.lengths.mean())
    room = max(_round_up(share * n_pieces + _SPREADS * spread), int(decided.max()))
    return room if room < _WORTH_TELLING * n_pieces else 0


def count_deciding(corpus: PiecedCorpus) -> npt.NDArray[np.int64]:
    """How many pieces of each window decide anything."""
    return np.add.reduceat(corpus.labels != IGNORED, corpus.starts[:-1], dtype=np.int64)


def pack_windows(
    lengths: Sequence[int],
    order: Sequence[int],
    shape: RowShape,
    look_ahead: int = 256,
    deciding: Sequence[int] | None = None,
) -> list[list[int]]:
    """Which windows go into which row: in the order given, but the last few are chosen to fill the row.

    `deciding` counts the pieces that decide, where the row has only so much room for them.
    """
    if deciding is not None and max(deciding, default=0) > shape.n_deciding:
        raise ValueError("a window has more pieces that decide than a row has room for")
    pool = list(order[:look_ahead])
    waiting = look_ahead
    rows: list[list[int]] = []
    while pool:
        row: list[int] = []
        space, n_taken, room = shape.n_pieces, 0, shape.n_deciding
        for window in pool:
            # What is left over becomes filler, in windows of its own, for which there must be room too.
            n_filler = -(-(space - lengths[window]) // shape.longest)
            full = len(row) + 1 + _CHOSEN + n_filler > shape.n_windows
            crowded = deciding is not None and deciding[window] > room
            if space <= _CHOSEN * shape.longest or full or crowded:
                break
            row.append(window)
            space -= lengths[window]
            room -= deciding[window] if deciding is not None else 0
            n_taken += 1
        left = pool[n_taken:]
        chosen = _fill([lengths[window] for window in left], space)
        if deciding is not None:
            chosen = _within(chosen, [deciding[window] for window in left], room)
        row += [left[place] for place in chosen]
        rows.append(row)
        taken = set(chosen)
        pool = [window for place, window in enumerate(left) if place not in taken]
        pool += order[waiting : waiting + len(row)]
        waiting += len(row)
    return rows


def _fill(lengths: Sequence[int], space: int) -> list[int]:
    """The places of up to three lengths that come nearest to the space; always one where one fits."""
    sizes = np.array(lengths, np.int64)
    order = np.argsort(sizes, kind="stable")
    best, gap = _best_pair(sizes, order, space)
    for first in range(min(_FIRSTS, len(sizes))):
        if gap <= _GOOD_ENOUGH:
            break
        pair, left = _best_pair(sizes, order[order != first], space - int(sizes[first]))
        if 0 <= left < gap:
            best, gap = [first, *pair], left
    return best


def _within(chosen: Sequence[int], sizes: Sequence[int], room: int) -> list[int]:
    """Those of the chosen places whose sizes fit into the room together, the first ones first."""
    kept = []
    for place in chosen:
        if sizes[place] <= room:
            kept.append(place)
            room -= sizes[place]
    return kept


def _best_pair(
    sizes: npt.NDArray[np.int64], order: npt.NDArray[np.int64], space: int
) -> tuple[list[int], int]:
    """The one or two lengths with least space left over, and that space; `order` sorts the lengths."""
    if space < 0:
        return [], space
    ranked = sizes[order]
    one = int(np.searchsorted(ranked, space, side="right")) - 1
    if one < 0:
        return [], space
    partner = np.minimum(
        np.searchsorted(ranked, space - ranked, side="right") - 1, np.arange(len(ranked)) - 1
    )
    sums = np.where(partner >= 0, ranked + ranked[partner], 0)
    two = int(sums.argmax())
    if sums[two] > ranked[one]:
        return [int(order[two]), int(order[partner[two]])], space - int(sums[two])
    return [int(order[one])], space - int(ranked[one])


def shuffled(n_windows: int, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    """The order of an epoch: the same for the same seed, whatever came before."""
    return np.random.default_rng((seed, epoch)).permutation(n_windows)


def build_rows(corpus: PiecedCorpus, plan: Sequence[Sequence[int]], shape: RowShape) -> Ints:
    """The rows of a plan, one vector each."""
    rows = np.zeros((len(plan), shape.width), np.int32)
    for row, windows in zip(rows, plan, strict=True):
        _fill_row(row, corpus, windows, shape)
    return rows


def _fill_row(row: Ints, corpus: PiecedCorpus, windows: Sequence[int], shape: RowShape) -> None:
    ids, positions, labels, shapes = (row[shape.field(index)] for index in range(_FIELDS))
    labels[:] = IGNORED
    shapes[:] = SPECIAL
    edges = [0]
    for window in windows:
        start, end = int(corpus.starts[window]), int(corpus.starts[window + 1])
        at, to = edges[-1], edges[-1] + end - start
        ids[at:to] = corpus.ids[start:end]
        labels[at:to] = corpus.labels[start:end]
        shapes[at:to] = corpus.shapes[start:end]
        positions[at:to] = np.arange(end - start)
        edges.append(to)
    # What is left over becomes windows of piece 0, which attend to nothing real and decide nothing.
    while edges[-1] < shape.n_pieces:
        at, to = edges[-1], min(shape.n_pieces, edges[-1] + shape.longest)
        positions[at:to] = np.arange(to - at)
        edges.append(to)
    positions += shape.first_position
    row[shape.edges] = shape.n_pieces
    row[shape.edges][: len(edges)] = edges
    if shape.n_deciding:
        row[shape.deciding] = _places(labels, shape.n_deciding)


def _places(labels: Ints, size: int) -> npt.NDArray[np.int64]:
    """The places of labels that decide and, to make up the number, of some that do not; none twice."""
    decides = labels != IGNORED
    found, others = np.flatnonzero(decides), np.flatnonzero(~decides)
    return np.sort(np.concatenate([found, others[: size - len(found)]]))


def n_used(plan_row: Sequence[int], lengths: Sequence[int]) -> int:
    """Real pieces in a row."""
    return sum(int(lengths[window]) for window in plan_row)


def _round_up(size: float, step: int = _STEP) -> int:
    return max(step, math.ceil(size / step) * step)
