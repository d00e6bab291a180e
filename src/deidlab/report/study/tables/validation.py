"""The validation part as the runs themselves measured it: what there is to tell before any test.

Figures are from completion records of the selected runs, or of the best so far; they are what selection went
by, so those of the winner flatter it a little.
"""

from __future__ import annotations

from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import counts_by_label, gold_words_of, ranked_runs
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table, Value, columns_of

_RATIOS = ("precision", "recall", "f1")


@study_table("validation", "validation")
def validation_table(study: ScoredStudy) -> Table | None:
    """Words and entities on the validation part, a row a model."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for run in ranked_runs(records):
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
    return Table(title, columns, tuple(rows), note, marked=frozenset({0}))


@study_table("validation", "validation-types")
def validation_type_table(study: ScoredStudy) -> Table | None:
    """Every type of every model on the validation part."""
    records = study.records
    support = gold_words_of(records)
    rows: list[tuple[Value, ...]] = []
    for run in ranked_runs(records):
        for label in support:
            found = counts_by_label(run).get(label, {})
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
    return Table("By type, validation part", columns, tuple(rows), note)
