"""How many notes there will be, told before they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.cli.mask_progress import Bars
from deidlab.corpus import write_corpus
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.settings import STDIN, SourceSettings
from tests.unit.pipeline.notes import make_note


@pytest.mark.parametrize(
    ("format", "name", "told"),
    [
        ("txt", "d", 5),
        ("brat", "d", 5),
        ("jsonl", "n.jsonl", 5),
        ("parquet", "n.parquet", 5),
        ("csv", "n.csv", 5),
    ],
)
def test_the_number_of_notes(format: str, name: str, told: int | None, tmp_path: Path) -> None:
    write_corpus([make_note(number) for number in range(5)], tmp_path / name, format)
    assert open_source(SourceSettings(tmp_path / name, format)).count() == told
    assert open_source(SourceSettings(STDIN)).count() is None


def test_lines_inside_quotes_are_no_rows_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_text('id,text\n1,"a\nb ""c""\n"\n2,d')
    assert open_source(SourceSettings(path)).count() == 2


class Shown:
    """What a bar would show."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, object]] = {}

    def add_task(self, stage: str, **fields: object) -> int:
        self.rows[len(self.rows)] = {"stage": stage, **fields}
        return len(self.rows) - 1

    def update(self, task: int, **fields: object) -> None:
        self.rows[task].update(fields)


def test_finding_shows_how_much_is_done_of_how_much_and_the_time_left() -> None:
    shown, clock = Shown(), [0.0]
    bars = Bars(shown, 640, lambda: clock[0])
    bars("finding", 0)
    assert shown.rows[0]["total"] == 640
    for _ in range(3):
        clock[0] += 64.0
        bars("finding", 64)
    assert shown.rows[0]["completed"] == 192
    assert (shown.rows[0]["speed"], shown.rows[0]["left"]) == ("1.0", "0:07:28 left")
