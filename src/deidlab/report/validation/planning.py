"""What is wanted and how many notes there are in; how many of each stratum to read, out.

Sizes are those at which the bound is reached if as many notes leak as expected. The number of notes that a
fixed plan would need stands beside: the difference is what looking in between costs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial

from deidlab.evaluate.sequential import ReadSample, prior_for
from deidlab.evaluate.stratified import Counted, believable_count, believable_total
from deidlab.report.validation.protocol import PlannedStratum, Wanted

_WORDS_A_LEAK = 2


def plan_sizes(
    notes: Sequence[int], words: Sequence[int], wanted: Wanted, expect: float, looks: bool
) -> list[int]:
    """How many notes of each stratum are to be read, `expect` being the share of them that will leak."""
    wholes = [_sizes_for_all(notes, wanted, expect, looks)] if wanted.notes else []
    if wanted.words_per_thousand:
        a_note = sum(words) / max(sum(notes), 1)
        wholes.append(_split(notes, lambda parts, sizes: _words_reached(parts, sizes, wanted, a_note)))
    sizes = [max(each) for each in zip(*wholes, strict=True)] if wholes else [0] * len(notes)
    if (bound := wanted.stratum_notes) is not None:
        for place, size in enumerate(notes):
            reached = partial(_stratum_reached, size, wanted=wanted, bound=bound, expect=expect, looks=looks)
            sizes[place] = max(sizes[place], _smallest(size, reached))
    return sizes


def _sizes_for_all(notes: Sequence[int], wanted: Wanted, expect: float, looks: bool) -> list[int]:
    bound = wanted.notes or 0.0

    def reached(notes: Sequence[int], sizes: list[int]) -> bool:
        # Leaks are expected one by one, wherever: rounded up over the whole, not in each stratum.
        leaks = _spread(math.ceil(expect * sum(sizes) - 1e-9), sizes)
        return _total(notes, sizes, leaks, wanted, bound, looks) <= bound * sum(notes)

    return _split(notes, reached)


def _total(
    notes: Sequence[int],
    sizes: Sequence[int],
    leaks: Sequence[int],
    wanted: Wanted,
    bound: float,
    looks: bool,
) -> float:
    if not looks:
        counted = [Counted(k, n, size) for k, n, size in zip(leaks, sizes, notes, strict=True)]
        return believable_total(counted, wanted.confidence)
    return _highest(notes, sizes, leaks, 1.0, bound, wanted.confidence)


def _highest(
    notes: Sequence[int],
    sizes: Sequence[int],
    leaks: Sequence[int],
    value: float,
    bound: float,
    confidence: float,
) -> float:
    read = [
        (stratum, value if turn < k else 0.0)
        for stratum, (n, k) in enumerate(zip(sizes, leaks, strict=True))
        for turn in range(n)
    ]
    return ReadSample(tuple(notes), read, prior_for(bound)).highest_total(confidence)


def _stratum_reached(size: int, n: int, wanted: Wanted, bound: float, expect: float, looks: bool) -> bool:
    leaks = min(math.ceil(expect * n - 1e-9), n)
    if not looks:
        return believable_count(Counted(leaks, n, size), wanted.confidence) <= bound * size
    highest = _highest([size], [n], [leaks], 1.0, bound, wanted.confidence)
    return math.floor(highest + 1e-9) <= bound * size


def _words_reached(notes: Sequence[int], sizes: Sequence[int], wanted: Wanted, words_a_note: float) -> bool:
    """Whether the bound on words is reached if a quarter of it leaks, in notes that leak two words each."""
    share, value = wanted.word_share(words_a_note), min(_WORDS_A_LEAK / wanted.most_words, 1.0)
    leaks = _spread(math.ceil(sum(sizes) * share / 4 / value), sizes)
    return _highest(notes, sizes, leaks, value, share, wanted.confidence) <= share * sum(notes)


def _spread(leaks: int, sizes: Sequence[int]) -> list[int]:
    """So many leaks over the strata, in proportion to what is read of each."""
    whole, given, spread = sum(sizes), 0, []
    done = 0
    for size in sizes:
        done += size
        upto = round(leaks * done / whole) if whole else 0
        spread.append(min(upto - given, size))
        given = upto
    return spread


def _split(notes: Sequence[int], reached: Callable[[Sequence[int], list[int]], bool]) -> list[int]:
    """The smallest sample in proportion to the strata with which that is reached, else every note."""
    whole = sum(notes)
    n = _smallest(whole, lambda n: reached((whole,), [n]))
    while True:
        parts = [min(math.ceil(n * size / whole - 1e-9), size) for size in notes]
        # As if there were one stratum is nearly right, and quickly found.
        if n >= whole or len(notes) == 1 or reached(notes, parts):
            return parts
        n = min(math.ceil(1.01 * n), whole)


def _smallest(most: int, reached: Callable[[int], bool]) -> int:
    """The smallest number for which that holds; the largest where it holds for none below."""
    low, high = 0, 1
    while high < most and not reached(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def draw_order(
    members: Sequence[Sequence[int]], sizes: Sequence[int], seed: str
) -> tuple[tuple[tuple[int, int], ...], int]:
    """The order in which notes are read, and how many are planned; after these as many more, if need be.

    Each stratum is a random draw, and they take turns, so that wherever one stops all were read in part.
    """
    rows: list[tuple[float, int, int]] = []
    for stratum, (places, n) in enumerate(zip(members, sizes, strict=True)):
        drawn = random.Random(f"{seed} {stratum}").sample(sorted(places), min(2 * n, len(places)))
        rows += [((turn + 0.5) / n, stratum, place) for turn, place in enumerate(drawn)]
    planned = sum(min(n, len(places)) for places, n in zip(members, sizes, strict=True))
    return tuple((place, stratum) for _, stratum, place in sorted(rows)), planned


def hours_of(words: float, readers: int, words_per_minute: int) -> float:
    return words * readers / words_per_minute / 60


def planned_strata(
    rows: Sequence[tuple[str, int, int]], sizes: Sequence[int], readers: int, words_per_minute: int
) -> tuple[PlannedStratum, ...]:
    """Strata as (name, notes, words), with what is to be read of each."""
    return tuple(
        PlannedStratum(
            name, notes, words, n, round(hours_of(words * n / notes, readers, words_per_minute), 2)
        )
        for (name, notes, words), n in zip(rows, sizes, strict=True)
    )
