"""Settings by a name that ships, `data/presets/NAME.toml`, or from a file of the same form.

A preset may hold one table for all models (`[settings]`), and one a model (`[models.NAME]`) that goes over
it; `[grid.NAME]` lists the values that the preset's authors searched.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.shipped import Shelf
from deidlab.train.settings import TrainSettings, settings_from
from deidlab.zoo.configs import KnownModel, find_model, known_models

_PRESETS = Shelf("preset", "presets")


def known_presets() -> tuple[str, ...]:
    return _PRESETS.names()


def describe_preset(name: str) -> str:
    return str(_table(name)["description"])


def load_preset(name: str, model: str, config: Mapping[str, Any] | None = None) -> TrainSettings:
    """A preset's settings for a model: a known name, or the folder whose `config` says what it is."""
    table = _table(name)
    values = dict(table.get("settings", {}))
    if table.get("models"):
        values |= table["models"][_model_key(name, table["models"], model, config)]
    return settings_from(values, f"preset {name}")


def config_of(model: str | Path | None) -> dict[str, Any] | None:
    """What a local folder's config.json says, so that a preset can tell which model it is."""
    path = Path(model or "") / "config.json"
    if not model or not path.is_file():
        return None
    try:
        config = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return config if isinstance(config, dict) else None


def preset_grid(name: str, model: str, config: Mapping[str, Any] | None = None) -> list[TrainSettings]:
    """Every setting of the grid that the preset's authors searched for a model."""
    table = _table(name)
    if not table.get("grid"):
        raise ConfigError(f"preset {name} has no grid")
    key = _model_key(name, table["grid"], model, config)
    start = load_preset(name, model, config)
    searched: dict[str, list[Any]] = table["grid"][key]
    return [
        start.changed(**dict(zip(searched, values, strict=True)))
        for values in itertools.product(*searched.values())
    ]


def _model_key(preset: str, tables: Mapping[str, Any], model: str, config: Mapping[str, Any] | None) -> str:
    known = find_model(model)
    if known is None and config is not None:
        known = next((each for each in known_models() if _is_like(each, config)), None)
    if known is None:
        raise ConfigError(
            f"preset {preset} has settings for {', '.join(tables)}; '{model}' is none of them: "
            "give its settings yourself"
        )
    for key in tables:
        wanted = find_model(key)
        if wanted is not None and (wanted.name == known.name or _is_like(wanted, known.config, known.family)):
            return key
    raise UnknownNameError(f"model of preset {preset}:", model, tables)


def _is_like(model: KnownModel, config: Mapping[str, Any], family: str | None = None) -> bool:
    """Whether the sizes agree: bert-base-cased and bert-base-uncased are both BERT-base."""
    sizes = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    found = [config.get(size) for size in sizes]
    same = found == [model.config.get(size) for size in sizes] and None not in found
    return same and model.family == (family or config.get("model_type"))


@functools.cache
def _table(name: str) -> dict[str, Any]:
    table = _PRESETS.read(name)
    for key in ("settings", "models", "grid"):
        if not isinstance(table.get(key, {}), Mapping):
            raise ConfigError(f"preset {name}: {key} must be a table")
    return table
