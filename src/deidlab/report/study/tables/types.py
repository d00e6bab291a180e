"""Table 3, the per-type tables behind Figure 3, and which errors are made where."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deidlab.evaluate.confusion import OUTSIDE, PARTLY
from deidlab.evaluate.score import SystemScore
from deidlab.evaluate.scores import Summary
from deidlab.report.cells import DataTable, Value, columns_of
from deidlab.report.study.published import published_note, published_study
from deidlab.report.study.scores import ScoredRow, ScoredStudy
from deidlab.report.study.tables.overall import resample_note
from deidlab.study.records import PARTS

NON_PHI = "Non-PHI"
_N_CONFUSIONS = 15


def corpus_table(study: ScoredStudy) -> DataTable | None:
    """Table 3: words of each type in each part, as counts and shares."""
    parts = corpus_parts(study)
    if not parts:
        return None
    support = {part: _gold_words(summary) for part, summary in parts.items()}
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
                (f"{part}_words", f"{part.capitalize()} words", "count"),
                (f"{part}_share", f"{part.capitalize()} %", "percent"),
            )
        ),
        *((f"published_{part}", f"Published {part}", "count") for part in beside),
    )
    notes = "; ".join(
        f"{part}: {summary.n_documents:,} notes, {summary.sizes['words']:,} words, "
        f"{summary.sizes['gold_spans']:,} spans"
        for part, summary in parts.items()
    )
    note = f"{notes}. Counted from the gold spans in the predictions." + (
        f" {published_note()}" if beside else ""
    )
    return DataTable(
        "table-3-corpus", "Table 3: PHI words in each part of the corpus", columns, tuple(rows), note
    )


def corpus_parts(study: ScoredStudy) -> dict[str, Summary]:
    """The size of each part, from whichever row has its predictions: the gold is the same in all."""
    found: dict[str, Summary] = {}
    for part in PARTS:
        for row in study.rows:
            if part in row.parts:
                found[part] = row.parts[part].figures.summary
                break
    return found


def _gold_words(summary: Summary) -> dict[str, int]:
    counts = {label: each.tp + each.fn for label, each in summary.words.by_type.items()}
    return {label: n for label, n in counts.items() if n}


def gold_words(study: ScoredStudy) -> dict[str, int]:
    """Gold words of each type in the test part, the commonest first."""
    if not study.rows:
        return {}
    support = _gold_words(study.rows[0].figures.summary)
    return dict(sorted(support.items(), key=lambda item: (-item[1], item[0])))


def types_in_order(study: ScoredStudy) -> list[str]:
    """The types of the test gold, the commonest first."""
    return list(gold_words(study))


def type_table(study: ScoredStudy) -> DataTable:
    """F1 of each type, a column a row of the tests: Figure 3 as numbers."""
    support = _gold_words(study.rows[0].figures.summary)
    rows: list[tuple[Value, ...]] = []
    for label in types_in_order(study):
        intervals = (row.figures.intervals.type_f1[label] for row in study.rows)
        rows.append((label, support[label], *intervals))
    columns = columns_of(
        ("type", "Type", "text"),
        ("words", "Gold words", "count"),
        *((row.name, row.name) for row in study.rows),
    )
    note = f"F1 of typed words, test part. {resample_note(study)}"
    return DataTable(
        "figure-3-f1-by-type", "F1 by PHI type, the numbers of Figure 3", columns, tuple(rows), note
    )


def type_detail_table(study: ScoredStudy) -> DataTable:
    """Everything about each type of each row."""
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        summary, privacy = row.figures.summary, row.figures.privacy
        strict = summary.entities["strict"].by_type
        for label in types_in_order(study):
            words = summary.words.by_type[label]
            rows.append(
                (
                    row.name,
                    label,
                    words.tp + words.fn,
                    words.precision,
                    words.recall,
                    row.figures.intervals.type_f1[label],
                    strict[label].tp + strict[label].fn,
                    strict[label].precision,
                    strict[label].recall,
                    strict[label].f1,
                    privacy.by_type[label].leaked,
                    privacy.by_type[label].recall,
                )
            )
    columns = columns_of(
        ("model", "Model", "text"), ("type", "Type", "text"), ("words", "Gold words", "count"),
        ("precision", "Words P"), ("recall", "Words R"), ("f1", "Words F1"), ("spans", "Gold spans", "count"),
        ("strict_precision", "Strict P"), ("strict_recall", "Strict R"), ("strict_f1", "Strict F1"),
        ("leaked", "Leaked words", "count"), ("hidden", "Hidden, any label"),
    )  # fmt: skip
    return DataTable(
        "types", "Every type of every model, test part", columns, tuple(rows), resample_note(study)
    )


ERRORS = ("missed", "wrong_type", "in_part")


def error_counts(score: SystemScore) -> dict[str, dict[str, int]]:
    """What became of the gold words of each type, and the false alarms."""
    confusion = score.figures.confusion
    names = list(confusion.system)
    outside, partly = names.index(OUTSIDE), names.index(PARTLY)
    alarms = score.figures.summary.words.by_type
    counted: dict[str, dict[str, int]] = {}
    for place, label in enumerate(confusion.gold[:-1]):
        row = confusion.cells[place]
        total, right = int(row.sum()), int(row[place])
        missed, part = int(row[outside]), int(row[partly])
        counted[label] = {
            "words": total,
            "right": right,
            "missed": missed,
            "wrong_type": total - right - missed - part,
            "in_part": part,
            "false_alarms": alarms[label].fp,
        }
    return counted


def error_table(study: ScoredStudy) -> DataTable:
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
    return DataTable("errors", "Errors by type", columns, tuple(rows), note)


def confusion_table(study: ScoredStudy) -> DataTable:
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
    return DataTable("confusions", "Commonest confusions", columns, tuple(rows), note)


def _commonest(row: ScoredRow) -> list[tuple[Value, ...]]:
    confusion = row.figures.confusion
    totals: Mapping[str, int] = dict(zip(confusion.gold, confusion.cells.sum(axis=1).tolist(), strict=True))
    found = [
        (int(n), confusion.gold[place], confusion.system[column])
        for (place, column), n in np.ndenumerate(confusion.cells)
        if n and place != column
    ]
    found.sort(key=lambda each: (-each[0], each[1], each[2]))
    return [
        (row.name, gold, system, n, None if gold == OUTSIDE else n / totals[gold])
        for n, gold, system in found[:_N_CONFUSIONS]
    ]
