"""What readers said of the notes of a sample, as it stands: a row a note, in the order of the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REASONS = {
    "missed": "not found at all",
    "partly": "only part of it was replaced",
    "spelled": "misspelled or written unusually",
    "context": "tells who it is by context",
    "surrogate": "a surrogate shows the original",
    "policy": "left as the policy says",
    "other": "something else",
}
"""Why a leak came about, as readers may say it."""


@dataclass(frozen=True, slots=True)
class Leak:
    """What one layer of a note says: leaked words by type."""

    words: Mapping[str, int] = field(default_factory=dict)
    spans: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def n_words(self) -> int:
        return sum(self.words.values())

    def __bool__(self) -> bool:
        return bool(self.spans)


@dataclass(frozen=True, slots=True)
class NoteVerdict:
    """A note of the sample: what each reader who finished it said, and what the third opening settled."""

    stratum: int
    readings: Mapping[str, Leak]
    settled: Leak | None = None

    def is_read(self, readers: int) -> bool:
        return len(self.readings) >= readers

    @property
    def agreed(self) -> bool:
        """Whether all readers found a leak, or none did."""
        return len({bool(each) for each in self.readings.values()}) <= 1

    @property
    def open(self) -> bool:
        """Whether readers differ and nobody has settled it."""
        return not self.agreed and self.settled is None

    @property
    def final(self) -> Leak:
        """What counts: what was settled, else the reading with most leaked words, which is never too low."""
        if self.settled is not None:
            return self.settled
        return max(self.readings.values(), key=lambda each: (bool(each), each.n_words), default=Leak())


def counted_prefix(verdicts: Sequence[NoteVerdict], readers: int) -> list[NoteVerdict]:
    """The notes that count: those read without a gap from the first of their stratum.

    Which notes are read first must not depend on what stands in them, or the sample is none by chance.
    """
    stopped: set[int] = set()
    counted = []
    for each in verdicts:
        if each.stratum in stopped:
            continue
        if each.is_read(readers):
            counted.append(each)
        else:
            stopped.add(each.stratum)
    return counted


def cross_table(verdicts: Sequence[NoteVerdict]) -> tuple[tuple[str, str], Counter[tuple[str, str]]] | None:
    """The two readers with most notes in common, and how often one's verdict met the other's."""
    pairs = Counter(
        (one, other) for each in verdicts for one in each.readings for other in each.readings if one < other
    )
    if not pairs:
        return None
    one, other = max(sorted(pairs), key=lambda pair: pairs[pair])
    table = Counter(
        (_say(each.readings[one]), _say(each.readings[other]))
        for each in verdicts
        if one in each.readings and other in each.readings
    )
    return (one, other), table


def _say(leak: Leak) -> str:
    return "leak" if leak else "no leak"
