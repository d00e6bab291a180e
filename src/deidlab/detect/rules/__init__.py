"""Every rule: a name and a pure function from text to spans, in the order they are run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from deidlab.types import Span


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's spans carry a source that starts with `rules:`."""

    name: str
    find: Callable[[str], list[Span]]


CHEAP = ("dates", "ages", "web", "phones", "ids", "national")


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule there is; the `CHEAP` ones read numbers and need no lists."""
    from deidlab.detect.rules import (
        ages,
        dates,
        gazetteer,
        ids,
        names,
        national,
        organisations,
        phones,
        places,
        professions,
        usernames,
        web,
    )

    modules = (
        dates,
        ages,
        web,
        phones,
        ids,
        national,
        places,
        organisations,
        names,
        usernames,
        professions,
        gazetteer,
    )
    return tuple(Rule(module.__name__.rpartition(".")[2], module.find) for module in modules)
