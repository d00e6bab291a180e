"""Ensembles, hybrids and baselines against the best model, and how far models carry to other corpora."""

from __future__ import annotations

from deidlab.evaluate.compare import holm
from deidlab.report.study.registry import study_table
from deidlab.report.study.scores import ScoredStudy, score_cross
from deidlab.report.tables import Table, Value, columns_of
from deidlab.study.rows import BASELINE, SYSTEM

HOME = "(its own test part)"


@study_table("beyond", "beyond")
def beyond_table(study: ScoredStudy) -> Table | None:
    """Each ensemble, hybrid and baseline, compared with the best single model on the same notes."""
    best = study.best_model
    if best is None or not study.others:
        return None
    gaps = [study.compare(best, row) for row in study.others]
    adjusted = holm([gap["words.f1"].p_randomisation for gap in gaps])
    rows: list[tuple[Value, ...]] = []
    for row, gap, p in zip(study.others, gaps, adjusted, strict=True):
        headline = row.figures.intervals.headline
        rows.append((
            row.name, row.kind, ", ".join(row.test.members), headline["words.precision"],
            headline["words.recall"], headline["words.f1"], headline["strict.f1"],
            headline["privacy.word_recall"], gap["words.f1"].interval, gap["words.f1"].p_randomisation, p,
        ))  # fmt: skip
    columns = columns_of(
        ("name", "Row", "text"), ("kind", "Kind", "text"), ("members", "Made of", "text"), ("precision", "P"),
        ("recall", "R"), ("f1", "F1"), ("strict_f1", "Strict F1"), ("hidden", "PHI words hidden"),
        ("difference", f"F1 less {best.name}'s", "signed"), ("p", "p swaps", "p"), ("p_holm", "p, Holm", "p"),
    )  # fmt: skip
    note = f"Test part. {best.name} is the model with the best validation F1. {study.resample_note}"
    said = [f"{row.name}: {row.test.note}." for row in study.others if row.test.note]
    title = "Ensembles and hybrids"
    if any(row.kind == BASELINE for row in study.others):
        title = "Ensembles, hybrids and baselines"
    if any(row.kind == SYSTEM for row in study.others):
        title = "Ensembles, hybrids, baselines and other systems"
    return Table(title, columns, tuple(rows), " ".join([note, *said]))


@study_table("beyond", "cross")
def cross_table(study: ScoredStudy) -> Table | None:
    """Trained here, tested there: each row on each other corpus, with its own test part first."""
    if not any(row.test.cross for row in study.rows):
        return None
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        home = row.figures.intervals.headline["words.f1"].value
        places = [(HOME, row.score)]
        places += [
            (corpus, score_cross(study.records, row, corpus, study.resample)) for corpus in row.test.cross
        ]
        for corpus, score in places:
            headline = score.figures.intervals.headline
            f1 = headline["words.f1"].value
            rows.append((
                row.name, corpus, score.figures.summary.n_documents,
                *(headline[f"words.{ratio}"] for ratio in ("precision", "recall", "f1")),
                headline["strict.f1"], headline["privacy.word_recall"],
                None if f1 is None or home is None or corpus == HOME else f1 - home,
            ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"), ("corpus", "Tested on", "text"), ("notes", "Notes", "count"),
        ("precision", "P"), ("recall", "R"), ("f1", "F1"), ("strict_f1", "Strict F1"),
        ("hidden", "PHI words hidden"), ("drop", "F1 less at home", "signed"),
    )  # fmt: skip
    note = (
        "Trained on this study's training part, tested on other corpora that it has never seen. Labels "
        "are compared as they stand, so a corpus of another scheme shows in F1 but not in PHI words "
        f"hidden. {study.resample_note}"
    )
    return Table("Across corpora", columns, tuple(rows), note)
