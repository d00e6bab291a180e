"""A schema and the shapes of its values in, a first plan out: a class for each column, and why.

In order: the table of the OMOP common data model, where it is one; what keys hold between tables; the
column's name; the shape of its cells. What none of them tells is unclassified: nobody guesses.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import islice
from typing import Any

from deidlab.corpus.tables.classes import CODE, NUMBER, OTHER_KEY, PATIENT_KEY, TEXT, UNCLASSIFIED
from deidlab.corpus.tables.plan import ColumnPlan, TablePlan, TablesPlan
from deidlab.corpus.tables.schema import WHOLE, Column, Schema, Table
from deidlab.corpus.tables.shapes import Shapes, look
from deidlab.corpus.tables.stores import Store

_LOOKED_AT = 20_000
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PATIENT = re.compile(
    r"(?:patients?|persons?|pat|subject|mrn)(?:[ _]?(?:id|key|no|number|nr))?|pid", re.IGNORECASE
)
_ID = re.compile(r"(?i:(?:.*[_ ])?(?:id|key|uuid|guid))|[A-Za-z]*[a-z]I[dD]")
_PATIENTS = ("patient", "person", "pat", "subject")
_STAFF = (
    "provider",
    "doctor",
    "physician",
    "clinician",
    "nurse",
    "staff",
    "user",
    "employee",
    "practitioner",
)
_FEW_OMOP = 5


@functools.cache
def _data(name: str) -> dict[str, Any]:
    file = resources.files("deidlab").joinpath("data", "tables", f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def propose_plan(store: Store, source: str) -> TablesPlan:
    """A plan for what is there, of which every column that cannot be told is unclassified."""
    schema = store.schema()
    omop = find_omop(schema)
    with store.open() as snapshot:
        shapes = {
            table.name: look(islice(snapshot.rows(table.name, table.names), _LOOKED_AT), len(table.columns))
            for table in schema.tables
        }
    asked = _Proposal(schema, shapes, omop)
    tables = [asked.table(table) for table in schema.tables]
    plan = TablesPlan(source, schema.digest(), tuple(tables))
    linked = tuple(_linked(table, plan) for table in plan.tables)
    return replace(plan, tables=_parents_first(linked))


def find_omop(schema: Schema) -> Mapping[str, Any]:
    """The tables of the common data model; none where the schema is another."""
    known = _data("omop-5.4")["tables"]
    n_there = sum(table.name.lower() in known for table in schema.tables)
    is_one = n_there >= _FEW_OMOP and any(table.name.lower() == "person" for table in schema.tables)
    return known if is_one else {}


@dataclass(frozen=True, slots=True)
class _Proposal:
    schema: Schema
    shapes: Mapping[str, list[Shapes]]
    omop: Mapping[str, Any]

    def table(self, table: Table) -> TablePlan:
        shapes = self.shapes[table.name]
        columns = tuple(
            self.column(table, each, own) for each, own in zip(table.columns, shapes, strict=True)
        )
        keys = [each for each in columns if each.kind == PATIENT_KEY]
        if len(keys) > 1:
            # Of several keys of patients in a row the first says whose it is.
            columns = tuple(replace(each, kind=OTHER_KEY) if each in keys[1:] else each for each in columns)
        return TablePlan(table.name, columns)

    def column(self, table: Table, column: Column, shapes: Shapes) -> ColumnPlan:
        type = shapes.plain_type() if not column.declared and column.type == "text" else column.type
        plan = ColumnPlan(column.name, UNCLASSIFIED, type, column.nullable)
        for propose in (self.of_omop, self.of_keys, self.of_name, self.of_shape):
            if found := propose(table, replace(column, type=type), shapes):
                found_as = replace(plan, **found)
                return replace(found_as, width=column.width) if found_as.is_key else found_as
        return replace(plan, why="neither its name nor its values tell")

    def of_omop(self, table: Table, column: Column, shapes: Shapes) -> dict[str, Any]:
        known = self.omop.get(table.name.lower(), {}).get(column.name.lower())
        if known is None and self.omop and column.name.lower().endswith("concept_id"):
            known = CODE
        if known is None:
            return {}
        kind, _, rest = known.partition(" ")
        label, slash, of = rest.partition("/")
        label, of = (label, of) if slash else ("", rest)
        if kind == PATIENT_KEY and table.name.lower() != "person":
            of = "person.person_id"
        return {"kind": kind, "of": self._there(of), "label": label, "why": "OMOP CDM 5.4"}

    def _there(self, of: str) -> str:
        """The table and column as the schema spells them; empty where they are not there."""
        name, _, own = of.rpartition(".")
        for table in self.schema.tables:
            if table.name.lower() == name:
                return next((f"{table.name}.{each}" for each in table.names if each.lower() == own), "")
        return ""

    def of_keys(self, table: Table, column: Column, shapes: Shapes) -> dict[str, Any]:
        if column.type not in (*WHOLE, "uuid", "text"):
            return {}
        for key in table.foreign:
            if column.name in key.columns:
                own = key.referred[key.columns.index(column.name)]
                kind = PATIENT_KEY if self._is_patients(key.table, own) else OTHER_KEY
                return {"kind": kind, "of": f"{key.table}.{own}", "why": f"a foreign key of {key.table}"}
        if self._is_patients(table.name, column.name):
            return {"kind": PATIENT_KEY, "why": "the key of the table of patients"}
        if _PATIENT.fullmatch(column.name):
            return {"kind": PATIENT_KEY, "why": "its name is that of a patient's key"}
        if (column.name,) == table.primary:
            return {"kind": OTHER_KEY, "why": "the table's primary key"}
        if _ID.fullmatch(column.name):
            of = self._same_name(table, column)
            return {"kind": OTHER_KEY, "of": of, "why": "its name is that of a key"}
        return {}

    def _is_patients(self, table: str, column: str) -> bool:
        """Whether the column is what tells the rows of a table of patients apart."""
        name = table.lower().removesuffix("s")
        if name not in _PATIENTS:
            return False
        primary = self.schema.table(table).primary if any(t.name == table for t in self.schema.tables) else ()
        return (
            (column,) == primary
            if primary
            else _PATIENT.fullmatch(column) is not None or column.lower() == "id"
        )

    def _same_name(self, table: Table, column: Column) -> str:
        """The key that a column called note_id holds: of note or notes, the column of that name or id."""
        name = re.sub(r"[_ ]?(?:id|key|uuid|guid)$", "", column.name, flags=re.IGNORECASE).lower()
        for other in self.schema.tables:
            if other.name != table.name and name and other.name.lower() in (name, f"{name}s"):
                own = next((each for each in other.names if each.lower() in (column.name.lower(), "id")), "")
                return f"{other.name}.{own}" if own else ""
        return ""

    def of_name(self, table: Table, column: Column, shapes: Shapes) -> dict[str, Any]:
        words = " ".join(word.lower() for word in _WORDS.findall(column.name))
        for rule in _data("names")["rules"]:
            if re.fullmatch(rule["pattern"], words) and _suits(rule["class"], column.type):
                kind = _whose_name(table.name) if rule["class"] == "patient-name" else rule["class"]
                if kind or words != "name":  # wards and tests have names, too
                    return {"kind": kind or rule["class"], "label": rule.get("label", ""), "why": "its name"}
        return {}

    def of_shape(self, table: Table, column: Column, shapes: Shapes) -> dict[str, Any]:
        if column.type == "date" or shapes.all("date", "written date"):
            return {"kind": "date", "why": "all its values are days"}
        if column.type in ("timestamp", "timestamptz") or shapes.all("timestamp", "date"):
            return {"kind": "timestamp", "why": "all its values are days with times"}
        if column.type in ("number", "float"):
            return {"kind": NUMBER, "why": f"its type is {column.type}"}
        if column.type in ("bool", "time"):
            return {"kind": CODE, "why": f"its type is {column.type}"}
        if shapes.mostly("e-mail address") or shapes.mostly("telephone number"):
            return {"kind": "contact", "why": "the shape of its values"}
        return {"kind": TEXT, "why": "some of its values are long texts"} if shapes.some_long else {}


def _whose_name(table: str) -> str:
    """The class of names in a table of patients or of staff; empty where its name does not say."""
    name = table.lower().removesuffix("s")
    if name in _PATIENTS:
        return "patient-name"
    return "staff-name" if name in _STAFF else ""


def _suits(kind: str, type: str) -> bool:
    """Whether cells of that type can be of the class that a name suggests."""
    if kind in ("text", "patient-name", "staff-name", "contact", "place"):
        return type == "text" or (kind == "contact" and type in WHOLE)
    if kind == "birth-date":
        return type in ("date", "timestamp", "timestamptz", "text")
    return type not in ("json", "other", "bool", "time", "date", "timestamp", "timestamptz")


def _linked(table: TablePlan, plan: TablesPlan) -> TablePlan:
    """The table with the key that leads to its patient, where it has none itself and one does."""
    if table.patient is not None:
        return table
    for column in table.columns:
        name, _, own = column.of.rpartition(".")
        other = next((each for each in plan.tables if each.name == name), None)
        if column.kind == OTHER_KEY and other is not None and other.patient is not None and own:
            return replace(table, via=column.of, why=f"its rows belong to patients through {name}")
    return replace(table, why="its rows belong to no patient")


def _parents_first(tables: tuple[TablePlan, ...]) -> tuple[TablePlan, ...]:
    """Tables that others point to before these, as far as they do not point at one another."""
    by_name = {table.name: table for table in tables}
    ordered: dict[str, TablePlan] = {}

    def put(table: TablePlan, under_way: frozenset[str]) -> None:
        for name in _pointed_at(table):
            if name in by_name and name not in ordered and name not in under_way:
                put(by_name[name], under_way | {name})
        ordered.setdefault(table.name, table)

    for table in tables:
        put(table, frozenset({table.name}))
    return tuple(ordered.values())


def _pointed_at(table: TablePlan) -> Iterator[str]:
    return (each.of.rpartition(".")[0] for each in table.columns if each.of)
