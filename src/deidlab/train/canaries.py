"""Canaries: made-up secrets put among the notes, and how well a model knows them afterwards.

A canary is a short note with a code of digits that nobody could guess. After pretraining, the code's
likelihood is ranked among other codes of the same form. Exposure is the logarithm of how much better the true
code ranks than by chance: 0 bits say that nothing was kept of it, the most possible that it comes first.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from deidlab.encode.pieced import Cutting, PiecedCorpus, piece_texts
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import IGNORED, WindowShape
from deidlab.train.masking import score_hidden
from deidlab.types import Document

if TYPE_CHECKING:
    import torch
    from torch import nn

N_DIGITS = 6
N_RIVALS = 127
_TIMES = (1, 4, 16, 64)


@dataclass(frozen=True, slots=True)
class Canary:
    """One secret: the text before its code, the code, and how often it stands among the notes."""

    name: str
    code: tuple[int, ...]
    times: int

    def text(self, code: Sequence[int] | None = None) -> str:
        digits = " ".join(map(str, self.code if code is None else code))
        return f"Reference {self.name}: the confirmation code is {digits}."


def make_canaries(number: int, seed: int) -> list[Canary]:
    """So many canaries; they stand once, 4, 16 and 64 times among the notes, in turn."""
    draw = random.Random(f"canaries {seed}")
    return [
        Canary("".join(draw.choices("BCDFGHJKLMNPQRSTVWXZ", k=5)), _code(draw), _TIMES[index % len(_TIMES)])
        for index in range(number)
    ]


def plant_canaries(documents: Sequence[Document], canaries: Sequence[Canary]) -> list[Document]:
    """The notes, and after them each canary as often as it says."""
    planted = [
        Document(id=f"canary-{index}-{time}", text=canary.text())
        for index, canary in enumerate(canaries)
        for time in range(canary.times)
    ]
    return [*documents, *planted]


def measure_exposure(
    model: nn.Module,
    canaries: Sequence[Canary],
    pieces: WordPieces,
    shape: WindowShape,
    device: torch.device,
    seed: int,
) -> list[dict[str, Any]]:
    """For each canary how often it was seen, its rank among all codes tried, and its exposure in bits."""
    draw = random.Random(f"rivals {seed}")
    found = []
    for canary in canaries:
        codes = [canary.code, *(_code(draw) for _ in range(N_RIVALS))]
        chances = _likelihoods(model, [canary.text(code) for code in codes], pieces, shape, device)
        # Of equals half count as better: a model that knows nothing then stands in the middle.
        others = chances[1:]
        rank = 1 + float((others > chances[0]).sum()) + 0.5 * float((others == chances[0]).sum())
        found.append(
            {"times": canary.times, "rank": rank, "of": len(codes), "exposure": math.log2(len(codes) / rank)}
        )
    return found


def summarise_exposure(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean exposure by how often a canary was seen, and how many came first of all."""
    by_times: dict[int, list[float]] = {}
    for each in found:
        by_times.setdefault(each["times"], []).append(each["exposure"])
    return {
        "canaries": len(found),
        "memorised": sum(each["rank"] == 1 for each in found),
        "most_possible": math.log2(N_RIVALS + 1),
        "exposure_by_times_seen": {
            str(times): round(float(np.mean(bits)), 3) for times, bits in sorted(by_times.items())
        },
    }


def _code(draw: random.Random) -> tuple[int, ...]:
    return tuple(draw.randrange(10) for _ in range(N_DIGITS))


def _likelihoods(
    model: nn.Module, texts: Sequence[str], pieces: WordPieces, shape: WindowShape, device: torch.device
) -> Any:
    """The log-likelihood of each text's digits, each digit hidden in turn."""
    notes = [Document(id=str(index), text=text) for index, text in enumerate(texts)]
    corpus = piece_texts(notes, Cutting(pieces, shape))
    chances, _ = score_hidden(model, _one_hidden_each(corpus, pieces), device, 64)
    return chances.reshape(len(texts), N_DIGITS).sum(axis=1)


def _one_hidden_each(corpus: PiecedCorpus, pieces: WordPieces) -> PiecedCorpus:
    """Every window once for each digit, with that digit hidden and as the label of its place."""
    parts: list[tuple[Any, Any, Any]] = []
    for window in range(corpus.n_windows):
        start, end = int(corpus.starts[window]), int(corpus.starts[window + 1])
        first, last = np.searchsorted(corpus.deciding, (start, end))
        # The last word is the full stop.
        for place in corpus.deciding[last - 1 - N_DIGITS : last - 1] - start:
            ids, labels = corpus.ids[start:end].copy(), np.full(end - start, IGNORED, np.int32)
            ids[place], labels[place] = pieces.hidden, corpus.ids[start + place]
            parts.append((ids, labels, corpus.shapes[start:end]))
        assert first <= last - 1 - N_DIGITS
    ids, labels, shapes = (np.concatenate(part) for part in zip(*parts, strict=True))
    starts = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts])])
    return replace(corpus, ids=ids, labels=labels, shapes=shapes, starts=starts)
