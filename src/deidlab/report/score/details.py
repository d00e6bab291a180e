"""Scores in, the tables of `deidlab score --all` out: averages, the challenges' own, confusion, groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deidlab import conventions
from deidlab.evaluate.confusion import Confusion
from deidlab.evaluate.privacy import Slip
from deidlab.evaluate.score import SystemScore
from deidlab.evaluate.scores import Summary
from deidlab.report.score.cells import HEADLINE_NAMES, bounds, number, ratio_cells
from deidlab.report.tables import Table


def average_table(summary: Summary) -> Table:
    """Micro, macro and weighted of every typed way to match."""
    rows = []
    for name, level in (("words", summary.words), *summary.entities.items()):
        kind = "words, typed" if name == "words" else HEADLINE_NAMES[name]
        kind = kind.removesuffix(" (micro)")
        for mean in ("micro", "macro", "weighted"):
            part = getattr(level, mean)
            rows.append((kind, mean, number(part.precision), number(part.recall), number(part.f1)))
    touching = summary.entities_binary_overlap
    rows.append(("entities, untyped overlap", "micro", *ratio_cells(touching)))
    note = "Macro and weighted are over the types present in the gold; there a missing precision counts as 0."
    columns = ("measure", "average", "precision", "recall", "F1")
    return Table("Averages", columns, tuple(rows), n_text_columns=2, note=note)


def i2b2_table(summary: Summary) -> Table:
    rows = tuple(
        (
            name,
            *(
                f"{ratios[ratio][mean]:.4f}"
                for mean in ("micro", "macro")
                for ratio in ("precision", "recall", "f1")
            ),
        )
        for name, ratios in summary.i2b2_2014.items()
    )
    columns = ("measure", "micro P", "micro R", "micro F1", "macro P", "macro R", "macro F1")
    note = "As the challenge's program prints them: nothing to divide by counts as 0; HIPAA leaves IDNUM out."
    return Table("i2b2 2014", columns, rows, note=note)


def official_tables(summary: Summary) -> Iterator[Table]:
    """A table a corpus that has measures of its own."""
    for corpus, scores in summary.official.items():
        own = conventions.find(corpus)
        rows = tuple(
            (own.measures[key].title, *(f"{ratios[ratio]:.4f}" for ratio in ("precision", "recall", "f1")))
            for key, ratios in scores.items()
        )
        yield Table(own.title, ("sub-track", "precision", "recall", "F1"), rows)


def confusion_table(confusion: Confusion) -> Table:
    rows = tuple(
        (name, *(str(cell) if cell else "·" for cell in row))
        for name, row in zip(confusion.gold, confusion.cells.tolist(), strict=True)
    )
    note = "In words; rows are the gold's types. (in part): the right type, but not over the whole word."
    return Table("Confusion", ("gold \\ system", *confusion.system), rows, note=note)


def confusion_list(confusion: Confusion, n_shown: int = 25) -> Table:
    """The commonest confusions, one a row: what fits a terminal where the whole table does not."""
    pairs = sorted(
        (
            (int(n), confusion.gold[row], confusion.system[column])
            for (row, column), n in np.ndenumerate(confusion.cells)
            if n and row != column
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    rows = tuple((gold, system, str(n)) for n, gold, system in pairs[:n_shown])
    rest = len(pairs) - len(rows)
    note = "(none): missed, or no PHI. (in part): the right type, but not over the whole word."
    if rest > 0:
        note += f" {rest} more pairs of types: see --confusion, --markdown or --json."
    return Table("Confusions", ("gold", "system", "words"), rows, n_text_columns=2, note=note)


def group_table(score: SystemScore, field: str) -> Table:
    """The figures that matter most, one row a value of the field."""
    rows = []
    for value, figures in score.groups.items():
        headline = figures.intervals.headline
        keys = ("words.precision", "words.recall", "words.f1", "strict.f1", "privacy.word_recall")
        cells = [number(headline[key].value) for key in keys]
        rows.append(
            (
                value,
                str(figures.summary.n_documents),
                *cells,
                bounds(headline["words.f1"]),
                str(figures.privacy.leaking_documents.n),
            )
        )
    columns = (
        field,
        "documents",
        "precision",
        "recall",
        "F1",
        "strict F1",
        "PHI hidden",
        "interval of F1",
        "leaking",
    )
    return Table(
        f"By {field}", columns, tuple(rows), note="Precision, recall and F1 are of typed words (micro)."
    )


def slip_table(slips: Sequence[Slip], texts: Mapping[str, str] | None, n_shown: int = 40) -> Table:
    """The first leaks and over-maskings; the words themselves only where `texts` is given."""
    rows = []
    for slip in slips[:n_shown]:
        where = (slip.document, slip.kind, slip.label, f"{slip.start}–{slip.end}", str(slip.n_words))
        text = () if texts is None else (texts[slip.document][slip.start : slip.end],)
        rows.append((*where, *text))
    rest = len(slips) - n_shown
    note = f"{rest} more; --leaks FILE.csv lists all." if rest > 0 else ""
    title = f"Leaks and over-maskings ({len(slips)})"
    columns = ("document", "kind", "label", "characters", "words", *(() if texts is None else ("text",)))
    return Table(title, columns, tuple(rows), n_text_columns=3, note=note)
