"""A scored study in, the sections of its report out: the one place that says in which order all stands.

A file under `tables/` that registers a table adds it; where no list here has its key, it closes its section.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass

from deidlab.errors import ConfigError
from deidlab.report.study import tables
from deidlab.report.study.parts import Section
from deidlab.report.study.registry import pictures_of, sections_of_tables, tables_of
from deidlab.report.study.scores import ScoredStudy


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section's heading, what it says of itself and the order of its tables."""

    key: str
    title: str
    said: str
    tables: tuple[str, ...]
    needs_tests: bool = False


CHAPTERS = (
    Chapter(
        "models", "Models and settings", "What was compared, and what was searched.",
        ("table-1-models", "table-2-search"),
    ),
    Chapter("corpus", "Corpus", "", ("table-3-corpus",)),
    Chapter(
        "search", "Selection",
        "Every setting was trained on the training part and measured on the validation part.",
        ("table-4-selected", "settings", "effects", "importance", "curves", "failures"),
    ),
    Chapter(
        "validation", "On the validation part",
        "What the runs measured on the part that selection goes by; "
        "the winner's figures flatter it a little.",
        ("validation", "validation-types"),
    ),
    Chapter(
        "overall", "Overall performance",
        "The selected setting of each model, on documents that no choice was based on.",
        ("table-5-overall", "table-5-intervals", "table-5-published", "significance", "entities", "hipaa",
         "privacy"), True,
    ),
    Chapter("types", "By PHI type", "", ("figure-3-f1-by-type", "figure-3-significance", "types"), True),
    Chapter("errors", "Error analysis", "Which words go wrong, and how.", ("errors", "confusions"), True),
    Chapter(
        "speed", "Throughput", "Training and prediction apart; notes, windows and real tokens a second.",
        ("table-6-training", "table-6-prediction", "table-6-published"),
    ),
    Chapter("cost", "Cost", "", ("cost",)),
    Chapter(
        "beyond", "Beyond single models", "Models together, models with rules, and models away from home.",
        ("beyond", "cross"), True,
    ),
    Chapter(
        "trust", "Test discipline and checks",
        "Test documents stay closed until the selection is made; the records show it.", ("checks", "access"),
    ),
)  # fmt: skip


def report_sections(study: ScoredStudy) -> Iterator[Section]:
    """The sections in reading order; those that have nothing to show yet are left out."""
    load_contents()
    for chapter in CHAPTERS:
        if chapter.needs_tests and not study.rows:
            continue
        shown = tuple(tables_of(chapter.key, study, chapter.tables))
        drawn = tuple(pictures_of(chapter.key, study))
        if shown or drawn:
            yield Section(chapter.key, chapter.title, chapter.said, shown, drawn)


def load_contents() -> None:
    """Let the pictures and every file under `tables/` register what they have."""
    names = [f"{tables.__name__}.{module.name}" for module in pkgutil.iter_modules(tables.__path__)]
    for name in ("deidlab.report.study.pictures", *names):
        importlib.import_module(name)
    known = [chapter.key for chapter in CHAPTERS]
    for section, key in sections_of_tables():
        if section not in known:
            raise ConfigError(f"table '{key}': no chapter is called '{section}'; known: {', '.join(known)}")
