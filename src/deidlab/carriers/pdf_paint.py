"""What is painted on a page: colours of the device, and lines and boxes.

What has curves or many slanted lines may be a signature, or letters, and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pikepdf import Array

from deidlab.carriers.carrier import Refused

PAINTS = frozenset(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"])
DRAWS = {"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "h": 0, "W": 0, "W*": 0}
"""Instructions that make a path, and how many numbers each takes."""
COLOURS = {"g": 1, "G": 1, "rg": 3, "RG": 3, "k": 4, "K": 4}
DEVICES = {"/DeviceGray": "g", "/DeviceRGB": "rg", "/DeviceCMYK": "k"}
BY_NUMBER = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}
BLENDS = frozenset(
    f"/{each}"
    for each in [
        "Normal",
        "Compatible",
        "Multiply",
        "Screen",
        "Overlay",
        "Darken",
        "Lighten",
        "ColorDodge",
        "ColorBurn",
        "HardLight",
        "SoftLight",
        "Difference",
        "Exclusion",
        "Hue",
        "Saturation",
        "Color",
        "Luminosity",
    ]
)
_SLANTED = 4
_LETTER = 30.0
"""Points: no letter of a text is wider or higher."""


def shown(value: float) -> str:
    """A number as a PDF writes it."""
    if not math.isfinite(value) or abs(value) > 1e9:
        raise Refused("a number in it is out of range")
    return f"{value:.5f}".rstrip("0").rstrip(".") or "0"


def device_of(found: Any) -> str:
    """The space of colours of the device that has as many parts, or the kind of any other."""
    kind = str(found[0]) if isinstance(found, Array) and len(found) else str(found)
    if kind == "/ICCBased":
        return BY_NUMBER.get(int(found[1].get("/N", 0)), "/Pattern")
    return {"/CalGray": "/DeviceGray", "/CalRGB": "/DeviceRGB"}.get(kind, kind)


def as_device(space: str, values: Sequence[float]) -> tuple[str, list[float]]:
    """A colour of the device: greys stand for inks and patterns."""
    if space in DEVICES:
        return DEVICES[space], list(values)
    grey = {
        "/Separation": 1 - min(1.0, sum(values)),
        "/Lab": values[0] / 100 if values else 0.0,
        "/Pattern": 0.5,
    }
    return "g", [grey.get(space, 0.0)]


@dataclass(slots=True)
class Path:
    """The path that is being made."""

    _parts: list[bytes] = field(default_factory=list, repr=False)
    _n_slanted: int = 0
    _is_drawing: bool = False
    _line: list[tuple[float, float]] = field(default_factory=list, repr=False)

    def draw(self, name: str, values: Sequence[float], scale: float = 1.0) -> None:
        """One more step; `scale` is how much larger it comes out on the page."""
        if len(values) != DRAWS[name]:
            raise Refused("its drawing is damaged")
        self._is_drawing = self._is_drawing or name in ("c", "v", "y")
        if name == "m":
            self._end_line()
        if name in ("m", "l"):
            self._line.append((values[0] * scale, values[1] * scale))
        self._parts.append(" ".join([*map(shown, values), name]).encode())

    def painted(self, name: str) -> list[bytes] | None:
        """The path as it is painted; None where it may show letters."""
        self._end_line()
        parts, is_drawing = self._parts, self._is_drawing or self._n_slanted > _SLANTED
        self._parts, self._n_slanted, self._is_drawing = [], 0, False
        if is_drawing:
            return None
        return [*parts, name.encode()] if parts else []

    def _end_line(self) -> None:
        """A small line with corners that is no box may be the outline of a letter, or its strokes."""
        line, self._line = self._line, []
        self._n_slanted += sum(not _is_straight(*step) for step in pairwise(line))
        corners = line[:-1] if len(line) > 1 and _is_same(line[0], line[-1]) else line
        is_box = len(corners) == 4 and all(_is_straight(*step) for step in pairwise([*corners, corners[0]]))
        if len(corners) > 2 and not is_box:
            wide, high = (max(each) - min(each) for each in zip(*corners, strict=True))
            self._is_drawing = self._is_drawing or max(wide, high) <= _LETTER


def _is_straight(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return any(math.isclose(a, b, abs_tol=0.01) for a, b in zip(one, other, strict=True))


def _is_same(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(math.isclose(a, b, abs_tol=0.01) for a, b in zip(one, other, strict=True))
