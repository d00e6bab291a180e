"""Columns and keys of a masked table as a database declares them: the source's own where they still hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from deidlab.carriers.key_types import widest
from deidlab.corpus.tables.classes import OTHER_KEY, PATIENT_KEY, STAYS
from deidlab.corpus.tables.plan import ColumnPlan, TablePlan, TablesPlan
from deidlab.corpus.tables.schema import WHOLE, ForeignKey
from deidlab.corpus.tables.stores import Filling

_DECLARED = {
    "postgresql": {
        "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "number": "NUMERIC",
        "float": "DOUBLE PRECISION", "bool": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP",
        "timestamptz": "TIMESTAMP WITH TIME ZONE", "time": "TIME", "uuid": "UUID", "json": "JSONB",
    },
    "sqlite": {
        "int2": "INTEGER", "int4": "INTEGER", "int8": "INTEGER", "number": "NUMERIC", "float": "REAL",
        "bool": "BOOLEAN", "date": "DATE", "timestamp": "DATETIME", "timestamptz": "DATETIME", "time": "TIME",
    },
    "duckdb": {
        "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "number": "DOUBLE", "float": "DOUBLE",
        "bool": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ",
        "time": "TIME", "uuid": "UUID", "json": "JSON", "text": "VARCHAR",
    },
}  # fmt: skip
# Of these no two that differ become one.
_ONE_TO_ONE = (PATIENT_KEY, OTHER_KEY, *STAYS)


def declared_type(column: ColumnPlan, dialect: str, filling: Filling, table: TablePlan) -> str:
    """The type in the destination: the source's own words where they are the same.

    Text may grow, but for keys whose codes are as short.
    """
    schema = filling.schema
    known = next((each for each in schema.table(table.name).columns if each.name == column.name), None)
    # DuckDB has whole numbers that are shorter than any code, or have no sign.
    is_any = dialect == "duckdb" and column.is_key and column.type in WHOLE
    if known and known.declared and (schema.dialect, known.type) == (dialect, column.type) and not is_any:
        grows = column.type == "text" and column.masks and not _holds_codes(column, table, filling.plan)
        return _any_length(known.declared) if grows else known.declared
    return _DECLARED[dialect].get(column.type, "TEXT")


def _any_length(declared: str) -> str:
    """A type of text without its limit: CHAR alone would be a single character."""
    plain = declared.split("(")[0]
    return "TEXT" if plain.strip().upper() in ("CHAR", "CHARACTER", "BPCHAR", "NCHAR") else plain


def _holds_codes(column: ColumnPlan, table: TablePlan, plan: TablesPlan) -> bool:
    """Whether a column of text of some width holds the code of any of its keys."""
    return column.is_key and column.width >= widest(plan.key_kinds()[plan.space(table, column)])


def is_whole(table: TablePlan, names: Sequence[str]) -> bool:
    """Whether the columns are all there, and no two cells that differ became one."""
    kinds = {each.name: each.kind for each in table.kept}
    return all(kinds.get(name) in _ONE_TO_ONE for name in names)


def declared_types(table: TablePlan, dialect: str, filling: Filling) -> dict[str, str]:
    """The types of a table's columns by name, in order."""
    return {each.name: declared_type(each, dialect, filling, table) for each in table.kept}


def declared_columns(table: TablePlan, types: Mapping[str, str]) -> list[str]:
    """The columns as `CREATE TABLE` lists them."""
    return [
        f"{quoted(each.name)} {types[each.name]}{'' if each.nullable else ' NOT NULL'}" for each in table.kept
    ]


def own_keys(table: TablePlan, filling: Filling) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys of a table itself whose columns are written whole, each behind the words for it."""
    known = filling.schema.table(table.name)
    for words, names in (("PRIMARY KEY", known.primary), *(("UNIQUE", each) for each in known.unique)):
        if names and is_whole(table, names):
            yield words, names


def foreign_keys(filling: Filling) -> Iterator[tuple[str, ForeignKey]]:
    """The keys between tables of which both ends are written whole."""
    plans = {table.name: table for table in filling.plan.written}
    for table in filling.plan.written:
        for key in filling.schema.table(table.name).foreign:
            other = plans.get(key.table)
            if other and is_whole(table, key.columns) and is_whole(other, key.referred):
                yield table.name, key


def listed(names: Iterable[str]) -> str:
    """The names as SQL lists them."""
    return ", ".join(map(quoted, names))


def quoted(name: str) -> str:
    """The name as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'
