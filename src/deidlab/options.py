"""What a field of settings says of itself: its help, choices and bounds, and whether it tells runs apart.

    @dataclass(frozen=True, slots=True)
    class Writing:
        GROUP: ClassVar[str] = "Output"

        ids: str = option("pseudonyms", help="What becomes of ids.", choices=("pseudonyms", "keep"))

A command takes such a dataclass whole, and each field is an option of it (`deidlab.cli.options`); the
identity of a run is read off the same fields (`deidlab.pipeline.run.identity`). So a setting is written once.
No library of the command line is loaded here, since every stage may declare its settings so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from typing import Any

COMMON = "Options"
"""The first group of every command's help: what most people need."""

_OPTION, _LEFT_OUT = "option", "left out of the identity"


@dataclass(frozen=True, slots=True)
class Option:
    """What a field says of its option, beside name, type and default.

    `old` are spellings that are taken, and told of; an option that is taken `once` is refused a second time.
    """

    help: str
    names: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    group: str | None = None
    once: bool = False
    is_argument: bool = False
    details: Mapping[str, Any] | None = None

    def spelling(self, field_name: str) -> str:
        """What the option is called on the command line; of a switch with two sides, both."""
        return self.names[0] if self.names else f"--{field_name.replace('_', '-')}"


def option(
    default: Any = MISSING, *names: str, help: str, old: tuple[str, ...] = (), choices: tuple[str, ...] = (),
    group: str | None = None, once: bool = False, **details: Any,
) -> Any:  # fmt: skip
    """A field that is an option; `names` where it is not called like the field.

    A value that is none of the `choices` is a usage error. `group` is the heading in `--help` [default: the
    class's GROUP]; `details` are those of the command line's library (metavar, min, max, envvar …), and
    `metadata` may say that the field is `left_out`. A field of the type `tuple[X, ...]` can be given several
    times.
    """
    more = details.pop("metadata", {})
    declared = Option(help, names, old, choices, group, once, details=details)
    return field(default=default, metadata={_OPTION: declared, **more})


def argument(default: Any = MISSING, *, help: str, **details: Any) -> Any:
    """A field that is given by its place on the command line."""
    return field(default=default, metadata={_OPTION: Option(help, is_argument=True, details=details)})


def left_out(why: str, instead: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Metadata of a field that does not tell runs apart, or only by what `instead` makes of its value."""
    return {_LEFT_OUT: (why, instead)}


def is_given(value: object) -> bool:
    """What tells runs apart where only that there is a value matters."""
    return value is not None


def option_of(each: Field[Any]) -> Option | None:
    """What the field declares; None where people do not give it."""
    found = each.metadata.get(_OPTION)
    assert found is None or isinstance(found, Option)
    return found


def left_out_of(each: Field[Any]) -> tuple[str, Callable[[Any], Any] | None] | None:
    """Why the field does not tell runs apart, and what does instead; None where it does."""
    found: tuple[str, Callable[[Any], Any] | None] | None = each.metadata.get(_LEFT_OUT)
    return found
