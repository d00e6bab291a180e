"""The cells of a column in, what they look like out: counts and shapes, and never a value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_SHAPES = (
    ("whole", re.compile(r"0|-?[1-9]\d{0,18}")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("written date", re.compile(r"\d{1,2}/\d{1,2}/\d{4}|\d{1,2}\.\d{1,2}\.\d{4}")),
    ("timestamp", re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}.*")),
    ("uuid", re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")),
    ("number", re.compile(r"-?\d+[.,]\d+")),
    ("e-mail address", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    ("telephone number", re.compile(r"(?=(?:\D*\d){7})[+(\d][\d()./ -]+")),
)
_LONG = 60
_MOST = 0.95


@dataclass(slots=True)
class Shapes:
    """What the cells that were looked at have in common."""

    filled: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    largest: int = 0

    def add(self, cell: Any) -> None:
        if cell is None or cell == "":
            return
        text = str(cell)
        self.filled += 1
        kind = next((name for name, shape in _SHAPES if shape.fullmatch(text)), "")
        self.kinds[kind or ("long text" if len(text) > _LONG and " " in text else "other")] += 1
        if kind == "whole":
            self.largest = max(self.largest, abs(int(text)))

    def all(self, *kinds: str) -> bool:
        """Whether every cell is of one of these shapes."""
        return self.filled > 0 and sum(self.kinds[each] for each in kinds) == self.filled

    def mostly(self, kind: str) -> bool:
        return self.filled > 0 and self.kinds[kind] >= _MOST * self.filled

    @property
    def some_long(self) -> bool:
        return self.kinds["long text"] > 0

    def plain_type(self) -> str:
        """The type of a column that has none, as in CSV."""
        if self.all("whole"):
            return "int4" if self.largest < 1 << 30 else "int8" if self.largest < 1 << 63 else "text"
        for type in ("date", "timestamp"):
            if self.all(type):
                return type
        if self.all("uuid"):
            return "uuid"
        return "number" if self.all("whole", "number") else "text"


def look(rows: Iterable[tuple[Any, ...] | None], n_columns: int) -> list[Shapes]:
    """The shapes of each column over those rows."""
    found = [Shapes() for _ in range(n_columns)]
    for row in rows:
        for shapes, cell in zip(found, row or (), strict=False):
            shapes.add(cell)
    return found
