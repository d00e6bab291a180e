"""Canaries: made-up secrets put among the notes, and how well a model knows them afterwards.

A canary is a short note with a secret that nobody could guess; as many more are made alike and held out.
After training, how sure the model is of a secret is ranked among others of the same form in its place.
Exposure is the logarithm of how much better the true one ranks than by chance: 0 bits say that nothing was
kept of it, the most possible that it comes first. What a secret is, and what it means to be sure of one, says
whoever trains: `canary_codes` for pretraining, `canary_mentions` for taggers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from deidlab.encode.pieced import PiecedCorpus
from deidlab.evaluate.areas import area_interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.resample import ResampleSettings
from deidlab.types import Document, Span

N_RIVALS = 127
HELD_OUT = 0
"""How often a canary that was held out stands among the notes."""
_TIMES = (1, 4, 16, 64)
# Canaries whose notes are in memory at once, each with all its rivals.
_AT_ONCE = 32

Place = tuple[int, int]
HowSure = Callable[[Sequence[Document], Sequence[Place]], Floats]
"""Notes and the place of the secret in each in, how sure a model is of each secret out."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The text around a secret with its spans, and the label of the secret; without one it is no span."""

    before: str = field(repr=False)
    after: str = field(repr=False)
    label: str = ""
    spans_before: tuple[Span, ...] = ()
    spans_after: tuple[Span, ...] = ()

    def place(self, secret: str) -> Place:
        return len(self.before), len(self.before) + len(secret)

    def note(self, secret: str, id: str, patient: str = "") -> Document:
        """The note with this secret; `spans_after` count from the end of the secret."""
        start, end = self.place(secret)
        own = (Span(start, end, self.label),) if self.label else ()
        moved = (Span(span.start + end, span.end + end, span.label) for span in self.spans_after)
        text = f"{self.before}{secret}{self.after}"
        return Document(id=id, patient=patient or id, text=text, spans=(*self.spans_before, *own, *moved))


@dataclass(frozen=True, slots=True)
class Canary:
    """One secret of a kind, those it is ranked among, and how often it stands among the notes and where.

    In `elsewhere` it never stands: whether a model knows the secret without what stood around it.
    """

    kind: str
    secret: str = field(repr=False)
    rivals: tuple[str, ...] = field(repr=False)
    surroundings: Surroundings = field(repr=False)
    times: int
    elsewhere: Surroundings | None = field(default=None, repr=False)


def deal_times(number: int) -> list[int]:
    """So many canaries stand once, 4, 16 and 64 times among the notes, in turn; as many are held out."""
    return [*(_TIMES[index % len(_TIMES)] for index in range(number)), *[HELD_OUT] * number]


def plant_canaries(canaries: Sequence[Canary]) -> list[Document]:
    """What is put among the notes: each canary as often as it says, the same patient's each time."""
    return [
        canary.surroundings.note(canary.secret, f"canary-{index}-{time}", f"canary-{index}")
        for index, canary in enumerate(canaries)
        for time in range(canary.times)
    ]


def measure_exposure(
    canaries: Sequence[Canary], how_sure: HowSure, elsewhere: bool = False
) -> list[dict[str, Any]]:
    """For each canary how often it was seen, its rank among all secrets tried, and its exposure in bits."""
    found = []
    for first in range(0, len(canaries), _AT_ONCE):
        some = canaries[first : first + _AT_ONCE]
        notes: list[Document] = []
        places: list[Place] = []
        for canary in some:
            around = canary.elsewhere if elsewhere and canary.elsewhere else canary.surroundings
            for secret in (canary.secret, *canary.rivals):
                notes.append(around.note(secret, str(len(notes))))
                places.append(around.place(secret))
        sure = how_sure(notes, places).reshape(len(some), -1)
        found += [_rank(canary, row) for canary, row in zip(some, sure, strict=True)]
    return found


def summarise_exposure(found: Sequence[dict[str, Any]], seed: int) -> dict[str, Any]:
    """How many planted canaries came first of all, mean exposure by how often one was seen, and how surely
    planted ones are told from those held out."""
    planted = [each for each in found if each["times"] != HELD_OUT]
    held_out = [each for each in found if each["times"] == HELD_OUT]
    by_times = _group(found, "times")
    return {
        "canaries": len(planted),
        "held_out": len(held_out),
        "memorised": sum(each["rank"] == 1 for each in planted),
        "most_possible": math.log2(N_RIVALS + 1),
        "exposure_by_times_seen": {
            str(times): round(float(np.mean([each["exposure"] for each in some])), 3)
            for times, some in by_times.items()
        },
        "area": _tell_apart(found, seed),
        "area_by_times_seen": {
            str(times): _tell_apart([*some, *held_out], seed)
            for times, some in by_times.items()
            if times != HELD_OUT
        },
        "area_by_kind": {str(kind): _tell_apart(some, seed) for kind, some in _group(found, "kind").items()},
    }


def words_of_secrets(corpus: PiecedCorpus, places: Sequence[Place]) -> tuple[Ints, Ints]:
    """The numbers of the words that lie in each note's place, and the number of the note for each."""
    words, notes = [], []
    first = 0
    for note, (own, (start, end)) in enumerate(zip(corpus.words, places, strict=True)):
        inside = np.flatnonzero((own[:, 0] >= start) & (own[:, 1] <= end))
        assert len(inside), "a secret has words"
        words.append(inside + first)
        notes.append(np.full(len(inside), note))
        first += len(own)
    return np.concatenate(words), np.concatenate(notes)


def _rank(canary: Canary, sure: Floats) -> dict[str, Any]:
    # Of equals half count as better: a model that knows nothing then stands in the middle.
    own, others = sure[0], sure[1:]
    rank = 1 + float((others > own).sum()) + 0.5 * float((others == own).sum())
    exposure = math.log2(len(sure) / rank)
    return {
        "kind": canary.kind, "times": canary.times, "rank": rank, "of": len(sure), "exposure": exposure
    }  # fmt: skip


def _group(found: Sequence[dict[str, Any]], key: str) -> dict[Any, list[dict[str, Any]]]:
    return {value: [e for e in found if e[key] == value] for value in sorted({e[key] for e in found})}


def _tell_apart(found: Sequence[dict[str, Any]], seed: int) -> dict[str, float | None]:
    planted = np.array([each["times"] != HELD_OUT for each in found], int)
    exposure = np.array([each["exposure"] for each in found])
    return asdict(area_interval(planted, exposure, ResampleSettings(seed=seed)))
