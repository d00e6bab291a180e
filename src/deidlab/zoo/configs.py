"""The models that DeidLab knows by name: facts of their configurations, in `data/zoo/configs/FAMILY.toml`.

A name or alias comes in; a `KnownModel` goes out, or an error that offers the nearest names.
No download and no library is involved.
"""

from __future__ import annotations

import difflib
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from deidlab.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One architecture with its sizes; `config` holds the keys of the published config.json.

    `family` is transformers' `model_type`; `objective` is what the model was trained to do at first.
    """

    name: str
    family: str
    objective: str
    aliases: tuple[str, ...]
    config: Mapping[str, Any] = field(hash=False)


def known_models() -> tuple[KnownModel, ...]:
    """Every known model, by name."""
    return tuple(sorted(_models().values(), key=lambda model: model.name))


def find_model(name: str) -> KnownModel | None:
    """The model of that name or alias, in any case and with `_` or `-`; None if there is none."""
    found = _names().get(_plain(name))
    return None if found is None else _models()[found]


def load_model_facts(name: str) -> KnownModel:
    """As `find_model`, but an unknown name is an error that offers the nearest known ones."""
    model = find_model(name)
    if model is None:
        raise unknown_model(name)
    return model


def unknown_model(name: str) -> UnknownNameError:
    """The error for a name that is not known: one line, with the names nearest to it."""
    if difflib.get_close_matches(_plain(name), short_names(), n=1, cutoff=0.5):
        return UnknownNameError("model", name, short_names())
    nearest = difflib.get_close_matches(_plain(name), short_names(), n=3, cutoff=0.0)
    return UnknownNameError("model", name, [*nearest, "… (deidlab params --list has all)"])


def short_names() -> tuple[str, ...]:
    """Names and aliases that people type: all but the hub's `owner/name`."""
    names = {name for model in known_models() for name in (model.name, *model.aliases)}
    return tuple(sorted(name for name in names if "/" not in name))


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")


@functools.cache
def _models() -> dict[str, KnownModel]:
    models: dict[str, KnownModel] = {}
    folder = resources.files("deidlab") / "data" / "zoo" / "configs"
    for file in sorted(folder.iterdir(), key=lambda item: item.name):
        if file.name.endswith(".toml"):
            models.update(_read_family(tomllib.loads(file.read_text(encoding="utf-8"))))
    return models


def _read_family(table: Mapping[str, Any]) -> dict[str, KnownModel]:
    return {
        name: KnownModel(
            name=name,
            family=table["family"],
            objective=facts["objective"],
            aliases=tuple(facts["aliases"]),
            config={**table["shared"], **facts["config"]},
        )
        for name, facts in table["models"].items()
    }


@functools.cache
def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for model in _models().values():
        for name in (model.name, *model.aliases):
            if names.setdefault(_plain(name), model.name) != model.name:
                raise ValueError(f"two models are called '{name}'")
    return names
