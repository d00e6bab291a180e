"""The plan: a TOML that names every table and column with its class and why, and what it was made for.

It holds no value of any cell. Its digest is that of the schema, so that a column which is new stops a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab.carriers.key_types import PSEUDONYM, text_type, word_width
from deidlab.corpus.tables.classes import (
    CLASSES,
    DROP,
    FROM_NOTE,
    OFFSET,
    OTHER_KEY,
    PATIENT_KEY,
    STAYS,
    TEXT,
    UNCLASSIFIED,
)  # fmt: skip
from deidlab.corpus.tables.schema import WHOLE, Schema
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.tomlfile import read_table

_COLUMN_KEYS = ("class", "type", "width", "nullable", "label", "of", "why")
_TABLE_KEYS = ("via", "why", "columns", "drop")
_WITHOUT_WIDTH = (*WHOLE, "uuid")
_TOP_KEYS = ("source", "schema", "tables")


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """`of` is the key ("table.column") whose values a key holds, or the text that a finding stands in.

    `width` is how many characters a key of text has at most; 0 is any number.
    """

    name: str
    kind: str
    type: str
    nullable: bool = True
    label: str = ""
    of: str = ""
    why: str = ""
    width: int = 0

    @property
    def is_key(self) -> bool:
        return self.kind in (PATIENT_KEY, OTHER_KEY)

    @property
    def masks(self) -> bool:
        return self.kind not in STAYS


@dataclass(frozen=True, slots=True)
class TablePlan:
    """`via` is the key through which rows reach their patient, where they have no key of it themselves."""

    name: str
    columns: tuple[ColumnPlan, ...]
    via: str = ""
    why: str = ""

    @property
    def patient(self) -> int | None:
        """The place of the patient's key among the columns."""
        return next((n for n, each in enumerate(self.columns) if each.kind == PATIENT_KEY), None)

    @property
    def kept(self) -> tuple[ColumnPlan, ...]:
        return tuple(each for each in self.columns if each.kind != DROP)

    def place(self, name: str) -> int:
        return next(n for n, each in enumerate(self.columns) if each.name == name)

    def link(self) -> int | None:
        """The place of the column that leads to the patient through another table."""
        keys = (n for n, each in enumerate(self.columns) if each.kind == OTHER_KEY and each.of == self.via)
        return next(keys, None) if self.via else None


@dataclass(frozen=True, slots=True)
class TablesPlan:
    """A whole schema."""

    source: str = field(repr=False)
    digest: str
    tables: tuple[TablePlan, ...]

    def columns(self) -> Iterator[tuple[TablePlan, ColumnPlan]]:
        return ((table, column) for table in self.tables for column in table.columns)

    @property
    def written(self) -> tuple[TablePlan, ...]:
        """The tables of which some column is in the output."""
        return tuple(table for table in self.tables if table.kept)

    def unclassified(self) -> list[str]:
        return [f"{table.name}.{each.name}" for table, each in self.columns() if each.kind == UNCLASSIFIED]

    def table(self, name: str) -> TablePlan:
        return next(each for each in self.tables if each.name == name)

    def space(self, table: TablePlan, column: ColumnPlan) -> str:
        """Which key a key is: "patient", or the table and column that it belongs to."""
        seen: list[str] = []
        while column.kind != PATIENT_KEY and column.of and column.of not in seen:
            seen.append(column.of)
            name, _, own = column.of.rpartition(".")
            table = self.table(name)
            column = table.columns[table.place(own)]
        return "patient" if column.kind == PATIENT_KEY else f"{table.name}.{column.name}"

    def key_kinds(self) -> dict[str, str]:
        """The type of each space of keys: the narrowest of its columns', so that all of them hold it."""
        kinds: dict[str, str] = {}
        for table, column in self.columns():
            if column.is_key:
                kind = column.type if column.type in _WITHOUT_WIDTH else text_type(column.width)
                space = self.space(table, column)
                kinds[space] = min(kind, kinds.get(space, kind), key=_narrowness)
        return kinds

    def without_widths(self) -> TablesPlan:
        """The same with texts of any length for keys, as codes are which cannot be told to be short."""
        tables = (
            replace(table, columns=tuple(replace(each, width=0) for each in table.columns))
            for table in self.tables
        )
        return replace(self, tables=tuple(tables))

    def tell_apart(self) -> tuple[object, ...]:
        """What tells a plan from others: not why."""
        rows = [
            (table.name, table.via, each.name, each.kind, each.type, each.label, each.of, each.width)
            for table, each in self.columns()
        ]
        return (self.digest, *rows)


def _narrowness(type: str) -> tuple[int, int]:
    """By this the types of keys are ordered; of texts those without a width are the widest."""
    if type in _WITHOUT_WIDTH:
        return _WITHOUT_WIDTH.index(type), 0
    return len(_WITHOUT_WIDTH), word_width(type) or PSEUDONYM


def read_plan(path: Path) -> TablesPlan:
    """A plan; what is wrong with it is told by table and column, which are words of the plan itself."""
    table = read_table(path)
    _refuse_unknown("plan key", table, _TOP_KEYS)
    tables = table.get("tables")
    if not isinstance(tables, Mapping) or not isinstance(table.get("schema"), str):
        raise ConfigError(f"{path}: not a plan of tables: `deidlab tables plan` writes one")
    found = tuple(_table(str(name), each, path) for name, each in tables.items())
    plan = TablesPlan(str(table.get("source", "")), table["schema"], found)
    for each in plan.tables:
        _check_table(each, plan, path)
    return plan


