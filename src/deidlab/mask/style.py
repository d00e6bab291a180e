"""What a style is: how what takes the place of a span is written. A file of `styles/` registers each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deidlab.errors import ConfigError
from deidlab.mask.mention import Mention

Writer = Callable[[Mention], str]


@dataclass(frozen=True, slots=True)
class Style:
    """One style.

    `write_unread` is for a span of which something was to stay that could not be read; without it, `write`
    does. `is_realistic` tells that what it writes reads as text: the words around are joined to it, and of an
    age something may stay.
    """

    name: str
    write: Writer
    write_unread: Writer | None = None
    is_realistic: bool = False

    def write_plain(self, mention: Mention) -> str:
        """What the style writes where nothing of the span may stay."""
        return (self.write_unread or self.write)(mention)


STYLES: dict[str, Style] = {}
"""All styles by their names, as their files register them."""


def register(style: Style) -> Style:
    """Make a style known; a name that another has is refused."""
    if style.name in STYLES:
        raise ConfigError(f"style '{style.name}': another style has this name; give it one of its own")
    STYLES[style.name] = style
    return style


def forget(style: Style) -> None:
    """Undo `register`."""
    del STYLES[style.name]
