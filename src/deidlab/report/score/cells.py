"""Figures in, the text of a table's cell out; a figure with nothing to divide by prints as –."""

from __future__ import annotations

from deidlab.evaluate.resample import Interval, ResampleSettings
from deidlab.types import Counts

NOTHING = "–"
NOTHING_NOTE = f"{NOTHING}: nothing to divide by."

HEADLINE_NAMES = {
    "words": "words, typed (micro)",
    "words_binary": "words, PHI or not",
    "strict": "entities, strict",
    "relaxed": "entities, relaxed (end ±2)",
    "overlap": "entities, partial overlap",
    "binary": "entities, binary (exact, untyped)",
}
PRIVACY_NAMES = {
    "privacy.word_recall": "PHI words hidden, any label",
    "privacy.character_recall": "PHI characters hidden, any label",
    "privacy.clean_documents": "documents with PHI and no leak",
    "privacy.leaked_words_per_document": "leaked words a document",
}
FIGURE_NAMES = {
    **{
        f"{key}.{ratio}": f"{name}: {ratio}"
        for key, name in HEADLINE_NAMES.items()
        for ratio in ("precision", "recall", "f1")
    },
    "words.accuracy": "words: accuracy",
    "words.macro_f1": "words, typed: macro f1",
    "words.weighted_f1": "words, typed: weighted f1",
    **PRIVACY_NAMES,
}


def number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def signed(value: float | None) -> str:
    return NOTHING if value is None else f"{value:+.4f}"


def bounds(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return NOTHING
    return f"{interval.low:.4f}–{interval.high:.4f}"


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def ratio_cells(counts: Counts) -> tuple[str, str, str]:
    return number(counts.precision), number(counts.recall), number(counts.f1)


def interval_note(n_units: int, settings: ResampleSettings) -> str:
    """How the intervals of a table were made."""
    if settings.n_resamples == 0 or n_units < 2:
        why = "none were asked for" if n_units > 1 else "one unit cannot be resampled"
        return f"No intervals: {why}. {NOTHING_NOTE}"
    drawn = counted(n_units, settings.unit)
    return f"Intervals: {settings.n_resamples:,} resamples of {drawn}. {NOTHING_NOTE}"
