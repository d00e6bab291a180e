"""A policy's name or a TOML file in, one row a label out.

A row says what happens to a label (`action`), in which style (`style`, or the run's own), from which
score on (`threshold`) or for which wanted recall (`recall`), and cites the clause that asks for it.
Labels of other schemes find their row through the shipped label maps; a label that a surrogate is made for
may have a row too.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from deidlab.carriers import split_label
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.mask.base_labels import base_label, known_labels
from deidlab.mask.codes import CODES, KEYED
from deidlab.mask.styles import known_styles
from deidlab.mask.surrogate import SURROGATES
from deidlab.shipped import Shelf
from deidlab.types import Span

Action = Literal["mask", "keep", "year", "over-89", "age-band", "zip3", "fsa"]
ACTIONS: tuple[Action, ...] = get_args(Action)

_POLICIES = Shelf("policy", "policies")
# Of files that are like one another.
_DEEPEST = 8
_ROW_KEYS = ("action", "style", "threshold", "recall", "clause", "note")
_TOP_KEYS = ("name", "description", "like", "default", "types", "style", "threshold", "recall", "codes")
_CODES_KEYS = ("take", "clause")


@dataclass(frozen=True, slots=True)
class Row:
    """What a policy does to one label."""

    action: Action = "mask"
    style: str | None = None
    threshold: float | None = None
    recall: float | None = None
    clause: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """Rows by label; a label with no row of its own, nor through a map, falls to `default`."""

    name: str
    description: str
    rows: Mapping[str, Row] = field(hash=False)
    default: Row = Row()
    codes: str = KEYED
    codes_clause: str = ""
    """What asks for random codes, where the policy does."""

    def row(self, label: str) -> Row:
        own = self.rows.get(label)
        if own is not None:
            return own
        return self.rows.get(split_label(label)[0]) or self.rows.get(base_label(label), self.default)

    def masks(self, span: Span) -> bool:
        """Whether the span is changed: its label is not kept, and its score is high enough."""
        row = self.row(span.label)
        if row.action == "keep":
            return False
        return row.threshold is None or span.score is None or span.score >= row.threshold

    @property
    def wanted_recalls(self) -> dict[str, float]:
        """Labels that ask for a recall and have no threshold yet: until they get one, all of it is masked."""
        rows = {**self.rows, "": self.default}
        return {
            label: row.recall
            for label, row in rows.items()
            if row.recall is not None and row.threshold is None
        }

    def with_thresholds(self, thresholds: Mapping[str, float]) -> Policy:
        """The same policy with these thresholds by label, such as those that reach the wanted recalls."""
        rows = dict(self.rows)
        for label, threshold in thresholds.items():
            rows[label] = replace(self.row(label), threshold=_share(threshold, f"threshold of {label}"))
        return replace(self, rows=rows)


def known_policies() -> tuple[str, ...]:
    return _POLICIES.names()


def load_policy(name_or_file: str, beside: Path | None = None) -> Policy:
    """The shipped policy of that name, or the one in a TOML file, which is looked for in a folder where one
    is given."""
    return _load(name_or_file, beside)


def _also(name: str) -> str:
    """The shipped policy that people call so, too; else the name as it is."""
    tables = ((each, _POLICIES.read_shipped(each)) for each in known_policies())
    return next((each for each, table in tables if name in table.get("also", ())), name)


def _load(name_or_file: str, beside: Path | None = None, depth: int = 0) -> Policy:
    name_or_file = name_or_file if name_or_file in known_policies() else _also(name_or_file)
    if name_or_file in known_policies():
        return _shipped(name_or_file)
    path = _POLICIES.own_file(name_or_file, beside)
    if depth > _DEEPEST:
        raise ConfigError(f"{path}: policies that are like each other without end; take out one 'like'")
    table = _POLICIES.read(name_or_file, beside)
    return _policy_of({"name": path.stem, **table}, path.parent, depth)


def read_policy(table: Mapping[str, Any]) -> Policy:
    """A policy from a table as TOML gives it; unknown keys are errors that name the nearest valid one."""
    return _policy_of(table, None, 0)


def policy_to_table(policy: Policy) -> dict[str, Any]:
    """All of a policy as JSON can hold it, thresholds that a run settled too; `table_to_policy` reads it."""
    rows = {label: asdict(row) for label, row in sorted(policy.rows.items())}
    told = {"name": policy.name, "description": policy.description}
    told |= {"codes": policy.codes, "codes_clause": policy.codes_clause}
    return {**told, "default": asdict(policy.default), "types": rows}


def table_to_policy(table: Mapping[str, Any]) -> Policy:
    """The policy that a record holds."""
    rows = {str(label): Row(**row) for label, row in table["types"].items()}
    codes = str(table.get("codes", KEYED)), str(table.get("codes_clause", ""))
    return Policy(str(table["name"]), str(table["description"]), rows, Row(**table["default"]), *codes)


def _policy_of(table: Mapping[str, Any], folder: Path | None, depth: int) -> Policy:
    _refuse_unknown("policy key", table, _TOP_KEYS)
    name = str(table.get("name", "own"))
    like = table.get("like")
    parent = Policy("", "", {}, Row()) if like is None else _load(str(like), folder, depth + 1)
    common = {key: table[key] for key in ("style", "threshold", "recall") if key in table}
    rows = {label: _fill(row, common) for label, row in parent.rows.items()}
    default = _fill(parent.default, common)
    types = table.get("types", {})
    if not isinstance(types, Mapping):
        raise ConfigError(f"policy {name}: types must be a table with one row a label")
    for label, value in types.items():
        _refuse_unknown_label(label)
        rows[label] = _row(value, rows.get(label, default), f"policy {name}: {label}")
    if "default" in table:
        default = _row(table["default"], default, f"policy {name}: default")
    codes = _codes(table["codes"], parent) if "codes" in table else (parent.codes, parent.codes_clause)
    return Policy(name, str(table.get("description", parent.description)), rows, default, *codes)


@functools.cache
def _shipped(name: str) -> Policy:
    table = _POLICIES.read_shipped(name)
    return read_policy({key: value for key, value in table.items() if key != "also"})


def _fill(row: Row, common: Mapping[str, Any]) -> Row:
    return _row(common, row, "policy") if common else row


def _row(value: Any, base: Row, where: str) -> Row:
    fields = {"action": value} if isinstance(value, str) else value
    if not isinstance(fields, Mapping):
        raise ConfigError(f"{where}: a row is an action in quotes, or a table such as {{ action = 'keep' }}")
    _refuse_unknown("policy key", fields, _ROW_KEYS)
    changes = dict(fields)
    if "action" in changes and changes["action"] not in ACTIONS:
        raise UnknownNameError("action", str(changes["action"]), ACTIONS)
    if "style" in changes and changes["style"] not in known_styles():
        raise UnknownNameError("style", str(changes["style"]), known_styles())
    for key in ("threshold", "recall"):
        if key in changes:
            changes[key] = _share(changes[key], f"{where}: {key}")
    return replace(base, **changes)


def _codes(value: Any, parent: Policy) -> tuple[str, str]:
    """Which codes are taken, and what asks for it."""
    told = {"take": value} if isinstance(value, str) else value
    if not isinstance(told, Mapping):
        raise ConfigError("policy: codes is random or keyed in quotes, or a table { take = …, clause = … }")
    _refuse_unknown("policy key", told, _CODES_KEYS)
    take = str(told.get("take", parent.codes))
    if take not in CODES:
        raise UnknownNameError("kind of codes", take, CODES)
    return take, str(told.get("clause", parent.codes_clause))


def _share(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigError(f"{where} must be a number from 0 to 1")
    return float(value)


def _refuse_unknown(kind: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise UnknownNameError(kind, key, known)


def _refuse_unknown_label(label: str) -> None:
    known = tuple(dict.fromkeys((*known_labels(), *SURROGATES)))
    if label in known:
        return
    upper = {name.upper(): name for name in known}
    near = difflib.get_close_matches(label.upper(), list(upper), n=1, cutoff=0.6)
    if near:
        raise ConfigError(f"unknown label '{label}'; did you mean {upper[near[0]]}?")
    raise UnknownNameError("label", label, known)
