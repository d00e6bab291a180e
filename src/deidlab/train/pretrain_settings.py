"""What a pretraining is made with: one frozen value, read from a table or options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.options import option
from deidlab.train.models import ModelSource
from deidlab.train.record import SETTINGS
from deidlab.train.settings import MOST_CANARIES, TrainSettings, check_table


def _setting(default: object, help: str) -> Any:
    return option(default, help=help)


@dataclass(frozen=True, slots=True)
class PretrainSettings:
    """Everything that decides a pretraining, but for the model and the notes."""

    GROUP: ClassVar[str] = "Settings"

    epochs: int = _setting(3, "How many times to go through the notes.")
    batch: int = _setting(32, "Windows per step, on average: steps hold a constant number of pieces.")
    learning_rate: float = _setting(1e-4, "Highest learning rate of AdamW.")
    weight_decay: float = _setting(0.01, "Weight decay of AdamW; biases and norms are left out.")
    warmup: float = _setting(0.06, "Share of the run over which the learning rate rises from zero.")
    schedule: str = _setting("linear", "How the learning rate falls: linear, cosine, constant.")
    mask_share: float = _setting(0.15, "Share of the pieces that are to be predicted.")
    validation_share: float = _setting(
        0.05, "Share of the notes held out, by patient, to measure on; 0: none."
    )
    canaries: int = _setting(0, "Made-up secrets to plant, so that the record says what was memorised.")
    dropout: float | None = _setting(None, "Dropout everywhere in the model; the model's own unless given.")
    seed: int = _setting(1, "Seed of everything random in the run.")
    window: int = _setting(512, "Pieces in a window, special ones included.")
    stride: int = _setting(510, "Pieces from one window's start to the next; the rest is overlap.")
    accumulate: int = _setting(1, "Batches whose gradients are added up to one step.")
    clip: float = _setting(1.0, "Largest norm of the gradient; 0 does not clip.")
    words: str = _setting("runs", "How text is cut into words: runs, whitespace.")
    precision: str = _setting("auto", "bf16 or fp32; auto is bf16 on a GPU and fp32 elsewhere.")
    checkpoint_minutes: float = _setting(5.0, "Time between checkpoints; an interrupted run writes one too.")

    def __post_init__(self) -> None:
        self.as_train()
        for key, low, high in (
            ("mask_share", 0.01, 0.9),
            ("validation_share", 0.0, 0.9),
            ("canaries", 0, MOST_CANARIES),
        ):
            if not low <= getattr(self, key) <= high:
                raise ConfigError(
                    f"'{key}' is {getattr(self, key)}; it must be at least {low} and at most {high}"
                )

    def as_train(self) -> TrainSettings:
        """Those that the loop shares with fine-tuning; checks them too."""
        shared = (
            "epochs", "batch", "learning_rate", "weight_decay", "warmup", "schedule", "dropout", "seed",
            "window", "stride", "accumulate", "clip", "words", "precision", "checkpoint_minutes",
        )  # fmt: skip
        return TrainSettings(**{key: getattr(self, key) for key in shared}, keep="last")


@dataclass(frozen=True, slots=True)
class PretrainRequest:
    """Model and notes of a pretraining."""

    model: str
    notes: str = ""
    format: str = ""
    tokenizer: str = ""
    scratch: bool = False

    @property
    def source(self) -> ModelSource:
        """Where the model comes from."""
        return ModelSource(self.model, self.scratch, self.tokenizer)


def pretrain_settings_from(table: Mapping[str, Any], where: str = "settings") -> PretrainSettings:
    return PretrainSettings(**check_table(PretrainSettings, table, where))


def read_pretrain_request(folder: Path | str) -> tuple[PretrainRequest, PretrainSettings]:
    """What the pretraining in this folder was asked for."""
    path = Path(folder) / SETTINGS
    table = read_object(path)
    try:
        request = PretrainRequest(**table["request"])
    except (KeyError, TypeError):
        raise ConfigError(f"{path}: not the settings of a pretraining") from None
    return request, pretrain_settings_from(table["settings"], str(path))
