"""What is kept of a file while its pages are read: contents, fonts, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from deidlab.carriers.carrier import Removed
from deidlab.carriers.pdf_file import Source
from deidlab.carriers.pdf_fonts import Font
from deidlab.carriers.pdf_state import IDENTITY, Show


@dataclass(slots=True)
class Form:
    """One content: a page's own, or that of a form where it is drawn."""

    parts: list[bytes | Show | tuple[str, Form]] = field(default_factory=list, repr=False)
    fonts: dict[str, Font] = field(default_factory=dict, repr=False)
    states: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    matrix: tuple[float, ...] = IDENTITY
    box: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    is_group: bool = False


@dataclass(slots=True)
class Book:
    """All that pages share: the fonts, what was left out, and how much was read."""

    source: Source = field(repr=False)
    removed: Removed = field(default_factory=Removed)
    fonts: dict[Any, Font] = field(default_factory=dict, repr=False)
    n_forms: int = 0
    n_instructions: int = 0

    def font(self, found: Any) -> Font:
        key = found.objgen if found.is_indirect else found.unparse()
        if key not in self.fonts:
            self.fonts[key] = Font(f"F{len(self.fonts) + 1}", self.source, found)
        return self.fonts[key]
