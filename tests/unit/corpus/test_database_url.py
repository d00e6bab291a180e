"""URLs of databases, and what of them may be shown."""

from __future__ import annotations

import pytest

from deidlab.cli.options.databases import is_database
from deidlab.corpus.database_url import parse_place, source_place, target_place
from deidlab.errors import ConfigError

PG = "postgresql://clerk:hush@db.example:5433/clinic"


def test_parts_of_ours_leave_the_url() -> None:
    place = parse_place(f"{PG}?table=wards.notes&sslmode=require")
    assert (place.kind, place.database, place.schema, place.table) == (
        "postgresql",
        "clinic",
        "wards",
        "notes",
    )
    assert place.url == "postgresql+psycopg://clerk:hush@db.example:5433/clinic?sslmode=require"
    assert place.stand_in.name == "clinic.wards.notes"
    assert (
        parse_place("postgres:///clinic?host=/run/pg&table=n").url
        == "postgresql+psycopg:///clinic?host=%2Frun%2Fpg"
    )


@pytest.mark.parametrize(
    ("url", "file", "stand_in"),
    [("sqlite:///a.db?table=n", "a.db", "a.db.n"), ("sqlite:////srv/a b.db?table=n", "/srv/a b.db", "/srv/a b.db.n"),
     ("sqlite:///x%20y.db?table=n&schema=s", "x y.db", "x y.db.s.n")],
)  # fmt: skip
def test_files_of_sqlite(url: str, file: str, stand_in: str) -> None:
    place = parse_place(url)
    assert (str(place.file), str(place.stand_in)) == (file, stand_in)


def test_a_password_is_never_shown() -> None:
    for url in (f"{PG}?table=t", "postgresql://db.example/clinic?table=t&password=hush&sslpassword=hush"):
        place = parse_place(url)
        assert place.has_password
        assert "hush" not in f"{place} {place!r} {place.stand_in} {place.tell_apart()}"
    assert not parse_place("postgresql://clerk@db.example/clinic?table=t").has_password
    assert "secret" not in repr(source_place("sqlite:///a.db", query="select 'secret'", key=("k",)))


def test_who_looks_does_not_make_another_place() -> None:
    mine, theirs = f"{PG}?table=t", f"{PG.replace('clerk:hush', 'auditor')}?table=t"
    assert parse_place(mine).tell_apart() == parse_place(theirs).tell_apart()
    assert parse_place(mine).tell_apart() != parse_place(f"{PG}?table=u").tell_apart()


@pytest.mark.parametrize(
    "url",
    ["mysql://h/d?table=t", "sqlite://host/a.db", "sqlite:///", "postgresql://host", "postgresql://h:x1/d", "postgresql://[h/d",
     "sqlite:///a.db?mode=rw"],
)  # fmt: skip
def test_what_is_no_url_of_ours(url: str) -> None:
    assert is_database(url)
    with pytest.raises(ConfigError):
        parse_place(url)


def test_one_table_or_one_query() -> None:
    assert source_place("sqlite:///a.db", table="s.t").qualified == "s.t"
    query = source_place("sqlite:///a.db", query="select 1 as k;\n", key=("k",))
    assert query.query == "select 1 as k" and "a query" in str(query)
    for table, sql, key in ((None, None, ()), ("u", None, ()), (None, "select 1", ("k",))):
        url = "sqlite:///a.db" if (table, sql) == (None, None) else "sqlite:///a.db?table=t"
        with pytest.raises(ConfigError):
            source_place(url, table, sql, key)
    with pytest.raises(ConfigError, match="--key-column"):
        source_place("sqlite:///a.db", query="select 1")
    with pytest.raises(ConfigError, match="--out-table"):
        target_place("sqlite:///a.db")
    with pytest.raises(ConfigError, match="twice"):
        target_place("sqlite:///a.db?table=t", "u")


def test_files_are_no_databases() -> None:
    assert not any(map(is_database, ("notes", "-", "./a:b", "c:/notes", "notes.csv")))
