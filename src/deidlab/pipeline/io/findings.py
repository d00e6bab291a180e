"""Findings in notes, such as OMOP's NOTE_NLP, after the notes: offsets moved, words cut out of masked text.

A finding keeps nothing of its own words, so it cannot show what was masked: where it lay in a span that was
replaced, it stands on all that took the span's place. Masked notes wait in a file of the run for theirs.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deidlab.corpus.tables.classes import EXCERPT, FROM_NOTE, OFFSET, SNIPPET, TEXT
from deidlab.corpus.tables.plan import TablePlan, TablesPlan, note_link
from deidlab.corpus.tables.schema import WHOLE


def finding_tables(plan: TablesPlan) -> dict[int, str]:
    """The tables of findings by number, each with the text ("table.column") that they stand in."""
    return {
        number: next(each.of for each in table.columns if each.kind == OFFSET)
        for number, table in enumerate(plan.tables)
        if any(each.kind in FROM_NOTE for each in table.columns)
    }


def move(start: int, end: int, replaced: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """Where a stretch stands in the masked text: widened to all of a replacement that it reaches into.

    Rows of `replaced` have start and end in the note first, and those in the masked text last.
    """
    new_start, new_end, shift = start, end, 0
    for row in replaced:
        (old_start, old_end), (there, until) = row[:2], row[-2:]
        if old_start >= end:
            break
        shift = until - old_end
        new_end = max(until, end + shift) if end > old_end else until
        if old_end <= start:
            new_start = start + shift
        elif old_start <= start:
            new_start = there
    return new_start, max(new_start, new_end)


class Findings:
    """The notes that findings wait for, and the findings put in their places."""

    def __init__(self, path: Path, plan: TablesPlan) -> None:
        self.unplaced = 0
        self._plan, self._tables = plan, finding_tables(plan)
        self._texts = set(self._tables.values())
        self._file = path
        self._db = sqlite3.connect(path) if self._tables else None
        if self._db is not None:
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute(
                "CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT, replaced TEXT) WITHOUT ROWID"
            )

    def __enter__(self) -> Findings:
        return self

    def __exit__(self, *error: object) -> None:
        if self._db is not None:
            self._db.close()
            with contextlib.suppress(OSError):
                self._file.unlink()

    def pass_on(self, number: int, cells: list[Any], replaced: Sequence[Sequence[Any]]) -> list[Any]:
        """The row's cells: of a note as they are, and kept for its findings; of a finding as they now are."""
        if self._db is None:
            return cells
        table = self._plan.tables[number]
        if number in self._tables:
            return self._place(table, self._tables[number], cells)
        for n, column in enumerate(table.kept):
            text = f"{table.name}.{column.name}"
            if column.kind == TEXT and text in self._texts and cells[n] is not None:
                self._keep(table, cells, cells[n], replaced)
        return cells

    def _keep(self, table: TablePlan, cells: list[Any], text: str, replaced: Sequence[Sequence[Any]]) -> None:
        assert self._db is not None
        inside = [[row[0], row[1], row[-2], row[-1]] for row in replaced if row[-1] <= len(text)]
        for n, column in enumerate(table.kept):
            # A note is found again by any of its keys; masked, they are the same in both tables.
            if column.kind in ("key", "patient-key"):
                key = f"{table.name}.{column.name} {cells[n]}"
                self._db.execute(
                    "INSERT OR IGNORE INTO notes VALUES (?, ?, ?)", (key, text, json.dumps(inside))
                )

    def _place(self, table: TablePlan, of: str, cells: list[Any]) -> list[Any]:
        """The finding where its words now stand; empty where its note or its place in it is not known."""
        assert self._db is not None
        kinds = [each.kind for each in table.kept]
        link = note_link(table, of.rpartition(".")[0])
        assert link is not None
        named = table.columns[link]
        key = f"{named.of} {cells[table.kept.index(named)]}"
        found = self._db.execute("SELECT text, replaced FROM notes WHERE key = ?", (key,)).fetchone()
        start = cells[kinds.index(OFFSET)]
        length = next((cells[n] or 0 for n, kind in enumerate(kinds) if kind == EXCERPT), 0)
        if found is None or start is None or start < 0:
            self.unplaced += 1
            return [self._empty(cell, kind) for cell, kind in zip(cells, kinds, strict=True)]
        text = found[0]
        new_start, new_end = move(start, start + length, json.loads(found[1]))
        new_start, new_end = min(new_start, len(text)), min(new_end, len(text))
        placed = list(cells)
        for n, column in enumerate(table.kept):
            if column.kind == OFFSET:
                placed[n] = new_start if column.type in WHOLE else str(new_start)
            elif column.kind == EXCERPT:
                placed[n] = text[new_start:new_end]
            elif column.kind == SNIPPET and cells[n] is not None:
                before = max(0, cells[n] - length) // 2
                left = max(0, new_start - before)
                placed[n] = text[left : max(new_end, left + cells[n])]
        return placed

    @staticmethod
    def _empty(cell: Any, kind: str) -> Any:
        if kind not in FROM_NOTE:
            return cell
        return "" if kind == EXCERPT else None
