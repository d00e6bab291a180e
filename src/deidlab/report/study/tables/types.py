"""Table 3, the per-type tables behind Figure 3, and which errors are made where."""

from __future__ import annotations

from collections.abc import Mapping

from deidlab.evaluate.compare import compare_types, holm
from deidlab.evaluate.confusion import OUTSIDE, PARTLY
from deidlab.report.rows import common_confusions, word_cells
from deidlab.report.study.published import published_note, published_study
from deidlab.report.study.registry import study_table
from deidlab.report.study.scores import ScoredRow, ScoredStudy
from deidlab.report.study.types import ERRORS, corpus_parts, error_counts, types_in_order, words_by_type
from deidlab.report.tables import Table, Value, columns_of

NON_PHI = "Non-PHI"
_N_CONFUSIONS = 15


@study_table("corpus", "table-3-corpus")
def corpus_table(study: ScoredStudy) -> Table | None:
    """Table 3: words of each type in each part, as counts and shares."""
    parts = corpus_parts(study)
    if not parts:
        return None
    support = {part: words_by_type(summary) for part, summary in parts.items()}
    labels = sorted({label for counts in support.values() for label in counts})
    labels.sort(key=lambda label: -sum(counts.get(label, 0) for counts in support.values()))
    theirs = published_study()["labels"]
    beside = [part for part in parts if any(label in theirs for label in labels)]
    rows: list[tuple[Value, ...]] = []
    for label in (NON_PHI, *labels):
        cells: list[Value] = [label]
        for part, summary in parts.items():
            total = summary.sizes["words"]
            phi = sum(support[part].values())
            count = total - phi if label == NON_PHI else support[part].get(label, 0)
            cells += (count, count / total if total else None)
        cells += (theirs.get(label, {}).get(part) for part in beside)
        rows.append(tuple(cells))
    columns = columns_of(
        ("type", "Type", "text"),
        *(
            column
            for part in parts
            for column in (
                (f"{part}_words", "words", "count", part.capitalize()),
                (f"{part}_share", "%", "percent", part.capitalize()),
            )
        ),
        *((f"published_{part}", part, "count", "Published") for part in beside),
    )
    notes = "; ".join(
        f"{part}: {summary.n_documents:,} notes, {summary.sizes['words']:,} words, "
        f"{summary.sizes['gold_spans']:,} spans"
        for part, summary in parts.items()
    )
    note = f"{notes}. Counted from the gold spans in the predictions." + (
        f" {published_note()}" if beside else ""
    )
    return Table("Table 3: PHI words in each part of the corpus", columns, tuple(rows), note)


@study_table("types", "figure-3-f1-by-type")
def type_table(study: ScoredStudy) -> Table | None:
    """F1 of each type, a column a row of the tests: Figure 3 as numbers."""
    if not types_in_order(study):
        return None
    support = words_by_type(study.rows[0].figures.summary)
    rows: list[tuple[Value, ...]] = []
    for label in types_in_order(study):
        intervals = (row.figures.intervals.type_f1[label] for row in study.rows)
        rows.append((label, support[label], *intervals))
    columns = columns_of(
        ("type", "Type", "text"),
        ("words", "Gold words", "count"),
        *((row.name, row.name) for row in study.rows),
    )
    note = f"F1 of typed words, test part. {study.resample_note}"
    return Table("F1 by PHI type, the numbers of Figure 3", columns, tuple(rows), note)


