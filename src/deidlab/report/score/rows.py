"""Scores in, rows for programs out: every count and ratio, and every leak and over-masking, as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.privacy import Slip
from deidlab.evaluate.score import Figures, SystemScore
from deidlab.evaluate.scores import Average
from deidlab.report.tables import csv_text
from deidlab.types import Counts

SCORE_COLUMNS = (
    "system", "group", "level", "average", "type", "tp", "fp", "fn", "precision", "recall", "f1",
    "f1_low", "f1_high",
)  # fmt: skip
SLIP_COLUMNS = ("system", "kind", "document", "patient", "start", "end", "label", "words", "characters")

Row = tuple[object, ...]


def score_rows(scores: Sequence[SystemScore]) -> Iterator[Row]:
    """A row for each system, group of documents, level, average and type; an empty cell has no value."""
    for score in scores:
        for group, figures in (("", score.figures), *score.groups.items()):
            for row in _rows(figures):
                yield (score.name, group, *row)


def slip_rows(system: str, slips: Sequence[Slip], texts: Mapping[str, str] | None) -> Iterator[Row]:
    """A row a slip; with `texts`, the words themselves stand in a last column."""
    for slip in slips:
        row = (system, slip.kind, slip.document, slip.patient, slip.start, slip.end, slip.label)
        text = () if texts is None else (texts[slip.document][slip.start : slip.end],)
        yield (*row, slip.n_words, slip.n_characters, *text)


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """A CSV file in UTF-8, made together with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(csv_text(columns, rows), "utf-8", newline="")


def _rows(figures: Figures) -> Iterator[Row]:
    summary, headline = figures.summary, figures.intervals.headline
    for key, level in summary.levels.items():
        yield _counts(key, "micro", "", level.micro, headline.get(f"{key}.f1"))
        for mean in ("macro", "weighted"):
            yield _average(key, mean, getattr(level, mean), headline.get(f"{key}.{mean}_f1"))
        intervals = figures.intervals.type_f1 if key == "words" else {}
        for label, counts in level.by_type.items():
            yield _counts(key, "", label, counts, intervals.get(label))
    for key, counts in summary.blind.items():
        yield _counts(key, "micro", "", counts, headline.get(f"{key}.f1"))
    yield from _privacy(figures)
    for measure, ratios in summary.i2b2_2014.items():
        for mean in ("micro", "macro"):
            part = Average(*(ratios[ratio][mean] for ratio in ("precision", "recall", "f1")))
            yield _average(f"i2b2_2014 {measure}", mean, part, None)
    for corpus, scores in summary.official.items():
        for measure, values in scores.items():
            yield _average(f"{corpus} {measure}", "micro", Average(*values.values()), None)


def _privacy(figures: Figures) -> Iterator[Row]:
    """Hidden and leaked words and characters, labels aside; there are no alarms here, only recall."""
    privacy = figures.privacy
    leaks = [
        ("privacy_words", "", privacy.words, privacy.leaked_words),
        *(("privacy_words", label, part.words, part.leaked) for label, part in privacy.by_type.items()),
        ("privacy_characters", "", privacy.characters, privacy.leaked_characters),
    ]
    for level, label, total, leaked in leaks:
        recall = None if not total else 1 - leaked / total
        average = "" if label else "micro"
        yield (level, average, label, total - leaked, "", leaked, None, recall, None, None, None)


def _counts(level: str, average: str, label: str, counts: Counts, interval: Interval | None) -> Row:
    ratios = (counts.precision, counts.recall, counts.f1)
    return (level, average, label, counts.tp, counts.fp, counts.fn, *ratios, *_ends(interval))


def _average(level: str, mean: str, average: Average, interval: Interval | None) -> Row:
    ratios = (average.precision, average.recall, average.f1)
    return (level, mean, "", "", "", "", *ratios, *_ends(interval))


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
