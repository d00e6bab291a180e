"""What a run is made with: one frozen value, read from TOML, a preset or options.

An unknown key is an error that names the nearest valid one; every field is used by the run.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from deidlab.encode.words import WORD_STYLES
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.options import option
from deidlab.tomlfile import read_table

DECODINGS = ("viterbi", "greedy", "crf")
SCHEDULES = ("linear", "cosine", "constant")
CLASS_WEIGHTS = ("none", "sqrt", "balanced")
PRECISIONS = ("auto", "bf16", "fp32")
COMPILE = ("auto", "on", "off")
KEEP = ("best", "last")
MOST_CANARIES = 1000


def _setting(default: object, help: str) -> Any:
    return option(default, help=help)


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Everything that decides a fine-tuning, but for the model and the corpora."""

    GROUP: ClassVar[str] = "Settings"

    epochs: int = _setting(20, "How many times to go through the training notes.")
    batch: int = _setting(16, "Windows per step, on average: steps hold a constant number of pieces.")
    learning_rate: float = _setting(5e-5, "Highest learning rate of AdamW.")
    weight_decay: float = _setting(0.01, "Weight decay of AdamW; biases and norms are left out.")
    warmup: float = _setting(0.0, "Share of the run over which the learning rate rises from zero.")
    schedule: str = _setting("linear", f"How the learning rate falls: {', '.join(SCHEDULES)}.")
    label_smoothing: float = _setting(0.0, "Share of each gold tag's weight that is spread over all tags.")
    dropout: float | None = _setting(None, "Dropout everywhere in the model; the model's own unless given.")
    class_weights: str = _setting(
        "none", f"Weigh tags by their rarity: {', '.join(CLASS_WEIGHTS)} (by frequency)."
    )
    seed: int = _setting(1, "Seed of everything random in the run.")
    window: int = _setting(512, "Pieces in a window, special ones included.")
    stride: int = _setting(384, "Pieces from one window's start to the next; the rest is overlap.")
    all_pieces: bool = _setting(False, "Learn from all pieces of a word, not only its first.")
    patience: int = _setting(0, "Stop after this many validations without a better F1; 0 never stops.")
    validate_every: int = _setting(1, "Epochs from one validation to the next; the last is always validated.")
    keep: str = _setting("best", "Weights to keep: those of the best validation, or the last.")
    accumulate: int = _setting(1, "Batches whose gradients are added up to one step.")
    decoding: str = _setting(
        "viterbi", "How tags are chosen: viterbi (valid BIO only), greedy, or crf (learned steps)."
    )
    clip: float = _setting(1.0, "Largest norm of the gradient; 0 does not clip.")
    layer_decay: float = _setting(1.0, "Factor on the learning rate from each layer to the one below it.")
    head_rate: float = _setting(1.0, "Factor on the learning rate of the layers that are new.")
    average: float = _setting(0.0, "Decay per step of a moving average of the weights; 0 keeps none.")
    hide_pieces: float = _setting(0.0, "Share of the pieces hidden at each step, so that context must tell.")
    shapes: bool = _setting(False, "Give the model each word's letter case and the white space before it.")
    swaps: int = _setting(0, "Copies of the notes to add, their PHI exchanged against that of other notes.")
    teacher_share: float = _setting(1.0, "With teachers: their share in what is learned; the rest is gold.")
    words: str = _setting("runs", f"How text is cut into words: {', '.join(WORD_STYLES)}.")
    precision: str = _setting("auto", "bf16 or fp32; auto is bf16 on a GPU and fp32 elsewhere.")
    compile: str = _setting("auto", "Compile the model on a GPU: on, off, or auto (where the run is long).")
    checkpoint_minutes: float = _setting(5.0, "Time between checkpoints; an interrupted run writes one too.")

    def __post_init__(self) -> None:
        _check(self)

    def changed(self, **changes: Any) -> TrainSettings:
        """The same settings but for those given; None leaves one as it is."""
        return replace(self, **{key: value for key, value in changes.items() if value is not None})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def settings_from(table: Mapping[str, Any], where: str = "settings") -> TrainSettings:
    """Settings from a table of keys and values, such as a TOML file's; missing ones keep their default."""
    return TrainSettings(**check_table(TrainSettings, table, where))


def check_table(kind: type[Any], table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The table's values for a dataclass of settings, each of the right type and none unknown."""
    hints = get_type_hints(kind)
    known = [each.name for each in fields(kind)]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
            raise ConfigError(f"{where}: unknown setting '{key}'; {hint}")
        values[key] = _convert(key, value, hints[key], where)
    return values


def read_settings(path: Path | str) -> TrainSettings:
    """Settings from a TOML file."""
    path = Path(path)
    return settings_from(read_table(path), str(path))


def _convert(key: str, value: object, hint: Any, where: str) -> Any:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return None
    if float in kinds and type(value) is int:
        return float(value)
    if type(value) not in kinds:
        names = " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
        raise ConfigError(f"{where}: '{key}' must be a {names}, not a {type(value).__name__}")
    return value


_CHOICES: dict[str, tuple[str, ...]] = {
    "schedule": SCHEDULES,
    "class_weights": CLASS_WEIGHTS,
    "precision": PRECISIONS,
    "compile": COMPILE,
    "keep": KEEP,
    "decoding": DECODINGS,
    "words": WORD_STYLES,
}
# Name: lowest, highest, and whether the lowest itself will do.
_RANGES: dict[str, tuple[float, float, bool]] = {
    "epochs": (1, 1e6, True),
    "batch": (1, 1e6, True),
    "learning_rate": (0, 10, False),
    "weight_decay": (0, 10, True),
    "warmup": (0, 0.9, True),
    "label_smoothing": (0, 0.9, True),
    "dropout": (0, 0.9, True),
    "window": (8, 1e6, True),
    "stride": (1, 1e6, True),
    "patience": (0, 1e6, True),
    "validate_every": (1, 1e6, True),
    "accumulate": (1, 1e6, True),
    "clip": (0, 1e6, True),
    "layer_decay": (0, 1, False),
    "head_rate": (0, 1e4, False),
    "hide_pieces": (0, 0.9, True),
    "average": (0, 0.99999, True),
    "swaps": (0, 1000, True),
    "teacher_share": (0, 1, False),
    "checkpoint_minutes": (0, 1e6, True),
    "seed": (0, 2**31 - 1, True),
}


def _check(settings: TrainSettings) -> None:
    for key, choices in _CHOICES.items():
        if getattr(settings, key) not in choices:
            raise UnknownNameError(f"value of '{key}':", str(getattr(settings, key)), choices)
    for key, (low, high, closed) in _RANGES.items():
        value = getattr(settings, key)
        if value is not None and not (low <= value <= high and (closed or value > low)):
            least = "at least" if closed else "more than"
            raise ConfigError(f"'{key}' is {value}; it must be {least} {low:g} and at most {high:g}")
    if settings.decoding == "crf":
        for key, off in (("label_smoothing", 0.0), ("class_weights", "none"), ("all_pieces", False)):
            if getattr(settings, key) != off:
                raise ConfigError(f"'{key}' does not go with the decoding crf: leave it at {off}")
    if settings.stride > settings.window:
        raise ConfigError(f"the stride ({settings.stride}) is larger than the window ({settings.window})")
