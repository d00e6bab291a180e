"""Before a pass over tables: whose each row is, through others, and what is known of each patient.

What is known is looked for in that patient's texts. Both stay in memory for the length of a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deidlab.corpus.tables.classes import CLASSES, TELLING, TEXT
from deidlab.corpus.tables.plan import ColumnPlan, TablePlan, TablesPlan
from deidlab.corpus.tables.rows import Told, key_labels
from deidlab.corpus.tables.stores import Row, Snapshot

# Of keys such as those of visits a patient may have thousands.
_KEYS_TOLD = 8


def spread(found: Row, read: Sequence[int], width: int) -> list[Any]:
    """The cells at the places of their columns; what is dropped is not read."""
    cells: list[Any] = [None] * width
    for n, cell in zip(read, found, strict=True):
        cells[n] = cell
    return cells


@dataclass(frozen=True, slots=True)
class Belonging:
    """Whose a row is, by the keys that lead to patients, and what is known of each patient."""

    owners: dict[str, dict[str, str]] = field(repr=False)
    told: dict[str, tuple[Told, ...]] = field(repr=False)

    @classmethod
    def gather(cls, snapshot: Snapshot, plan: TablesPlan) -> Belonging:
        known = cls({}, {})
        for table in plan.tables:
            if table.via and table.patient is None:
                known._own(snapshot, plan, table.via, frozenset())
        if any(column.kind == TEXT for _, column in plan.columns()):
            labels = key_labels(plan)
            for table in plan.tables:
                of_keys = [labels.get(plan.space(table, each), "") for each in table.columns]
                known._tell(snapshot, table, of_keys)
        return known

    def patient_of(self, table: TablePlan, cells: Sequence[Any]) -> str:
        """The patient's key as text; empty where the row has none."""
        if table.patient is not None:
            cell = cells[table.patient]
            return "" if cell is None else str(cell)
        link = table.link()
        return "" if link is None or cells[link] is None else self.owners[table.via].get(str(cells[link]), "")

    def _own(self, snapshot: Snapshot, plan: TablesPlan, key: str, above: frozenset[str]) -> None:
        """Note down whose each row is that the key tells apart."""
        if key in self.owners or key in above:
            return
        name, _, own = key.rpartition(".")
        table = plan.table(name)
        if table.via and table.patient is None:
            self._own(snapshot, plan, table.via, above | {key})
        width, at = len(table.columns), table.place(own)
        leads = table.patient if table.patient is not None else table.link()
        if leads is None:
            self.owners[key] = {}
            return
        rows = snapshot.rows(name, [own, table.columns[leads].name])
        cells = (spread(row, (at, leads), width) for row in rows if row is not None)
        self.owners[key] = {str(row[at]): self.patient_of(table, row) for row in cells if row[at] is not None}

    def _tell(self, snapshot: Snapshot, table: TablePlan, of_keys: Sequence[str]) -> None:
        """Note down what the table says of each patient; of keys only those of which a patient has few.

        A key is told under its own label, so that in a text it becomes what it becomes in its column.
        """
        told = [each for each in table.columns if each.kind in TELLING or _is_written_key(each)]
        labels = [
            own if _is_written_key(each) else each.label or CLASSES[each.kind].label
            for each, own in zip(table.columns, of_keys, strict=True)
            if each in told
        ]
        if table.patient is None or not told:
            return
        owner = table.columns[table.patient].name
        found: dict[str, list[set[str]]] = {}
        for row in snapshot.rows(table.name, [owner, *(each.name for each in told)]):
            if row is None or row[0] is None:
                continue
            own = found.setdefault(str(row[0]), [set() for _ in told])
            for values, column, cell in zip(own, told, row[1:], strict=True):
                if cell and (column.kind in TELLING or len(values) < _KEYS_TOLD):
                    values.add(str(cell))
        for patient, columns in found.items():
            before = self.told.get(patient, ())
            new = [
                (label, text) for label, texts in zip(labels, columns, strict=True) for text in sorted(texts)
            ]
            self.told[patient] = tuple(dict.fromkeys((*before, *new)))


def _is_written_key(column: ColumnPlan) -> bool:
    """Whether the column holds keys that may be written in texts, such as a medical record's number."""
    return column.is_key and column.type == "text"
