"""Plans: what is proposed and why, what is refused, and that no value of a cell is in them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deidlab.corpus.tables.folder import FolderStore
from deidlab.corpus.tables.opening import open_store, open_target
from deidlab.corpus.tables.plan import TablesPlan, check_plan, read_plan, write_plan
from deidlab.corpus.tables.propose import propose_plan
from deidlab.errors import ConfigError, CorpusError, DeidError

SENTINEL = "Quentin Sentinel"


def folder(tmp_path: Path, **files: str) -> str:
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return str(tmp_path)


def proposed(source: str) -> tuple[TablesPlan, dict[str, str]]:
    plan = propose_plan(open_store(source), source)
    return plan, {f"{table.name}.{each.name}": each.kind for table, each in plan.columns()}


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("dob", "1970-01-02", "birth-date"), ("date_of_birth", "01/02/1970", "birth-date"), ("ZIP", "90210", "zip"),
        ("homePhone", "555-123-4567", "contact"), ("ssn", "123-45-6789", "identifier"), ("city", "Bree", "place"),
        ("attending_physician", "Who", "staff-name"), ("FirstName", "Who", "patient-name"), ("sex", "F", "code"),
        ("age_at_visit", "47", "age"), ("note_text", "Well.", "text"), ("weight", "71.5", "number"),
        ("seen", "2064-03-14", "date"), ("at", "2064-03-14 08:15:00", "timestamp"), ("x1", "a@b.example", "contact"),
        ("zzz", "Well", "unclassified"), ("ward", "7", "unclassified"), ("name", "Surgery", "unclassified"),
        ("visit_key", "7", "key"), ("VisitID", "7", "key"), ("paid", "7", "unclassified"), ("patient_id", "7", "patient-key"),
        ("said", "a long text that says something of somebody in more words than a code", "text"),
    ],
)  # fmt: skip
def test_what_is_proposed_of_a_column(tmp_path: Path, column: str, value: str, kind: str) -> None:
    _, kinds = proposed(folder(tmp_path, table=f"{column}\n{value}\n"))
    assert kinds == {f"table.{column}": kind}


def test_no_value_is_in_a_plan_and_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    source = folder(
        tmp_path,
        patients=f"id,name,zzz\n1,{SENTINEL},{SENTINEL}\n",
        notes=f"note_id,id,body\n1,1,{SENTINEL}\n",
    )
    plan, _ = proposed(source)
    written = write_plan(plan)
    assert SENTINEL not in written + repr(plan)
    (tmp_path / "plan.toml").write_text(written)
    assert read_plan(tmp_path / "plan.toml") == plan


def test_tables_without_the_patients_key_reach_it_through_others(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.executescript("""
        CREATE TABLE person (person_id INTEGER PRIMARY KEY);
        CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (person_id));
        CREATE TABLE note (note_id INTEGER PRIMARY KEY, visit INTEGER REFERENCES visit (visit_id));
        """)
    plan, kinds = proposed(f"sqlite:///{tmp_path / 'a.db'}")
    assert kinds["visit.person"] == "patient-key"
    assert plan.table("note").via == "visit.visit_id"
    assert [table.name for table in plan.tables] == ["person", "visit", "note"]


def sound(tmp_path: Path) -> tuple[str, str]:
    source = folder(tmp_path / "in", patients="id,sex\n1,F\n") if (tmp_path / "in").mkdir() is None else ""
    return source, write_plan(proposed(source)[0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('class = "code"', 'class = "codes"', "unknown class 'codes'; did you mean"),
        ('class = "code"', 'class = "unclassified"', "unclassified columns in the plan: 1"),
        ('class = "code"', 'class = "patient-key"', "two columns of the class patient-key"),
        ('class = "code"', 'class = "key", of = "visits.id"', "says of = what no table"),
        ('class = "code"', 'class = "note-excerpt"', "says of = what no table"),
        ('class = "code"', 'kind = "code"', "unknown plan key 'kind'"),
        ('class = "code", type = "text"', 'class = "text", type = "other"', "can only be dropped"),
        ("schema = ", "shema = ", "unknown plan key 'shema'"),
        ('schema = "', 'schema = "0', "is not the plan's any more"),
        ("sex = {", "sax = {", "new columns: 1, gone: 1"),
    ],
)  # fmt: skip
def test_a_plan_that_is_not_sound_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    source, text = sound(tmp_path)
    assert old in text
    path = tmp_path / "plan.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=said):
        check_plan(read_plan(path), FolderStore(Path(source)).schema())


def test_headers_may_be_data_and_are_not_shown(tmp_path: Path) -> None:
    folder(tmp_path, patients=f"{SENTINEL},{SENTINEL}\n1,2\n")
    with pytest.raises(CorpusError) as error:
        proposed(str(tmp_path))
    assert SENTINEL not in str(error.value)


@pytest.mark.parametrize("text", ["", '"never closed\n', "a,b\n1,\xff\n"])
def test_files_that_cannot_be_read_are_one_line_without_their_words(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{SENTINEL}.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(DeidError) as error:
        proposed(str(tmp_path))
    assert SENTINEL not in str(error.value)


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no \.csv"):
        open_store(str(tmp_path)).schema()
    for opened in (open_store, open_target):
        with pytest.raises(ConfigError, match="leave \\?table= out"):
            opened("sqlite:///a.db?table=b")
    with pytest.raises(CorpusError, match="no such file"):
        open_store(f"sqlite:///{tmp_path}/none.db").schema()


def test_keys_of_several_widths_get_numbers_that_all_hold(tmp_path: Path) -> None:
    source = folder(tmp_path, visits="visit_id\n1\n", notes="visit_id\n9999999999\n")
    plan, _ = proposed(source)
    assert plan.key_kinds() == {"visits.visit_id": "int4"}
