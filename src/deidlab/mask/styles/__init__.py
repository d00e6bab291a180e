"""The styles, a file each: what takes the place of a span.

Every module of this package is loaded, and registers what it holds: a new style is a new file here.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from deidlab.errors import UnknownNameError
from deidlab.mask.style import STYLES, Style

for _module in sorted(each.name for each in pkgutil.iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")


def known_styles() -> tuple[str, ...]:
    """The names of all styles, those first that show where something was."""
    return tuple(sorted(STYLES, key=lambda name: (STYLES[name].is_realistic, name)))


def find_style(name: str) -> Style:
    """The style of that name, or an error that lists the known ones."""
    if name not in STYLES:
        raise UnknownNameError("style", name, known_styles())
    return STYLES[name]
