"""The validation part as the runs themselves measured it: what there is to tell before any test.

Figures are from completion records of the selected runs, or of the best so far; they are what selection went
by, so those of the winner flatter it a little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deidlab.evaluate.resample import Interval
from deidlab.report.cells import DataTable, Value, columns_of
from deidlab.report.study.figure_3 import TypeBars
from deidlab.report.study.figures import place_of
from deidlab.report.study.tables.models import selected_runs
from deidlab.study.records import Completion, StudyRecords

_RATIOS = ("precision", "recall", "f1")


def validation_table(records: StudyRecords) -> DataTable | None:
    """Words and entities on the validation part, a row a model."""
    rows: list[tuple[Value, ...]] = []
    for run in _ranked(records):
        found = run.validation or {}
        words = (found.get(key) for key in (*_RATIOS, "accuracy"))
        strict = (found.get(f"strict_{key}") for key in _RATIOS)
        rows.append((run.model, *words, *strict, run.train.get("accuracy")))
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("precision", "Words P"), ("recall", "Words R"), ("f1", "Words F1"),
        ("accuracy", "Words accuracy"), ("strict_precision", "Strict P"), ("strict_recall", "Strict R"),
        ("strict_f1", "Strict F1"), ("train_accuracy", "Accuracy in training"),
    )  # fmt: skip
    note = (
        "As each run measured itself when it ended; words are typed, micro over all PHI types. Accuracy "
        "in training is of tags, with dropout on."
    )
    title = "Validation figures of the selected runs" if records.selection else "Validation figures so far"
    return DataTable("validation", title, columns, tuple(rows), note, frozenset({0}))


def validation_type_table(records: StudyRecords) -> DataTable | None:
    """Every type of every model on the validation part."""
    support = _support(records)
    rows: list[tuple[Value, ...]] = []
    for run in _ranked(records):
        for label in support:
            found = _by_label(run).get(label, {})
            counts = (found.get(key) for key in ("tp", "fp", "fn"))
            rows.append((run.model, label, support[label], *counts, *(found.get(key) for key in _RATIOS)))
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("type", "Type", "text"), ("words", "Gold words", "count"),
        ("tp", "Right", "count"), ("fp", "False alarms", "count"), ("fn", "Missed or mistyped", "count"),
        ("precision", "Words P"), ("recall", "Words R"), ("f1", "Words F1"),
    )  # fmt: skip
    note = "In typed words, as each run measured itself; no intervals, since these are sums over documents."
    return DataTable("validation-types", "By type, validation part", columns, tuple(rows), note)


def validation_bars(records: StudyRecords) -> tuple[list[TypeBars], dict[str, int]]:
    """What Figure 3 shows, of the validation part; and the gold words of each type, the commonest first."""
    support = _support(records)
    bars = [
        TypeBars(
            run.model,
            place_of(records, run.model),
            {label: Interval(_by_label(run).get(label, {}).get("f1")) for label in support},
        )
        for run in _ranked(records)
        if _by_label(run)
    ]
    return bars, support


def _ranked(records: StudyRecords) -> list[Completion]:
    return sorted(selected_runs(records).values(), key=lambda run: (-(run.f1 or 0.0), run.model))


def _by_label(run: Completion) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = (run.validation or {}).get("by_label") or {}
    return found


def _support(records: StudyRecords) -> dict[str, int]:
    """Gold words of each type: the same in every run, so the first that tells is believed."""
    for run in _ranked(records):
        counts = {label: found["tp"] + found["fn"] for label, found in _by_label(run).items()}
        if counts:
            held = {label: n for label, n in counts.items() if n}
            return dict(sorted(held.items(), key=lambda item: (-item[1], item[0])))
    return {}
