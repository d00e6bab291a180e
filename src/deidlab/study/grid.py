"""A study in, its runs out: every setting of every model's grid, named after what decides it."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deidlab.errors import ConfigError
from deidlab.study.spec import ModelSpec, StudySpec, last_part
from deidlab.train.presets import load_preset, preset_grid
from deidlab.train.settings import TrainSettings, settings_from

WARMUP_EPOCHS = "warmup_epochs"
"""A warm-up of so many epochs, whatever the run's length; becomes the share that training knows."""


@dataclass(frozen=True, slots=True)
class Run:
    """One setting of one model. `rung` and `final` tell of successive halving; `before` is the rung below."""

    id: str
    model: str
    settings: TrainSettings
    rung: int | None = None
    final: bool = True
    before: str | None = None

    def as_dict(self) -> dict[str, Any]:
        table: dict[str, Any] = {"id": self.id, "model": self.model, "settings": self.settings.as_dict()}
        return table | {"rung": self.rung, "final": self.final, "before": self.before}


def run_from(table: Mapping[str, Any]) -> Run:
    """The mirror of `as_dict`."""
    settings = settings_from(table["settings"], f"run {table['id']}")
    return Run(table["id"], table["model"], settings, table["rung"], table["final"], table["before"])


def expand_runs(spec: StudySpec) -> dict[str, list[Run]]:
    """The runs of each model, in the order of its grid; the same settings twice are one run."""
    return {model.name: expand_model(spec, model) for model in spec.models}


def expand_model(spec: StudySpec, model: ModelSpec) -> list[Run]:
    """The runs of one model."""
    runs = (make_run(model, settings) for settings in expand_settings(spec, model))
    return list({run.id: run for run in runs}.values())


def expand_settings(spec: StudySpec, model: ModelSpec) -> list[TrainSettings]:
    """A model's settings: its preset, then the study's table, then its own, then each cell of the grid."""
    where = f"model {model.name}"
    fixed = dict(spec.settings) | dict(model.settings)
    grid = dict(spec.grid) | dict(model.grid)
    if model.preset:
        known = model.model or model.name
        config = dict(model.config) or None
        starts = (
            [load_preset(model.preset, known, config)] if grid else preset_grid(model.preset, known, config)
        )
    else:
        # The study's own way: the number of epochs is a setting, so the last weights are the run's.
        starts = [TrainSettings(keep="last")]
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(f"{where}: the grid's '{key}' must be a list of at least one value")
    cells = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    return [_settings(start, fixed | cell, where) for start in starts for cell in cells]


def _settings(start: TrainSettings, values: dict[str, Any], where: str) -> TrainSettings:
    warmup = values.pop(WARMUP_EPOCHS, None)
    chosen = settings_from(start.as_dict() | values, where)
    if warmup is None:
        return chosen
    if type(warmup) not in (int, float) or not 0 <= warmup <= 0.9 * chosen.epochs:
        raise ConfigError(f"{where}: '{WARMUP_EPOCHS}' must be a number up to nine tenths of the epochs")
    return chosen.changed(warmup=warmup / chosen.epochs)


def make_run(model: ModelSpec, settings: TrainSettings, rung: int | None = None, final: bool = True) -> Run:
    """The run of a model with these settings."""
    source = [last_part(model.model), last_part(model.tokenizer), model.scratch, dict(model.config)]
    usual = TrainSettings().as_dict()
    # A setting at its default is left out, so that names outlive settings that are added later.
    said = {key: value for key, value in settings.as_dict().items() if value != usual[key]}
    text = json.dumps([source, said], sort_keys=True, ensure_ascii=False)
    name = f"{model.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Run(name if rung is None else f"{name}-r{rung}", model.name, settings, rung, final)
