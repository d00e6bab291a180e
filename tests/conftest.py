"""What all tests share."""

from __future__ import annotations

import os

# Two processes test side by side: more threads than cores wait for each other, spinning, and take ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from deidlab.detect.processor import limit_instructions

# Some tests compute with torch themselves.
limit_instructions()

settings.register_profile("house", max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("house")

# Where tests take seconds each. They come first: with them at the end, one process would wait for the other.
LONG = ("e2e", "browser", "contract", "docs", "fuzz", "train", "study", "execute", "zoo")

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The material that lies beside a checkout and is not part of it."""
    if not SHARED.is_dir():
        pytest.skip(f"NEEDS {SHARED}: corpora that are not committed")
    return SHARED


@pytest.fixture(scope="session")
def notes_en() -> Path:
    """Forty invented notes with inline tags."""
    return ROOT / "tests" / "data" / "notes-en"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first; within a file the order stays."""

    def place(item: pytest.Item) -> int:
        folders = item.path.relative_to(ROOT / "tests").parts
        return min((LONG.index(folder) for folder in folders if folder in LONG), default=len(LONG))

    items.sort(key=place)
