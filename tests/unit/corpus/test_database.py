"""Rows in key order, by chunks and from any key; rows written once, whatever happened before."""

from __future__ import annotations

import datetime
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sqlalchemy", reason="NEEDS the extra 'db'")
import sqlalchemy as sa

from deidlab.corpus import ReadSettings, database_reading, database_writing
from deidlab.corpus.database import open_database
from deidlab.corpus.database_cells import from_plain, key_from_json, key_to_json, to_plain, type_of_cells
from deidlab.corpus.database_reading import count_rows, pin_place, read_rows
from deidlab.corpus.database_url import TablePlace, parse_place
from deidlab.corpus.database_writing import Writing, check_target, write_rows
from deidlab.errors import ConfigError, CorpusError, MissingExtraError

COLUMNS = {"id": sa.Text(), "n": sa.BigInteger()}


def place_of(folder: Path, table: str = "notes") -> TablePlace:
    return parse_place(f"sqlite:///{folder / 'a.db'}?table={table}")


def fill(folder: Path, n_rows: int, length: int = 5) -> TablePlace:
    with closing(sqlite3.connect(folder / "a.db")) as db, db:
        db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, ward TEXT)")
        db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)", [(7 * n, "x" * length, "W") for n in range(n_rows)][::-1]
        )
    return place_of(folder)


@pytest.mark.parametrize(("first", "characters"), [(1, 1), (3, 40), (64, 10**6), (1000, 100)])
def test_chunks_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, characters: int
) -> None:
    place = fill(tmp_path, 200)
    monkeypatch.setattr(database_reading, "_FIRST_CHUNK", first)
    monkeypatch.setattr(database_reading, "_CHARACTERS_A_CHUNK", characters)
    rows = list(read_rows(place, ReadSettings()))
    assert [key for key, _ in rows] == [(7 * n,) for n in range(200)]
    assert [raw.id for _, raw in rows] == [str(7 * n) for n in range(200)]
    assert rows[0][1].meta == {"ward": "W"}  # type: ignore[union-attr]


