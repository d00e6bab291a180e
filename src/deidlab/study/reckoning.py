"""Words of notes and a model's speed in, windows, steps and seconds out: the arithmetic of a plan."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from deidlab.study.records import Completion
from deidlab.train.settings import TrainSettings

PIECES_PER_WORD = 1.35
"""What tokenizers of English give on average; used only where a model's own is not at hand."""

# Without gradients a piece takes a third of the arithmetic.
_SHARE_OF_PREDICTING = 1 / 3


@dataclass(frozen=True, slots=True)
class NoteLengths:
    """Words of each training note, and how many notes a model is validated on."""

    words: Sequence[int]
    n_validation: int


@dataclass(frozen=True, slots=True)
class TimedSpeed:
    """What a model takes on this machine, from a few timed steps.

    `per_word` are its tokenizer's pieces a word, where that was at hand (`why` not, otherwise). A process
    needs `first_seconds` for its first training, and each training `job_seconds`, before the first step.
    `note_seconds` are those of deciding and measuring a validation note, once it is scored.
    """

    pieces_per_second: float
    how: str
    device: str
    per_word: float | None = None
    why: str = ""
    first_seconds: float = 0.0
    job_seconds: float = 0.0
    note_seconds: float = 0.0

    def steps(self, notes: NoteLengths, settings: TrainSettings) -> int:
        """Optimizer steps of a run."""
        return _steps(count_windows(notes.words, self.per_word or PIECES_PER_WORD, settings)[0], settings)

    def seconds(self, notes: NoteLengths, settings: TrainSettings) -> float:
        """What a run takes."""
        _, n_pieces = count_windows(notes.words, self.per_word or PIECES_PER_WORD, settings)
        epoch = n_pieces / self.pieces_per_second
        share = notes.n_validation / len(notes.words) / (1 + settings.swaps)
        validation = notes.n_validation * self.note_seconds + share * epoch * _SHARE_OF_PREDICTING
        return self.job_seconds + settings.epochs * epoch + _n_validations(settings) * validation


@dataclass(frozen=True, slots=True)
class KnownSpeed:
    """What a model's completed runs took: medians of an epoch and of a validation, the mean of the rest."""

    pieces_per_second: float
    device: str
    epoch_seconds: float
    validation_seconds: float
    job_seconds: float
    windows_per_note: float
    how: str = "completed runs"
    per_word: float | None = None
    first_seconds: float = 0.0

    def steps(self, notes: NoteLengths, settings: TrainSettings) -> int:
        return _steps(self.windows_per_note * len(notes.words), settings)

    def seconds(self, notes: NoteLengths, settings: TrainSettings) -> float:
        trained = settings.epochs * self.epoch_seconds
        return self.job_seconds + trained + _n_validations(settings) * self.validation_seconds


Speed = TimedSpeed | KnownSpeed

UNTIMED = TimedSpeed(math.inf, "", "")
"""Of a model of which nothing is known: it can count steps."""


def speed_of_runs(completions: Iterable[Completion]) -> KnownSpeed | None:
    """The speed of a model's completed runs; None where there are none."""
    done = [each for each in completions if each.is_done and each.speed.get("train") and each.epochs]
    if not done:
        return None
    epochs = [entry for each in done for entry in each.epochs]
    validations = [entry["validation_seconds"] for entry in epochs if "validation_seconds" in entry]
    train = [each.speed["train"] for each in done]
    beside = [_beside_epochs(each) for each in _trained_alone(done)]
    return KnownSpeed(
        pieces_per_second=median(each["pieces_per_second"] for each in train),
        device="cuda" if any(each.gpu_seconds for each in done) else "cpu",
        epoch_seconds=median(entry["seconds"] for entry in epochs),
        validation_seconds=median(validations) if validations else 0.0,
        job_seconds=fmean(beside) if beside else 0.0,
        windows_per_note=median(each["windows_per_second"] / each["notes_per_second"] for each in train),
    )


def _trained_alone(done: Sequence[Completion]) -> list[Completion]:
    """Runs that had a training to themselves, from its beginning and in one attempt."""
    sharing = {each.shares for each in done if each.shares} | {each.run for each in done if each.shares}
    return [each for each in done if each.run not in sharing and each.attempts == 1 and (each.rung or 1) == 1]


def _beside_epochs(completion: Completion) -> float:
    within = sum(entry["seconds"] + entry.get("validation_seconds", 0.0) for entry in completion.epochs)
    return max(0.0, (completion.gpu_seconds or completion.seconds) - float(within))


def count_windows(words: Sequence[int], per_word: float, settings: TrainSettings) -> tuple[int, float]:
    """Windows and pieces of an epoch over notes of so many words each; overlap and swapped copies counted."""
    window, stride = settings.window - 2, settings.stride
    lengths = [n_words * per_word for n_words in words if n_words]
    counts = [1 + max(0, math.ceil((length - window) / stride)) for length in lengths]
    overlap = window - stride
    pieces = sum(length + (n - 1) * overlap + 2 * n for length, n in zip(lengths, counts, strict=True))
    return sum(counts) * (1 + settings.swaps), pieces * (1 + settings.swaps)


def _steps(n_windows: float, settings: TrainSettings) -> int:
    return settings.epochs * math.ceil(n_windows / (settings.batch * settings.accumulate))


def _n_validations(settings: TrainSettings) -> int:
    return math.ceil(settings.epochs / settings.validate_every)
