"""One row of the tests in, its record on disk out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deidlab.study.folder import TESTS, write_object


def write_test(folder: Path, name: str, table: dict[str, Any]) -> None:
    """The record comes after its predictions, and so says that they are whole."""
    write_object(folder / TESTS / f"{name}.json", {"name": name} | table)