@study_table("types", "figure-3-significance")
def type_gap_table(study: ScoredStudy) -> Table | None:
    """F1 of the best model less that of each other model, type by type."""
    if len(study.models) < 2 or not study.resample.n_resamples or not types_in_order(study):
        return None
    best = study.models[0]
    rows: list[tuple[Value, ...]] = []
    for other in study.models[1:]:
        gaps = compare_types(other.score.tally, best.score.tally, study.resample)
        labels = [label for label in types_in_order(study) if label in gaps]
        adjusted = holm([gaps[label][1] for label in labels])
        rows += [
            (best.name, other.name, label, *gaps[label], p) for label, p in zip(labels, adjusted, strict=True)
        ]
    columns = columns_of(
        ("first", "Model", "text"), ("second", "Against", "text"), ("type", "Type", "text"),
        ("f1", "F1, difference", "signed"), ("p", "p swaps", "p"), ("p_holm", "p, Holm", "p"),
    )  # fmt: skip
    note = (
        f"First less second on the same test notes, typed words, paired by {study.resample.unit}; Holm "
        f"over the types of a pair. {study.resample_note}"
    )
    return Table("Paired differences by type", columns, tuple(rows), note)


@study_table("types", "types")
def type_detail_table(study: ScoredStudy) -> Table | None:
    """Everything about each type of each row."""
    if not types_in_order(study):
        return None
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        summary, privacy = row.figures.summary, row.figures.privacy
        strict = summary.entities["strict"].by_type
        for label in types_in_order(study):
            rows.append((
                row.name, label, *word_cells(row.figures, label), strict[label].tp + strict[label].fn,
                strict[label].precision, strict[label].recall, strict[label].f1,
                privacy.by_type[label].leaked, privacy.by_type[label].recall,
            ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"), ("type", "Type", "text"), ("words", "Gold words", "count"),
        ("precision", "Words P"), ("recall", "Words R"), ("f1", "Words F1"), ("spans", "Gold spans", "count"),
        ("strict_precision", "Strict P"), ("strict_recall", "Strict R"), ("strict_f1", "Strict F1"),
        ("leaked", "Leaked words", "count"), ("hidden", "Hidden, any label"),
    )  # fmt: skip
    return Table("Every type of every model, test part", columns, tuple(rows), study.resample_note)


@study_table("errors", "errors")
def error_table(study: ScoredStudy) -> Table:
    """The errors of each row, by type."""
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        counted = error_counts(row.score)
        for label in types_in_order(study):
            each = counted[label]
            wrong = sum(each[kind] for kind in ERRORS)
            rows.append((row.name, label, *each.values(), wrong / each["words"] if each["words"] else None))
    columns = columns_of(
        ("model", "Model", "text"), ("type", "Gold type", "text"), ("words", "Gold words", "count"),
        ("right", "Right", "count"), ("missed", "Missed", "count"), ("wrong_type", "Another type", "count"),
        ("in_part", "In part", "count"), ("false_alarms", "False alarms", "count"),
        ("error_share", "Share wrong"),
    )  # fmt: skip
    note = (
        "In words, test part. In part: the right type, but not over the whole word. False alarms: words "
        "that were given this type and have another, or none."
    )
    return Table("Errors by type", columns, tuple(rows), note)


@study_table("errors", "confusions")
def confusion_table(study: ScoredStudy) -> Table:
    """The commonest confusions of each row."""
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        rows += _commonest(row)
    columns = columns_of(
        ("model", "Model", "text"), ("gold", "Gold type", "text"), ("found", "Found as", "text"),
        ("words", "Words", "count"), ("share", "Share of the gold type"),
    )  # fmt: skip
    note = (
        f"The {_N_CONFUSIONS} commonest of each. {OUTSIDE}: missed, or no PHI at all. "
        f"{PARTLY}: the right type, but not over the whole word."
    )
    return Table("Commonest confusions", columns, tuple(rows), note)


def _commonest(row: ScoredRow) -> list[tuple[Value, ...]]:
    confusion = row.figures.confusion
    totals: Mapping[str, int] = dict(zip(confusion.gold, confusion.cells.sum(axis=1).tolist(), strict=True))
    return [
        (row.name, gold, system, n, None if gold == OUTSIDE else n / totals[gold])
        for gold, system, n in common_confusions(confusion)[:_N_CONFUSIONS]
    ]
