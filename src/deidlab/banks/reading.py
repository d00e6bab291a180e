"""The name of a bank file in, its rows out."""

from __future__ import annotations

import functools
from importlib import resources


@functools.cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The tab-separated rows of a bank, in the order of the file."""
    text = resources.files("deidlab").joinpath("data", "banks", name).read_text("utf-8")
    return tuple(tuple(line.split("\t")) for line in text.split("\n") if line)


def pairs(name: str) -> dict[str, str]:
    """A bank of two columns as a table from the first to the second."""
    return {row[0]: row[1] for row in rows(name)}
