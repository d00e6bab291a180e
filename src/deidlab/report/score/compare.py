"""Two or more systems in, the tables that set them side by side out."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import Comparison, SystemScore
from deidlab.report.score.cells import FIGURE_NAMES, NOTHING, counted, number, signed
from deidlab.report.tables import Table


def overview_table(scores: Sequence[SystemScore]) -> Table:
    """One row a system."""
    keys = (
        "words.precision",
        "words.recall",
        "words.f1",
        "words.accuracy",
        "strict.f1",
        "privacy.word_recall",
    )
    rows = tuple(
        (
            score.name,
            *(number(score.figures.intervals.headline[key].value) for key in keys),
            str(score.figures.privacy.leaking_documents.n),
        )
        for score in scores
    )
    columns = ("system", "precision", "recall", "F1", "accuracy", "strict F1", "PHI hidden", "leaking")
    summary = scores[0].figures.summary
    title = f"{counted(len(scores), 'system')} on {counted(summary.n_documents, 'document')}"
    note = "Precision, recall, F1: typed words (micro). PHI hidden: words, any label. leaking: documents."
    return Table(title, columns, rows, note=note)


def comparison_table(comparison: Comparison, settings: ResampleSettings, everything: bool = False) -> Table:
    """The second system less the first."""
    few = (
        "words.precision",
        "words.recall",
        "words.f1",
        "strict.f1",
        "privacy.word_recall",
        "privacy.clean_documents",
    )
    names = FIGURE_NAMES if everything else few
    rows = []
    for name in names:
        gap = comparison.differences[name]
        rows.append(
            (
                FIGURE_NAMES[name],
                number(gap.first),
                number(gap.second),
                signed(gap.difference),
                f"{signed(gap.low)} … {signed(gap.high)}" if gap.low is not None else NOTHING,
                number(gap.p_bootstrap),
                number(gap.p_randomisation),
            )
        )
    interval = f"{settings.confidence:.0%} interval"
    columns = ("figure", "first", "second", "difference", interval, "p bootstrap", "p random")
    note = (
        f"Second less first, paired by {settings.unit}: {settings.n_resamples} resamples and as many random "
        "swaps. p is two-sided and not adjusted for the number of comparisons."
    )
    return Table(f"{comparison.second} against {comparison.first}", columns, tuple(rows), note=note)
