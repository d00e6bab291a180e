"""Two or more systems in, the tables that set them side by side out."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.evaluate.measures import figure_titles
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import Comparison, SystemScore
from deidlab.report.rows import headline_points
from deidlab.report.tables import NOTHING, Table, columns_of, counted, show_value

_OVERVIEW = (
    "words.precision", "words.recall", "words.f1", "words.accuracy", "strict.f1", "privacy.word_recall",
)  # fmt: skip
_FEW = (
    "words.precision", "words.recall", "words.f1", "strict.f1", "privacy.word_recall",
    "privacy.clean_documents",
)  # fmt: skip


def overview_table(scores: Sequence[SystemScore]) -> Table:
    """One row a system."""
    rows = tuple(
        (score.name, *headline_points(score.figures, _OVERVIEW), score.figures.privacy.leaking_documents.n)
        for score in scores
    )
    columns = columns_of(
        ("system", "system", "text"), ("precision", "precision"), ("recall", "recall"), ("f1", "F1"),
        ("accuracy", "accuracy"), ("strict_f1", "strict F1"), ("hidden", "PHI hidden"),
        ("leaking", "leaking", "plain"),
    )  # fmt: skip
    summary = scores[0].figures.summary
    title = f"{counted(len(scores), 'system')} on {counted(summary.n_documents, 'document')}"
    note = "Precision, recall, F1: typed words (micro). PHI hidden: words, any label. leaking: documents."
    return Table(title, columns, rows, note)


def comparison_table(comparison: Comparison, settings: ResampleSettings, everything: bool = False) -> Table:
    """The second system less the first."""
    titles = figure_titles()
    rows = []
    for name in titles if everything else _FEW:
        gap = comparison.differences[name]
        low, high = show_value(gap.low, "signed"), show_value(gap.high, "signed")
        ends = NOTHING if gap.low is None else f"{low} … {high}"
        p_values = (gap.p_bootstrap, gap.p_randomisation)
        rows.append((titles[name], gap.first, gap.second, gap.difference, ends, *p_values))
    columns = columns_of(
        ("figure", "figure", "text"), ("first", "first"), ("second", "second"),
        ("difference", "difference", "signed"), ("interval", f"{settings.confidence:.0%} interval"),
        ("p_bootstrap", "p bootstrap"), ("p_randomisation", "p random"),
    )  # fmt: skip
    note = (
        f"Second less first, paired by {settings.unit}: {settings.n_resamples} resamples and as many random "
        "swaps. p is two-sided and not adjusted for the number of comparisons."
    )
    return Table(f"{comparison.second} against {comparison.first}", columns, tuple(rows), note)
