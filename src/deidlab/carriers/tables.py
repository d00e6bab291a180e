"""What is known of a standard's elements, as tables in `data/carriers`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def load_table(standard: str) -> dict[str, Any]:
    """The table of a standard."""
    file = resources.files("deidlab").joinpath("data", "carriers", f"{standard}.toml")
    return tomllib.loads(file.read_text("utf-8"))
