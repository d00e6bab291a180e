"""What rules are made of, and those that suit notes in any language.

A rule is a name and a pure function from text to spans. Below it stand the ways to read a text (readings),
words and cues to look for (folding, wordlists, numbers) and how a person's name looks (person). Rules of one
language stand in its folder, `deidlab.languages`, which also says which rules run for it, in which order.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass

from deidlab.types import Span

Find = Callable[[str], list[Span]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, and in one line what it finds; its spans carry a source that starts with `rules:`.

    `finder` is the function, or the module whose `find` it is: some read long lists, so a module is imported
    only when its rule is first run.
    """

    name: str
    about: str
    finder: Find | str

    @property
    def find(self) -> Find:
        return _load(self.finder) if isinstance(self.finder, str) else self.finder


@functools.cache
def _load(module: str) -> Find:
    find: Find = importlib.import_module(module).find
    return find


WEB = Rule("web", "e-mail, web, IP and hardware addresses", f"{__name__}.web")
PHONES = Rule("phones", "telephone and fax numbers of any country", f"{__name__}.phones")
NATIONAL = Rule("national", "national identifiers with a valid check digit", f"{__name__}.national")
DATES = Rule("dates", "dates in numbers and words, weekdays, seasons, holidays", f"{__name__}.dates")
PLACES = Rule("places", "streets, postcodes, and towns beside them", f"{__name__}.places")
INSTITUTIONS = Rule(
    "institutions", "hospitals and health systems that are known by name", f"{__name__}.institutions"
)
ROOMS = Rule("rooms", "numbers of rooms, beds and wards", f"{__name__}.rooms")
NEUTRAL = (WEB, PHONES, NATIONAL, PLACES, INSTITUTIONS, ROOMS)
"""What runs for a language that has nothing of its own yet."""
