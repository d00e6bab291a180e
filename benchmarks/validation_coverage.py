"""Validations of notes whose leaks are known, simulated: how often a bound that was given was too low.

    python benchmarks/validation_coverage.py --out benchmarks/results/validation_coverage.md

Each validation shuffles the notes of every stratum and reads them in proportion, as `validate plan` draws
them. After every single note somebody looks: a validation is wrong if the bound is below the truth at any
look. For the bound of one look, it is wrong if it is too low at the end. `stopped` is when the wanted bound
was reached, in notes, for the middle one of the first validations. A claim that a bound is reached which does
not hold is a bound that is too low, and is counted there.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deidlab.evaluate.sequential import ReadSample, prior_for
from deidlab.evaluate.stratified import Counted, believable_total
from deidlab.report.validation.planning import draw_order, plan_sizes
from deidlab.report.validation.protocol import Wanted

CONFIDENCE = 0.95
_EPSILON = 1e-6
# How many validations of each case are asked when they could have stopped.
_TIMED = 60


@dataclass(frozen=True)
class Case:
    """Strata of so many notes, of which so many leak; `value` is what a leaking note counts, of 1."""

    name: str
    sizes: tuple[int, ...]
    leaking: tuple[int, ...]
    wanted: float = 0.02
    value: float = 1.0


CASES = (
    Case("no note leaks", (5000,), (0,)),
    Case("0.5 %", (5000,), (25,)),
    Case("as many as wanted: 2 %", (5000,), (100,)),
    Case("just above: 2.02 %", (5000,), (101,)),
    Case("5 %", (5000,), (250,)),
    Case("half of few notes", (60,), (30,)),
    Case("three strata, alike, 2 %", (3000, 1500, 500), (60, 30, 10)),
    Case("three strata, all in one, 2 %", (3000, 1500, 500), (0, 0, 100)),
    Case("twelve strata, uneven, 2 %", (700,) * 11 + (300,), (0, 0, 0, 14, 0, 70, 0, 0, 14, 0, 0, 62)),
    Case("leaked words, up to 20 a note", (4000, 1000), (800, 200), 0.02, 0.1),
)


@dataclass(frozen=True)
class Outcome:
    """Of all validations: those ever too low, and those too low at the end by the bound of one look."""

    case: Case
    n: int
    missed: int
    missed_once: int
    stopped: float | None

    @property
    def row(self) -> tuple[str, ...]:
        truth = sum(self.case.leaking) * self.case.value / sum(self.case.sizes)
        stopped = "–" if self.stopped is None else f"{self.stopped:,.0f}"
        once = "–" if self.case.value < 1 else f"{self.missed_once / self.n:.2%}"
        shares = (f"{truth:.2%}", f"{self.missed / self.n:.2%}", once, stopped)
        return (self.case.name, f"{len(self.case.sizes)}", *shares)


def simulate(case: Case, n: int, seed: int) -> Outcome:
    """That many validations of a case, looked at after every note."""
    chooser = random.Random(seed)
    sizes = _sample_sizes(case)
    missed = once = 0
    stopped: list[float] = []
    for number in range(n):
        read = _read(case, sizes, f"{seed} {number}", chooser)
        sample = ReadSample(case.sizes, read, prior_for(case.wanted))
        missed += _ever_too_low(case, sample)
        once += case.value == 1 and _too_low_once(case, read)
        if number < _TIMED:
            reached = _when_reached(case, sample)
            stopped.append(math.inf if reached is None else reached)
    middle = statistics.median(stopped or [math.inf])
    return Outcome(case, n, missed, once, None if math.isinf(middle) else middle)


def _truth(case: Case) -> float:
    return sum(case.leaking) * case.value


def _sample_sizes(case: Case) -> list[int]:
    wanted = Wanted(CONFIDENCE, case.wanted, None, None, 20)
    return plan_sizes(case.sizes, [300 * size for size in case.sizes], wanted, case.wanted / 4, True)


def _read(case: Case, sizes: Sequence[int], seed: str, chooser: random.Random) -> list[tuple[int, float]]:
    """The notes as they are drawn; those with a leak are the first of their stratum."""
    members = [range(size) for size in case.sizes]
    order, planned = draw_order(members, sizes, f"{seed} {chooser.random()}")
    return [
        (stratum, case.value if place < case.leaking[stratum] else 0.0) for place, stratum in order[:planned]
    ]


def _ever_too_low(case: Case, sample: ReadSample) -> bool:
    """Whether the truth lies above the bound at any look, which is only where it is refuted."""
    totals = [leaking * case.value for leaking in case.leaking]
    limit = -math.log(1 - CONFIDENCE)
    refuted = [at for at, evidence in enumerate(sample.evidence_path(totals)) if evidence >= limit]
    # Looks that refute it stand together: the first, the last and one between tell on which side.
    for look in sorted({refuted[0], refuted[len(refuted) // 2], refuted[-1]} if refuted else ()):
        shorter = ReadSample(sample.sizes, sample.read[: look + 1], sample.prior)
        if shorter.highest_total(CONFIDENCE) < _truth(case) - _EPSILON:
            return True
    return False


def _too_low_once(case: Case, read: Sequence[tuple[int, float]]) -> bool:
    table = [
        Counted(
            sum(value > 0 for stratum, value in read if stratum == number),
            sum(stratum == number for stratum, _ in read),
            size,
        )
        for number, size in enumerate(case.sizes)
    ]
    return believable_total(table, CONFIDENCE) < _truth(case) - _EPSILON


def _when_reached(case: Case, sample: ReadSample) -> int | None:
    """After how many notes the wanted bound was first given, looking eight times."""
    n = len(sample.read)
    for look in sorted({*range(20, n, max(20, n // 8)), n}):
        shorter = ReadSample(sample.sizes, sample.read[:look], sample.prior)
        if shorter.highest_total(CONFIDENCE) <= case.wanted * sum(case.sizes) + _EPSILON:
            return look
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--validations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20261119)
    given = parser.parse_args()
    head = ("notes", "strata", "leaking", "ever too low", "too low at one look", "stopped")
    lines = [
        f"# How often a bound was too low: {given.validations:,} validations a row, {CONFIDENCE:.0%} sure",
        "",
        (
            "Wanted: at most 2 %. The bound that holds at every look was looked at after every note; at most "
            "5 % may ever be too low. Stopped: notes read when the wanted bound was reached, for the middle "
            "one of the first validations."
        ),
        "",
        "| " + " | ".join(head) + " |",
        "|" + " --- |" + " ---: |" * (len(head) - 1),
    ]
    for number, case in enumerate(CASES):
        lines.append("| " + " | ".join(simulate(case, given.validations, given.seed + number).row) + " |")
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
