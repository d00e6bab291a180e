"""A small study on disk, and a way to train its jobs in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.study.spec import CorpusSpec, StudySpec
from tests.unit.study.builders import make_spec, write_notes


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., StudySpec]:
    """A study of tiny models on 24 notes; keywords as for `make_spec`."""
    path = write_notes(tmp_path, 24, "jsonl")

    def make(models: int = 1, **changes: object) -> StudySpec:
        return replace(make_spec(models, **changes), corpus=CorpusSpec(path=str(path)))

    return make
