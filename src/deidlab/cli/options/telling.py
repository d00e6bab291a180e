"""The options that a command was given in; the command line as a record may hold it out.

Switches, numbers, choices and names that ship with DeidLab are shown. All else stands as what it is (FILE,
SRC), since files, columns and patterns may be called after people, and may be secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from deidlab import languages
from deidlab.mask import known_policies
from deidlab.models import EMBEDDED
from deidlab.options import Option, option_of


def tell_command(name: str, options: object) -> tuple[str, ...]:
    """The command with what differs from the defaults, arguments first."""
    shown = {*known_policies(), *EMBEDDED, *languages.known()}
    given = list(_given(options))
    words = [name]
    for field_name, said, value in sorted(given, key=lambda each: not each[1].is_argument):
        words += _tell(field_name, said, value, shown)
    return tuple(words)


def _given(options: object) -> Iterator[tuple[str, Option, Any]]:
    """Every option in a group, and in the groups in it, that has another value than its default."""
    assert is_dataclass(options)
    for each in fields(options):
        value, said = getattr(options, each.name), option_of(each)
        if said is not None and (each.default is MISSING or value != each.default):
            yield each.name, said, value
        elif said is None and is_dataclass(value):
            yield from _given(value)


def _tell(name: str, said: Option, value: Any, shown: set[str]) -> Iterator[str]:
    spelling = said.spelling(name)
    if isinstance(value, bool):
        on, _, off = spelling.partition("/")
        yield on if value else off
        return
    details = said.details or {}
    for one in value if isinstance(value, tuple) else (value,):
        plain = isinstance(one, int | float) or one in said.choices or (isinstance(one, str) and one in shown)
        if not said.is_argument:
            yield spelling
        yield str(one) if plain else str(details.get("metavar") or "TEXT")
