"""The options of `deidlab train` that are settings, and how presets, files and options become one value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deidlab.errors import ConfigError
from deidlab.train.settings import TrainSettings, read_settings, settings_from

if TYPE_CHECKING:
    from deidlab.train.settings import TrainSettings as Settings

_HELP = {each.name: str(each.metadata["help"]) for each in fields(TrainSettings)}
_PANEL = "Settings"


def _option(name: str) -> Any:
    return typer.Option(help=_HELP[name], rich_help_panel=_PANEL, show_default=False)


Corpus = Annotated[Path | None, typer.Argument(help="Annotated notes: a file or folder of any format.")]
Model = Annotated[
    str, typer.Option(help="A folder with a model, a known name (`deidlab params --list`), or a hub id.")
]
Out = Annotated[Path | None, typer.Option(help="The run folder to write.")]
Validation = Annotated[Path | None, typer.Option(help="Annotated notes to validate on.")]
ValidationShare = Annotated[
    float, typer.Option(help="Hold out this share of the notes, by patient, where none are given.")
]
Format = Annotated[str, typer.Option(help="Format of the notes; recognised unless given.")]
Map = Annotated[str, typer.Option(help="Map labels first: a known map's name, or a TOML file.")]
Labels = Annotated[
    str,
    typer.Option(help="Label set: a known name, `corpus`, or `auto` (the model's own, else the corpus's)."),
]
Tokenizer = Annotated[
    str, typer.Option(help="Folder or tokenizer.json, or `learn` to learn one from the notes.")
]
FromScratch = Annotated[bool, typer.Option("--from-scratch", help="Start with random weights.")]
Surrogates = Annotated[
    bool, typer.Option("--surrogates", help="Replace PHI by made-up text before training.")
]
Teachers = Annotated[
    list[Path] | None,
    typer.Option(
        "--teachers",
        metavar="RUN",
        help="Learn what this finished run says; repeat it for several runs' mean.",
    ),
]
Resume = Annotated[
    Path | None, typer.Option(help="Go on with the run in this folder; settings given go over its own.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a run that is in the folder.")]

Epochs = Annotated[int | None, _option("epochs")]
Batch = Annotated[int | None, _option("batch")]
LearningRate = Annotated[float | None, _option("learning_rate")]
WeightDecay = Annotated[float | None, _option("weight_decay")]
Warmup = Annotated[float | None, _option("warmup")]
Schedule = Annotated[str | None, _option("schedule")]
LabelSmoothing = Annotated[float | None, _option("label_smoothing")]
Dropout = Annotated[float | None, _option("dropout")]
ClassWeights = Annotated[str | None, _option("class_weights")]
Seed = Annotated[int | None, _option("seed")]
WindowLength = Annotated[int | None, _option("window")]
Stride = Annotated[int | None, _option("stride")]
Patience = Annotated[int | None, _option("patience")]
Accumulate = Annotated[int | None, _option("accumulate")]
Decoding = Annotated[str | None, _option("decoding")]
Preset = Annotated[
    str,
    typer.Option(help="Settings that ship with DeidLab, such as meaney-2022.", rich_help_panel=_PANEL),
]
SettingsFile = Annotated[Path | None, typer.Option(help="A TOML file of settings.", rich_help_panel=_PANEL)]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any other setting, as often as needed: " + ", ".join(sorted(_HELP)) + ".",
        rich_help_panel=_PANEL,
    ),
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]


def settings_among(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a command's values that are settings and were given."""
    return {key: value for key, value in values.items() if key in _HELP and value is not None}


def gather_settings(
    before: Settings | None,
    preset: str,
    model: str | None,
    file: Path | None,
    given: Mapping[str, Any],
    pairs: Sequence[str],
) -> Settings:
    """One value from a preset, then a file, then single options; the later one wins."""
    chosen = before or TrainSettings()
    if preset:
        from deidlab.train.presets import load_preset

        chosen = load_preset(preset, model or "", _config_of(model))
    if file is not None:
        chosen = settings_from(chosen.as_dict() | _said(read_settings(file)), str(file))
    values = dict(given) | dict(read_pair(pair) for pair in pairs)
    return settings_from(chosen.as_dict() | values, "settings") if values else chosen


def _said(settings: Settings) -> dict[str, Any]:
    usual = TrainSettings().as_dict()
    return {key: value for key, value in settings.as_dict().items() if value != usual[key]}


def read_pair(pair: str) -> tuple[str, Any]:
    """'KEY=VALUE' as a setting; a value that is not a number or truth value is text."""
    key, equals, value = pair.partition("=")
    if not equals:
        raise ConfigError(f"--set {pair}: write KEY=VALUE")
    try:
        return key.strip().replace("-", "_"), json.loads(value)
    except ValueError:
        return key.strip().replace("-", "_"), value
    except RecursionError:
        raise ConfigError(f"--set {key.strip()}: a value that is nested too deeply") from None


def _config_of(model: str | None) -> dict[str, Any] | None:
    """What a local folder's config.json says, so that a preset can tell which model it is."""
    path = Path(model or "") / "config.json"
    if not model or not path.is_file():
        return None
    try:
        config = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return config if isinstance(config, dict) else None
