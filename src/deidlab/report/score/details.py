"""Scores in, the tables of `deidlab score --all` out: averages, the challenges' own, confusion, groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deidlab import conventions
from deidlab.evaluate.confusion import Confusion
from deidlab.evaluate.measures import RATIOS, find_measure
from deidlab.evaluate.privacy import Slip
from deidlab.evaluate.score import SystemScore
from deidlab.evaluate.scores import Summary
from deidlab.report.rows import common_confusions, headline_points
from deidlab.report.tables import Table, Value, columns_of, text_table

_SHORT = {"precision": "P", "recall": "R", "f1": "F1"}
_RATIOS = (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))


def average_table(summary: Summary) -> Table:
    """Micro, macro and weighted of every typed way to match, and what has no interval in the headline."""
    rows: list[tuple[Value, ...]] = []
    for key, level in summary.levels.items():
        kind = find_measure(key).title.removesuffix(" (micro)")
        for mean in ("micro", "macro", "weighted"):
            part = getattr(level, mean)
            rows.append((kind, mean, part.precision, part.recall, part.f1))
    for key, counts in summary.blind.items():
        if not find_measure(key).headline:
            rows.append((find_measure(key).title, "micro", counts.precision, counts.recall, counts.f1))
    note = "Macro and weighted are over the types present in the gold; there a missing precision counts as 0."
    columns = columns_of(("measure", "measure", "text"), ("average", "average", "text"), *_RATIOS)
    return Table("Averages", columns, tuple(rows), note)


def i2b2_table(summary: Summary) -> Table:
    means = ("micro", "macro")
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, *(ratios[ratio][mean] for mean in means for ratio in RATIOS))
        for name, ratios in summary.i2b2_2014.items()
    )
    columns = columns_of(
        ("measure", "measure", "text"),
        *((f"{mean}_{key}", _SHORT[key], "ratio", mean) for mean in means for key in RATIOS),
    )  # fmt: skip
    note = "As the challenge's program prints them: nothing to divide by counts as 0; HIPAA leaves IDNUM out."
    return Table("i2b2 2014", columns, rows, note)


def official_tables(summary: Summary) -> Iterator[Table]:
    """A table a corpus that has measures of its own."""
    for corpus, scores in summary.official.items():
        own = conventions.find(corpus)
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (own.measures[key].title, *(ratios[ratio] for ratio in RATIOS)) for key, ratios in scores.items()
        )
        yield Table(own.title, columns_of(("measure", "sub-track", "text"), *_RATIOS), rows)


def confusion_table(confusion: Confusion) -> Table:
    rows = (
        (name, *(cell or "·" for cell in row))
        for name, row in zip(confusion.gold, confusion.cells.tolist(), strict=True)
    )
    note = "In words; rows are the gold's types. (in part): the right type, but not over the whole word."
    return text_table("Confusion", ("gold \\ system", *confusion.system), rows, note=note)


def confusion_list(confusion: Confusion, n_shown: int = 25) -> Table:
    """The commonest confusions, one a row: what fits a terminal where the whole table does not."""
    found = common_confusions(confusion)
    note = "(none): missed, or no PHI. (in part): the right type, but not over the whole word."
    if len(found) > n_shown:
        rest = len(found) - n_shown
        note += f" {rest} more pairs of types: see --confusion, --markdown or --json."
    return text_table("Confusions", ("gold", "system", "words"), found[:n_shown], 2, note)


def group_table(score: SystemScore, field: str) -> Table:
    """The figures that matter most, one row a value of the field."""
    keys = ("words.precision", "words.recall", "words.f1", "strict.f1", "privacy.word_recall")
    rows = tuple(
        (
            value,
            figures.summary.n_documents,
            *headline_points(figures, keys),
            figures.intervals.headline["words.f1"],
            figures.privacy.leaking_documents.n,
        )
        for value, figures in score.groups.items()
    )
    columns = columns_of(
        ("value", field, "text"), ("documents", "documents", "plain"), *_RATIOS, ("strict_f1", "strict F1"),
        ("hidden", "PHI hidden"), ("f1_interval", "interval of F1", "ends"), ("leaking", "leaking", "plain"),
    )  # fmt: skip
    return Table(f"By {field}", columns, rows, "Precision, recall and F1 are of typed words (micro).")


def slip_table(slips: Sequence[Slip], texts: Mapping[str, str] | None, n_shown: int = 40) -> Table:
    """The first leaks and over-maskings; the words themselves only where `texts` is given."""
    rows = []
    for slip in slips[:n_shown]:
        where = (slip.document, slip.kind, slip.label, f"{slip.start}–{slip.end}", slip.n_words)
        text = () if texts is None else (texts[slip.document][slip.start : slip.end],)
        rows.append((*where, *text))
    rest = len(slips) - n_shown
    names = ("document", "kind", "label", "characters", "words", *(() if texts is None else ("text",)))
    note = f"{rest} more; --leaks FILE.csv lists all." if rest > 0 else ""
    return text_table(f"Leaks and over-maskings ({len(slips)})", names, rows, 3, note)
