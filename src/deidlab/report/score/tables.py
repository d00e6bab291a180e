"""One system's scores in, the tables that `deidlab score` prints first out."""

from __future__ import annotations

from deidlab.evaluate import measures
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.privacy import Privacy, Share
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import Figures
from deidlab.evaluate.scores import LevelScores, Summary
from deidlab.report.rows import measure_rows, word_cells
from deidlab.report.tables import NOTHING, Table, Value, columns_of, counted, show_value, text_table
from deidlab.types import Counts

NOTHING_NOTE = f"{NOTHING}: nothing to divide by."


def measure_table() -> Table:
    """Every measure that tables and JSON show: what counts as found, and how it is averaged."""
    rows = (
        (measure.title, measure.group, measure.same, measure.averages)
        for measure in measures.shown_measures()
    )
    return text_table("Measures", ("measure", "counts", "found where", "averages"), rows, 4)


def interval_note(n_units: int, settings: ResampleSettings) -> str:
    """How the intervals of a table were made."""
    if settings.n_resamples == 0 or n_units < 2:
        why = "none were asked for" if n_units > 1 else "one unit cannot be resampled"
        return f"No intervals: {why}. {NOTHING_NOTE}"
    drawn = counted(n_units, settings.unit)
    return f"Intervals: {settings.n_resamples:,} resamples of {drawn}. {NOTHING_NOTE}"


def headline_table(name: str, figures: Figures, style: str, settings: ResampleSettings) -> Table:
    """Precision, recall and F1 of every way to match, and the interval of F1."""
    summary, intervals = figures.summary, figures.intervals
    accuracy = intervals.headline["words.accuracy"]
    rows: list[tuple[Value, ...]] = [
        (title, precision.value, recall.value, f1.value, f1)
        for title, precision, recall, f1 in measure_rows(figures)
    ]
    rows.append(("words, accuracy", "", "", accuracy.value, accuracy))
    title = (
        f"{name}: {counted(summary.n_documents, 'document')}, {counted(summary.n_patients, 'patient')}, "
        f"{counted(summary.sizes['words'], 'word')} ({style})"
    )
    columns = columns_of(
        ("measure", "measure", "text"), ("precision", "precision"), ("recall", "recall"), ("f1", "F1"),
        ("f1_interval", f"F1, {settings.confidence:.0%} interval", "ends"),
    )  # fmt: skip
    return Table(title, columns, tuple(rows), interval_note(intervals.n_units, settings))


def interval_table(figures: Figures, settings: ResampleSettings) -> Table:
    """Every headline figure with its interval."""
    titles = measures.figure_titles()
    rows = tuple(
        (titles[name], value.value, value.low, value.high)
        for name, value in figures.intervals.headline.items()
    )
    columns = columns_of(("figure", "figure", "text"), ("value", "value"), ("low", "low"), ("high", "high"))
    note = interval_note(figures.intervals.n_units, settings)
    return Table(f"Headline figures, {settings.confidence:.0%} intervals", columns, rows, note)


def privacy_table(figures: Figures, settings: ResampleSettings) -> Table:
    """What a privacy officer asks."""
    privacy = figures.privacy
    rows: list[tuple[Value, ...]] = [
        (headline.title, value.value, value)
        for headline in measures.HEADLINES
        if headline.group == "privacy"
        for value in [figures.intervals.headline[headline.key]]
    ]
    rows += [
        ("documents that leak", *_share_cells(privacy.leaking_documents)),
        ("patients that leak", *_share_cells(privacy.leaking_patients)),
        (
            "words masked for nothing",
            str(privacy.overmasked_words),
            f"{show_value(privacy.overmasked_share, 'ratio')} of all others",
        ),
    ]
    note = (
        f"Leaks: {counted(privacy.leaked_words, 'word')} of {privacy.words}. Shares of leaking units have a "
        f"one-sided Clopper–Pearson bound at {privacy.confidence:.0%}; units without PHI are left out."
    )
    columns = columns_of(
        ("figure", "figure", "text"), ("value", "value"),
        ("interval", f"{settings.confidence:.0%} interval or bound", "ends"),
    )  # fmt: skip
    return Table("Privacy, labels aside", columns, tuple(rows), note)


def type_table(figures: Figures) -> Table:
    """Each type at word level, with its strict entity F1 and its leaks."""
    summary, privacy = figures.summary, figures.privacy
    strict = summary.entities["strict"].by_type
    rows: list[tuple[Value, ...]] = []
    for label, counts in _by_support(summary.words):
        if label in summary.absent and counts.fp == 0 and strict[label].fp == 0:
            continue
        n_words, precision, recall, f1 = word_cells(figures, label)
        assert isinstance(f1, Interval)
        leaked = privacy.by_type[label].leaked
        rows.append((label, n_words, precision, recall, f1.value, f1, strict[label].f1, leaked))
    columns = columns_of(
        ("type", "type", "text"), ("words", "words", "plain"), ("precision", "precision"),
        ("recall", "recall"), ("f1", "F1"), ("f1_interval", "F1 interval", "ends"),
        ("strict_f1", "strict F1"), ("leaked", "leaked", "plain"),
    )  # fmt: skip
    return Table("By type, in words", columns, tuple(rows), _absent_note(summary))


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
