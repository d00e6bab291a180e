"""How many notes there will be, told before they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.cli.mask_progress import count_notes
from deidlab.corpus import write_corpus
from tests.unit.pipeline.notes import make_note


@pytest.mark.parametrize(
    ("format", "name", "told"),
    [
        ("txt", "d", 5),
        ("brat", "d", 5),
        ("jsonl", "n.jsonl", 5),
        ("parquet", "n.parquet", 5),
        ("csv", "n.csv", None),
    ],
)
def test_the_number_of_notes(format: str, name: str, told: int | None, tmp_path: Path) -> None:
    write_corpus([make_note(number) for number in range(5)], tmp_path / name, format)
    assert count_notes(tmp_path / name, format) == told
    assert count_notes(Path("-"), None) is None