def check_plan(plan: TablesPlan, schema: Schema) -> None:
    """Raise where a column is unclassified, or the schema is not the plan's any more."""
    open_columns = plan.unclassified()
    if open_columns:
        raise ConfigError(
            f"unclassified columns in the plan: {len(open_columns)}; decide each "
            f"({', '.join(list(CLASSES)[:4])} … or {DROP}) and run again"
        )
    planned = {(table.name, column.name) for table, column in plan.columns()}
    there = {(table.name, column.name) for table in schema.tables for column in table.columns}
    if planned == there and plan.digest == schema.digest():
        return
    new, gone = len(there - planned), len(planned - there)
    what = f"new columns: {new}, gone: {gone}" if new or gone else "types or keys changed"
    raise ConfigError(
        f"the schema is not the plan's any more: {what}. Make a new plan, or add to this one what is new, "
        f'with a class, and schema = "{schema.digest()}"'
    )


def _table(name: str, value: Any, path: Path) -> TablePlan:
    if not isinstance(value, Mapping) or not isinstance(value.get("columns"), Mapping):
        raise ConfigError(f"{path}: a table of the plan has no columns")
    _refuse_unknown("plan key", value, _TABLE_KEYS)
    columns = tuple(_column(str(each), cells, path) for each, cells in value["columns"].items())
    return TablePlan(name, columns, str(value.get("via", "")), str(value.get("why", "")))


def _column(name: str, value: Any, path: Path) -> ColumnPlan:
    if isinstance(value, str):
        raise ConfigError(f'{path}: a column is a table such as {{ class = "{DROP}", type = "text" }}')
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: a column of the plan has no class")
    _refuse_unknown("plan key", value, _COLUMN_KEYS)
    kind = str(value.get("class", UNCLASSIFIED))
    if kind not in CLASSES:
        raise UnknownNameError("class", kind, CLASSES)
    width = value.get("width", 0)
    if type(width) is not int or width < 0:
        raise ConfigError(f"{path}: the width of a column is no number of characters")
    return ColumnPlan(
        name, kind, str(value.get("type", "text")), bool(value.get("nullable", True)),
        str(value.get("label", "")), str(value.get("of", "")), str(value.get("why", "")), width,
    )  # fmt: skip


def _check_table(table: TablePlan, plan: TablesPlan, path: Path) -> None:
    """Raise where the classes of a table do not go together."""
    if sum(each.kind == PATIENT_KEY for each in table.columns) > 1:
        raise ConfigError(f"{path}: a table has two columns of the class {PATIENT_KEY}; one of them is a key")
    if table.via and table.link() is None:
        raise ConfigError(f'{path}: a table says via, and has no key with of = "{table.via}"')
    targets = {f"{each.name}.{column.name}" for each in plan.tables for column in each.columns}
    for column in table.columns:
        wants_target = column.kind in FROM_NOTE
        if (wants_target or column.of) and column.kind != PATIENT_KEY and column.of not in targets:
            raise ConfigError(f"{path}: a column says of = what no table of the plan has")
        if column.type == "other" and column.kind not in (DROP, UNCLASSIFIED):
            raise ConfigError(
                f'{path}: a column of a type that is not known here (type = "other") can only be dropped'
            )
        if column.type in ("bool", "time", "json") and column.kind not in (*STAYS, DROP, UNCLASSIFIED):
            raise ConfigError(
                f"{path}: a column of the type {column.type} can stay ({STAYS[0]}) or be dropped"
            )
    if any(each.kind in FROM_NOTE for each in table.columns):
        _check_findings(table, plan, path)


def _check_findings(table: TablePlan, plan: TablesPlan, path: Path) -> None:
    offset = next((each for each in table.columns if each.kind == OFFSET), None)
    name, _, text = "".join(offset.of if offset else "").rpartition(".")
    note = next((each for each in plan.tables if each.name == name), None)
    sound = note is not None and any(each.name == text and each.kind == TEXT for each in note.columns)
    if not sound or note_link(table, name) is None:
        raise ConfigError(
            f"{path}: findings need a column {OFFSET} with of = the notes' text, and a key of the notes"
        )


def note_link(table: TablePlan, note: str) -> int | None:
    """The column of a table of findings that says which row of the notes they stand in."""
    keys = (n for n, each in enumerate(table.columns) if each.kind == OTHER_KEY)
    return next((n for n in keys if table.columns[n].of.rpartition(".")[0] == note), None)


def write_plan(plan: TablesPlan) -> str:
    """The plan as TOML."""
    lines = [
        "# Every column and what becomes of it. Change a class where you know better; `unclassified` stops",
        "# `deidlab tables mask`. No value of any cell stands here.",
        "",
        f"source = {quote(plan.source)}",
        f"schema = {quote(plan.digest)}",
    ]
    for table in plan.tables:
        lines += ["", f"[tables.{_bare(table.name)}]"]
        lines += [f"via = {quote(table.via)}"] if table.via else []
        lines += [f"why = {quote(table.why)}"] if table.why else []
        lines += ["", f"[tables.{_bare(table.name)}.columns]"]
        lines += [f"{_bare(each.name)} = {{ {', '.join(_cells(each))} }}" for each in table.columns]
    return "\n".join(lines) + "\n"


def _cells(column: ColumnPlan) -> Iterator[str]:
    yield f"class = {quote(column.kind)}"
    yield f"type = {quote(column.type)}"
    if column.width:
        yield f"width = {column.width}"
    if not column.nullable:
        yield "nullable = false"
    for key in ("label", "of", "why"):
        if value := getattr(column, key):
            yield f"{key} = {quote(value)}"


def quote(text: str) -> str:
    """The text as TOML quotes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _bare(name: str) -> str:
    """The name as a key of TOML, quoted only where it must be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quote(name)


def _refuse_unknown(what: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise UnknownNameError(what, key, known)
