"""The name of a shipped word list in, its words out.

Read here and not through `detect`: making notes needs none of the libraries that detecting does.
"""

from __future__ import annotations

import functools
from importlib import resources


@functools.cache
def gazetteer(name: str) -> tuple[str, ...]:
    """The lines of `data/detect/NAME.txt`, in alphabetical order, without comments."""
    text = resources.files("deidlab").joinpath("data", "detect", f"{name}.txt").read_text("utf-8")
    return tuple(
        sorted({line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")})
    )


def own_text(*path: str) -> str:
    """A file of `data/make`."""
    return resources.files("deidlab").joinpath("data", "make", *path).read_text("utf-8")
