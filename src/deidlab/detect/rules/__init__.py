"""Every rule: a name and a pure function from text to spans, in the order they are run."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass

from deidlab.types import Span


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's spans carry a source that starts with `rules:`."""

    name: str
    find: Callable[[str], list[Span]]


CHEAP = ("dates", "ages", "web", "phones", "ids", "national")
_NAMES = (*CHEAP, "places", "organisations", "names", "usernames", "professions", "gazetteer")


# In Spanish the others find more that is no PHI than PHI that the Spanish model misses; `es` has its own.
_OWN = ("dates", "ages", "kin", "names", "listed", "ids", "institutions", "places", "work")
BY_LANGUAGE = {"es": ("web", "phones", "national", "places", *(f"es.{name}" for name in _OWN))}


def rules_beside(language: str) -> tuple[Rule, ...]:
    """The rules that go with a model of a language; all of them where nothing is known of it."""
    return _load(BY_LANGUAGE.get(language, _NAMES))


def all_rules() -> tuple[Rule, ...]:
    """Every rule there is; the `CHEAP` ones read numbers and need no lists."""
    return _load(_NAMES)


@functools.cache
def _load(names: tuple[str, ...]) -> tuple[Rule, ...]:
    # Only what is asked for is imported: some rules read long lists.
    return tuple(Rule(name, importlib.import_module(f"{__name__}.{name}").find) for name in names)