# Dies in the middle of a change that the file has a part of already.
KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE notes SET text = text || hex(zeroblob(3000))")
os._exit(9)
"""


def test_what_a_killed_program_left_in_the_middle_is_undone(tmp_path: Path) -> None:
    place = fill(tmp_path, 200)
    file = tmp_path / "a.db"
    subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert file.with_name("a.db-journal").stat().st_size > 0
    reader = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
    with closing(reader), pytest.raises(sqlite3.OperationalError):
        reader.execute("SELECT count(*) FROM notes")
    with open_database(place) as engine, engine.connect() as connection:
        assert connection.execute(sa.text("SELECT max(length(text)) FROM notes")).scalar_one() == 5


def test_reading_goes_on_after_a_key_and_ends_with_the_last(tmp_path: Path) -> None:
    place = pin_place(fill(tmp_path, 100), ReadSettings())
    assert (place.key, place.last) == (("id",), (7 * 99,))
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("INSERT INTO notes VALUES (9999, 'later', 'W')")
    keys = [key for key, _ in read_rows(place, ReadSettings(), after=(7 * 89,))]
    assert keys == [(7 * n,) for n in range(90, 100)]
    assert count_rows(place_of(tmp_path)) == 101


def test_long_notes_make_short_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = fill(tmp_path, 300, length=50_000)
    sizes = []
    chunk = database_reading._chunk
    monkeypatch.setattr(database_reading, "_chunk", lambda *given: sizes.append(given[-1]) or chunk(*given))
    assert sum(1 for _ in read_rows(place, ReadSettings())) == 300
    assert sizes[0] == 64 and max(sizes[1:]) <= 45


keys = st.one_of(
    st.integers(), st.text(), st.datetimes(), st.dates(), st.uuids(), st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(timezones=st.just(datetime.UTC)),
)  # fmt: skip


@given(st.lists(keys, min_size=1, max_size=3).map(tuple))
def test_keys_come_back(key: tuple[object, ...]) -> None:
    assert key_from_json(key_to_json(key)) == key


def test_a_key_without_an_order() -> None:
    with pytest.raises(ConfigError, match="bytes"):
        key_to_json((b"x",))


@pytest.mark.parametrize(
    "cell",
    [3, "a", 2.5, Decimal("3.50"), datetime.date(2068, 1, 2), datetime.datetime(2068, 1, 2, 3, tzinfo=datetime.UTC),
     datetime.time(3, 4), uuid.uuid4(), True],
)  # fmt: skip
def test_cells_come_back(cell: object) -> None:
    assert from_plain(to_plain(cell), type(cell)) == cell
    assert type_of_cells([None, cell]).python_type is type(cell)


def test_a_cell_that_does_not_fit_is_not_quoted() -> None:
    with pytest.raises(CorpusError) as caught:
        from_plain("Quillfeather", datetime.date)
    assert "Quillfeather" not in str(caught.value) and caught.value.__cause__ is None


def write(
    folder: Path, rows: list[tuple[str, int]], token: str = "t", job: str = "j", **ways: bool
) -> tuple[int, int]:
    done = write_rows(place_of(folder, "out"), COLUMNS, rows, Writing(job, token, **ways))
    return done.rows, done.there


def written(folder: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(folder / "a.db")) as db:
        return db.execute("SELECT id, n FROM out ORDER BY n").fetchall()


ROWS = [(f"i{n}", n) for n in range(20)]


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_writing, "_ROWS_A_CHUNK", 6)


def stop_after(n_rows: int):  # type: ignore[no-untyped-def]
    yield from ROWS[:n_rows]
    raise KeyboardInterrupt


@pytest.mark.parametrize("stopped", range(0, 20, 3))
def test_a_run_that_was_stopped_goes_on(tmp_path: Path, short_chunks: None, stopped: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, stop_after(stopped))
    assert written(tmp_path) == ROWS[: stopped - stopped % 6], "a chunk is there whole or not at all"
    # With its own token a run goes on after its mark; having lost it, it looks at each id.
    token = "t" if stopped % 2 else "other"
    check_target(place_of(tmp_path, "out"), None, ("id", "n"), Writing("j", token))
    write(tmp_path, ROWS, token)
    assert written(tmp_path) == ROWS


def test_another_run_takes_over_and_the_first_one_sees_it(tmp_path: Path, short_chunks: None) -> None:
    def rows():  # type: ignore[no-untyped-def]
        yield from ROWS[:8]
        write(tmp_path, ROWS, "second")
        yield from ROWS[8:]

    with pytest.raises(CorpusError, match="another run of the same job"):
        write(tmp_path, rows(), "first")
    assert written(tmp_path) == ROWS


def test_a_finished_table_is_not_touched_unless_asked(tmp_path: Path) -> None:
    write(tmp_path, ROWS)
    for job in ("j", "k"):
        with pytest.raises(CorpusError, match="already there"):
            check_target(place_of(tmp_path, "out"), None, ("id", "n"), Writing(job, "new"))
        with pytest.raises(CorpusError, match="already there"):
            write(tmp_path, ROWS, "new", job)
    assert write(tmp_path, [*ROWS, ("more", 99)], "new", append=True) == (21, 20)
    assert write(tmp_path, ROWS[:3], "newer", overwrite=True) == (3, 0)
    assert written(tmp_path) == ROWS[:3]


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sqlalchemy.exc", None)
    with pytest.raises(MissingExtraError, match=r"needs the 'db' extra: pip install "):
        list(read_rows(place_of(tmp_path), ReadSettings()))


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("Quillfeather " * 100)
    with pytest.raises(CorpusError, match="not an SQLite database") as caught:
        list(read_rows(place_of(tmp_path), ReadSettings()))
    assert "Quill" not in str(caught.value) and caught.value.__suppress_context__
    (tmp_path / "a.db").unlink()
    with pytest.raises(CorpusError, match="no such file"):
        list(read_rows(place_of(tmp_path), ReadSettings()))
