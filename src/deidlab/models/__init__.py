"""The models that come with DeidLab, each a folder beside this file, and which one serves unasked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

HOME = Path(__file__).parent
_MARK = "export.json"
_ALWAYS = ("en", "es")
"""What an installation should have; one that lacks them says so when they are asked for."""
FOR_ALL = "all"
"""The name of the model for all languages, which serves where it is there."""


def list_models(home: Path) -> tuple[str, ...]:
    """The names of the models in a folder, that for all languages first."""
    names = {*_ALWAYS, *(each.parent.name for each in home.glob(f"*/{_MARK}"))}
    return tuple(sorted(names, key=lambda name: (name != FOR_ALL, name)))


def choose_default(names: Sequence[str]) -> str:
    """The model for all languages, or the English one."""
    return FOR_ALL if FOR_ALL in names else _ALWAYS[0]


EMBEDDED = list_models(HOME)
DEFAULT = choose_default(EMBEDDED)
