"""The names of the styles that a request may ask for: those that were known when the service was started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from deidlab.mask import known_styles

if TYPE_CHECKING:
    StyleName = str
else:
    StyleName = Literal[known_styles()]
