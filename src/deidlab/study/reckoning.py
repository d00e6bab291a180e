"""Words of notes and a model's speed in, windows, pieces and seconds out: the arithmetic of a plan."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from deidlab.study.records import Completion
from deidlab.train.settings import TrainSettings

PIECES_PER_WORD = 1.35
"""What tokenizers of English give on average; used only where a model's own is not at hand."""

# Without gradients a piece takes a third of the arithmetic.
_SHARE_OF_PREDICTING = 1 / 3


@dataclass(frozen=True, slots=True)
class Speed:
    """What a model takes on this machine, from timed steps or from completed runs.

    `per_word` are its tokenizer's pieces a word, where that was at hand. `besides` are the seconds that a
    completed run took beyond its steps, for starting, validating and writing.
    """

    pieces_per_second: float
    how: str
    device: str
    per_word: float | None = None
    start_seconds: float = 0.0
    notes_per_second: float | None = None
    besides: float | None = None


def speed_of_runs(completions: Iterable[Completion]) -> Speed | None:
    """The mean of a model's completed runs; None where none says how fast it was."""
    done = [each for each in completions if each.is_done and each.speed.get("train", {}).get("seconds")]
    if not done:
        return None
    trained = [each.speed["train"] for each in done]
    spent = [each.gpu_seconds or each.seconds for each in done]
    return Speed(
        pieces_per_second=fmean(each["pieces_per_second"] for each in trained),
        how="completed runs",
        device="cuda" if any(each.gpu_seconds for each in done) else "cpu",
        notes_per_second=fmean(each["notes_per_second"] for each in trained),
        besides=fmean(max(0.0, all_in - own["seconds"]) for all_in, own in zip(spent, trained, strict=True)),
    )


def count_windows(words: Sequence[int], per_word: float, settings: TrainSettings) -> tuple[int, float]:
    """Windows and pieces of an epoch over notes of so many words each, overlap counted."""
    window, stride = settings.window - 2, settings.stride
    lengths = [n_words * per_word for n_words in words]
    counts = [1 + max(0, math.ceil((length - window) / stride)) for length in lengths]
    overlap = window - stride
    pieces = sum(length + (n - 1) * overlap + 2 * n for length, n in zip(lengths, counts, strict=True))
    return sum(counts), pieces


def count_steps(words: Sequence[int], per_word: float, settings: TrainSettings) -> int:
    """Optimizer steps of a run: a batch is so many windows."""
    batch = settings.batch * settings.accumulate
    return settings.epochs * math.ceil(count_windows(words, per_word, settings)[0] / batch)


def train_seconds(speed: Speed, words: Sequence[int], held_out: float, settings: TrainSettings) -> float:
    """What a run takes; validation notes are `held_out` times as many as training notes."""
    if speed.notes_per_second:
        epoch = len(words) / speed.notes_per_second
    else:
        per_word = speed.per_word or PIECES_PER_WORD
        epoch = count_windows(words, per_word, settings)[1] / speed.pieces_per_second
    if speed.besides is not None:
        return settings.epochs * epoch + speed.besides
    n_validations = math.ceil(settings.epochs / settings.validate_every)
    return epoch * (settings.epochs + n_validations * held_out * _SHARE_OF_PREDICTING)
