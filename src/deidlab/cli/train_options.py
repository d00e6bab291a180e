"""The options of `deidlab train`, and how presets, files and options become one value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from deidlab.cli.options import argument, only_given, option
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.options.training import NotesOption, StartOptions, read_pair, setting_names
from deidlab.train.settings import MOST_CANARIES, TrainSettings, read_settings, settings_from

_SHOWN = (
    "epochs", "batch", "learning_rate", "weight_decay", "warmup", "schedule", "label_smoothing", "dropout",
    "class_weights", "seed", "window", "stride", "patience", "accumulate", "decoding",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """All that `train` takes."""

    GROUP: ClassVar[str] = "Notes"

    corpus: Path | None = argument(None, help="Annotated notes: a file or folder of any format.")
    start: StartOptions
    validation: Path | None = option(None, help="Annotated notes to validate on.")
    validation_share: float = option(
        0.0, help="Without --validation: hold out this share of the notes, by patient."
    )
    notes: NotesOption
    map: str = option("", help="Map labels first: a known map's name, or a TOML file.")
    labels: str = option(
        "auto",
        help="Label set: a known name, `corpus`, or `auto` (the model's own, else the corpus's).",
    )
    surrogates: bool = option(False, help="Replace PHI by made-up text before training.")
    canaries: int = option(
        0, min=0, max=MOST_CANARIES, metavar="N",
        help="Plant so many made-up names and numbers, so that the record says what was memorised. They are "
        "learned too.",
    )  # fmt: skip
    teachers: tuple[Path, ...] = option(
        (),
        metavar="RUN",
        help="Learn from the answers of this finished run. Repeatable: then from the runs' mean.",
        group="Model",
    )
    preset: str = option(
        "", help="Settings that ship with DeidLab, such as meaney-2022.", group=TrainSettings.GROUP
    )
    settings: Path | None = option(None, help="A TOML file of settings.", group=TrainSettings.GROUP)
    given: Annotated[dict[str, Any], only_given(TrainSettings, *_SHOWN)]
    set: tuple[str, ...] = option(
        (),
        metavar="KEY=VALUE",
        help=f"Any other setting, as often as needed: {setting_names(TrainSettings)}.",
        group=TrainSettings.GROUP,
    )
    answer: AnswerOptions


def gather_settings(options: TrainOptions, before: TrainSettings | None = None) -> TrainSettings:
    """One value from a preset, then a file, then single options; the later one wins.

    A run that goes on starts from its own settings `before`, and takes neither a preset nor a file.
    """
    chosen = before or TrainSettings()
    if before is None and options.preset:
        from deidlab.train.presets import config_of, load_preset

        model = options.start.model
        chosen = load_preset(options.preset, model, config_of(model))
    if before is None and options.settings is not None:
        said = _said(read_settings(options.settings))
        chosen = settings_from(chosen.as_dict() | said, str(options.settings))
    values = options.given | dict(read_pair(pair) for pair in options.set)
    return settings_from(chosen.as_dict() | values, "settings") if values else chosen


def _said(settings: TrainSettings) -> dict[str, Any]:
    usual = TrainSettings().as_dict()
    return {key: value for key, value in settings.as_dict().items() if value != usual[key]}
