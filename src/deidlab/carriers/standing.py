"""The carriers that formats stand for, by their names: one of them unpacks what a container encloses."""

from __future__ import annotations

from collections.abc import Callable

from deidlab.carriers.carrier import Carrier

_STANDING: dict[str, tuple[Carrier, Callable[[], bool]]] = {}


def stands(name: str, carrier: Carrier, is_installed: Callable[[], bool]) -> None:
    """Make a carrier known by the name of its format, for whatever encloses such containers."""
    _STANDING[name] = carrier, is_installed


def fell(name: str) -> None:
    """Undo `stands`."""
    _STANDING.pop(name, None)


def carrier_of(name: str) -> Carrier | None:
    """The carrier of that name; None where there is none, or what it needs is not installed."""
    carrier, is_installed = _STANDING.get(name, (None, bool))
    return carrier if is_installed() else None
