"""A run from a table to a table that is stopped anywhere goes on from the key that it had reached."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")

from deidlab.corpus import ReadSettings
from deidlab.corpus.database_url import parse_place
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.io import tables as source_module
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.run import state as state_module
from deidlab.pipeline.settings import Finding, SourceSettings
from tests.unit.pipeline.notes import KEY, make_note

N_NOTES = 300


class Stopped(Exception):
    pass


def make_job(folder: Path, table: str = "masked") -> MaskJob:
    place = parse_place(f"sqlite:///{folder}/a.db?table=notes")
    sink = parse_place(f"sqlite:///{folder}/b.db?table={table}")
    settings = MaskSettings(load_policy("i2b2"), "tag", KEY)
    return MaskJob(
        SourceSettings(place.stand_in, None, ReadSettings(), None, place),
        sink.stand_in,
        Finding(None, "only"),
        settings,
        sink=sink,
    )


@pytest.fixture
def job(tmp_path: Path) -> MaskJob:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, patient TEXT, text TEXT)")
        notes = [make_note(number) for number in range(N_NOTES)]
        db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)", [(note.id, note.patient, note.text) for note in notes]
        )
    return make_job(tmp_path)


def rows(job: MaskJob) -> list[tuple[str, str, str]]:
    assert job.sink is not None and job.sink.file is not None
    with closing(sqlite3.connect(job.sink.file)) as db:
        return db.execute(f"SELECT * FROM {job.sink.table} ORDER BY id").fetchall()


@pytest.mark.parametrize(
    ("stage", "after"), [("finding", 200), ("masking", 1), ("masking", 130), ("writing", 150)]
)
def test_it_goes_on_from_the_key(
    job: MaskJob, monkeypatch: pytest.MonkeyPatch, stage: str, after: int, tmp_path: Path
) -> None:
    monkeypatch.setattr(state_module, "_KEEP_SECONDS", 0)
    seen = {"finding": 0, "masking": 0, "writing": 0}

    def stop(now: str, n: int) -> None:
        seen[now] += n
        if now == stage and seen[now] >= after:
            raise Stopped

    with pytest.raises(Stopped):
        mask_corpus(job, stop)
    begun = []
    read = source_module.read_rows
    monkeypatch.setattr(source_module, "read_rows", lambda *given: begun.append(given[2:]) or read(*given))
    # Rows that came after the run began are left for the next one.
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("INSERT INTO notes VALUES ('n99999', 'p', 'Seen on 03/04/2065.')")
    outcome = mask_corpus(job)
    assert outcome.record["masked"] == N_NOTES and not outcome.failures
    # First the rows that are done are compared; from then on reading goes on from the key.
    assert begun.pop(0) == (None, 1)
    if stage == "finding":
        assert begun[0][0] is not None and begun[0][1] > 64
    elif after > 64:
        assert all(key is not None for key, _ in begun)
    whole = make_job(tmp_path, "whole")
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("DELETE FROM notes WHERE id = 'n99999'")
    mask_corpus(whole)
    assert rows(job) == rows(whole) and len(rows(job)) == N_NOTES


def test_the_unfinished_run_holds_no_key_in_the_clear(job: MaskJob, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("UPDATE notes SET id = 'Quillfeather' || id")

    def stop(stage: str, n: int) -> None:
        if stage == "masking" and n:
            raise Stopped

    with pytest.raises(Stopped):
        mask_corpus(job, stop)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "a.db"]
    assert any(path.name == "state.sqlite" for path in left)
    assert not any(b"Quillfeather" in path.read_bytes() for path in left)
