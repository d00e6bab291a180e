"""A comparison of systems in, a report out: the verdict first, then labels, leaks side by side, tests and
speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deidlab.report.compare.slips import slip_sections
from deidlab.report.compare.tables import (
    failure_table,
    fairness_tables,
    label_table,
    length_table,
    masking_table,
    naming_table,
    pairs_table,
    robustness_table,
    speed_table,
    type_tables,
    verdict_table,
)
from deidlab.report.pages import Card
from deidlab.report.study.parts import Section, StudyReport
from deidlab.report.tables import counted, show_value
from deidlab.systems.comparing import Comparison
from deidlab.systems.judging import ENSEMBLE

_FOOTER = (
    "Figures are of these notes alone; they are evidence for whoever decides, not a claim of compliance."
)
_BARE = "No word of a note is on this page."
_SHOWN = "This page quotes the notes: keep it where they are kept."


def build_compare_report(
    comparison: Comparison,
    title: str,
    provenance: Mapping[str, Any],
    show_text: bool = False,
    commands: Mapping[str, str] | None = None,
) -> StudyReport:
    """Everything that the comparison tells, and the command that masks with each system; the notes' words
    only with `show_text`."""
    return StudyReport(
        name="compare",
        title=title,
        said=(
            f"{counted(len(comparison.results), 'system')} on {counted(len(comparison.documents), 'note')}. "
            "Recall and precision are of words, whatever their label; all systems were asked about the same "
            "notes, one at a time."
        ),
        cards=tuple(_cards(comparison)),
        lacking=tuple(_lacking(comparison)),
        not_asked=(),
        sections=tuple(
            section for section in _sections(comparison, show_text, commands or {}) if section.tables
        ),
        provenance=provenance,
        footer=f"{_SHOWN if show_text else _BARE} {_FOOTER}",
    )


def _lacking(comparison: Comparison) -> Iterator[str]:
    for name, why in comparison.absent.items():
        yield f"{name}: it did not start ({why})"
    if comparison.settings.ensemble and ENSEMBLE not in {each.name for each in comparison.results}:
        yield "ensemble: it needs two systems that started"


def _cards(comparison: Comparison) -> Iterator[Card]:
    def best(key: str, sign: int = 1) -> tuple[str, str]:
        figures = [
            (value, each.name)
            for each in comparison.results
            if (value := each.score.figures.intervals.headline[key].value) is not None
        ]
        if not figures:
            return show_value(None, "ratio"), ""
        value, name = max(figures, key=lambda pair: sign * pair[0])
        return show_value(value, "ratio"), name

    yield Card("notes", f"{len(comparison.documents):,}")
    yield Card("best recall", *best("privacy.word_recall"))
    yield Card("best precision", *best("words_binary.precision"))
    yield Card("most notes without a leak", *best("privacy.clean_documents"))


def _sections(comparison: Comparison, show_text: bool, commands: Mapping[str, str]) -> Iterator[Section]:
    yield Section(
        "verdict", "Verdict",
        tables=(verdict_table(comparison), *masking_table(comparison, commands), *failure_table(comparison)),
    )  # fmt: skip
    yield Section(
        "labels", "By label", "F1 of entities, in the label set that all can be named in.",
        (label_table(comparison), *type_tables(comparison), *naming_table(comparison)),
    )  # fmt: skip
    yield from slip_sections(comparison, show_text)
    yield Section("length", "Long notes", tables=tuple(length_table(comparison)))
    yield Section("robustness", "Robustness", tables=tuple(robustness_table(comparison)))
    yield Section("fairness", "Names by origin", tables=tuple(fairness_tables(comparison)))
    yield Section("tests", "Paired tests", tables=tuple(pairs_table(comparison)))
    yield Section("speed", "Speed and size", tables=(speed_table(comparison),))
