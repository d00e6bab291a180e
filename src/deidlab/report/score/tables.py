"""One system's scores in, the tables that `deidlab score` prints first out."""

from __future__ import annotations

from deidlab.evaluate.privacy import Privacy, Share
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import Figures
from deidlab.evaluate.scores import LevelScores, Summary
from deidlab.report.score.cells import (
    FIGURE_NAMES,
    HEADLINE_NAMES,
    NOTHING,
    PRIVACY_NAMES,
    bounds,
    counted,
    interval_note,
    number,
    ratio_cells,
)
from deidlab.report.tables import Table
from deidlab.types import Counts


def headline_table(name: str, figures: Figures, style: str, settings: ResampleSettings) -> Table:
    """Precision, recall and F1 of every way to match, and the interval of F1."""
    summary, intervals = figures.summary, figures.intervals
    rows = []
    for key, measure in HEADLINE_NAMES.items():
        values = [intervals.headline[f"{key}.{ratio}"] for ratio in ("precision", "recall", "f1")]
        rows.append((measure, *(number(value.value) for value in values), bounds(values[2])))
    accuracy = intervals.headline["words.accuracy"]
    rows.append(("words, accuracy", "", "", number(accuracy.value), bounds(accuracy)))
    title = (
        f"{name}: {counted(summary.n_documents, 'document')}, {counted(summary.n_patients, 'patient')}, "
        f"{counted(summary.sizes['words'], 'word')} ({style})"
    )
    columns = ("measure", "precision", "recall", "F1", f"F1, {settings.confidence:.0%} interval")
    return Table(title, columns, tuple(rows), note=interval_note(intervals.n_units, settings))


def interval_table(figures: Figures, settings: ResampleSettings) -> Table:
    """Every headline figure with its interval."""
    rows = [
        (FIGURE_NAMES[name], number(value.value), number(value.low), number(value.high))
        for name, value in figures.intervals.headline.items()
    ]
    columns = ("figure", "value", "low", "high")
    note = interval_note(figures.intervals.n_units, settings)
    return Table(f"Headline figures, {settings.confidence:.0%} intervals", columns, tuple(rows), note=note)


def privacy_table(figures: Figures, settings: ResampleSettings) -> Table:
    """What a privacy officer asks."""
    privacy = figures.privacy
    rows = [
        (name, number(value.value), bounds(value))
        for key, name in PRIVACY_NAMES.items()
        for value in [figures.intervals.headline[key]]
    ]
    rows += [
        ("documents that leak", *_share_cells(privacy.leaking_documents)),
        ("patients that leak", *_share_cells(privacy.leaking_patients)),
        (
            "words masked for nothing",
            str(privacy.overmasked_words),
            f"{number(privacy.overmasked_share)} of all others",
        ),
    ]
    note = (
        f"Leaks: {counted(privacy.leaked_words, 'word')} of {privacy.words}. Shares of leaking units have a "
        f"one-sided Clopper–Pearson bound at {privacy.confidence:.0%}; units without PHI are left out."
    )
    columns = ("figure", "value", f"{settings.confidence:.0%} interval or bound")
    return Table("Privacy, labels aside", columns, tuple(rows), note=note)


def type_table(figures: Figures) -> Table:
    """Each type at word level, with its strict entity F1 and its leaks."""
    summary, privacy = figures.summary, figures.privacy
    strict = summary.entities["strict"].by_type
    rows = []
    for label, counts in _by_support(summary.words):
        if label in summary.absent and counts.fp == 0 and strict[label].fp == 0:
            continue
        f1 = figures.intervals.type_f1[label]
        rows.append(
            (
                label,
                str(counts.tp + counts.fn),
                *ratio_cells(counts),
                bounds(f1),
                number(strict[label].f1),
                str(privacy.by_type[label].leaked),
            )
        )
    columns = ("type", "words", "precision", "recall", "F1", "F1 interval", "strict F1", "leaked")
    return Table("By type, in words", columns, tuple(rows), note=_absent_note(summary))


def counting_notes(summary: Summary, privacy: Privacy) -> list[str]:
    """What was counted in a way that a reader may not expect, a sentence each."""
    sizes = summary.sizes
    said = {
        "gold_gave_way": "gold {s} gave way to a longer one that overlaps, at word level",
        "system_gave_way": "system {s} gave way to a longer one that overlaps, at word level",
        "gold_twice": "gold {s} came twice and counts once",
        "system_twice": "system {s} came twice and counts once",
        "gold_wordless": "gold {s} without a visible character, counted as entities but not as words",
        "gold_unscored": "gold {s} of labels that are not scored",
        "system_unscored": "system {s} of labels that are not scored",
    }
    notes = [
        f"{sizes[key]} {text.format(s='span' if sizes[key] == 1 else 'spans')}"
        for key, text in said.items()
        if sizes[key]
    ]
    if sizes["partly_covered_words"]:
        notes.append(
            f"{counted(sizes['partly_covered_words'], 'word')} covered only in part, counted as wrong"
        )
    if not privacy.words:
        notes.append("the gold holds no PHI, so there is no recall")
    return notes


def _share_cells(share: Share) -> tuple[str, str]:
    upper = NOTHING if share.upper is None else f"at most {share.upper:.4f}"
    return f"{share.n} of {share.of}", upper


def _by_support(level: LevelScores) -> list[tuple[str, Counts]]:
    return sorted(level.by_type.items(), key=lambda item: (-item[1].tp - item[1].fn, item[0]))


def _absent_note(summary: Summary) -> str:
    absent = summary.absent
    present = len(summary.words.by_type) - len(absent)
    note = f"{counted(present, 'type')} present in the gold"
    return f"{note}; absent: {', '.join(absent)}." if absent else f"{note}; none of those scored is absent."
