"""Everything that scoring found in, the tables of its page or the value of its JSON out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from deidlab.evaluate.operating import OperatingPoints
from deidlab.evaluate.privacy import list_slips
from deidlab.evaluate.score import Comparison, Figures, ScoreSettings, SystemScore
from deidlab.evaluate.threshold import Guarantee
from deidlab.report.score import as_json as score_json
from deidlab.report.score.compare import comparison_table, overview_table
from deidlab.report.score.details import (
    average_table,
    confusion_list,
    confusion_table,
    group_table,
    i2b2_table,
    official_tables,
    slip_table,
)
from deidlab.report.score.operating import calibration_table, curve_table, threshold_table
from deidlab.report.score.tables import headline_table, interval_table, privacy_table, type_table
from deidlab.report.tables import Table

Detail = Literal["short", "full", "page"]
"""What a terminal shows; every table; every table with none of them shortened for a terminal."""


@dataclass(frozen=True, slots=True)
class ScoreAnswer:
    """Everything that was found; `texts` only where the words of leaks may be shown."""

    gold: str
    scores: Sequence[SystemScore]
    comparisons: Sequence[Comparison]
    operating: OperatingPoints | None
    settings: ScoreSettings
    texts: Mapping[str, str] | None = field(repr=False)


def answer_tables(answer: ScoreAnswer, detail: Detail, operating: bool) -> Iterator[Table]:
    """The tables in reading order; curves and calibration where asked for, or with every table."""
    everything = detail != "short"
    if len(answer.scores) > 1:
        yield overview_table(answer.scores)
        for comparison in answer.comparisons:
            yield comparison_table(comparison, answer.settings.resample, everything)
    if len(answer.scores) == 1 or everything:
        for score in answer.scores:
            yield from _system_tables(answer, score, detail)
    found = answer.operating
    if found is not None and (everything or operating):
        yield curve_table(found.origin, found.curves)
        yield calibration_table(found.calibration)
    if found is not None and isinstance(found.threshold, Guarantee):
        yield threshold_table(found.threshold)


def answer_to_json(answer: ScoreAnswer, everything: bool) -> score_json.Answer:
    """One system's keys at the top; of several, each under `systems`. docs/scoring.md lists them."""
    head = {"gold": answer.gold, "settings": score_json.settings_to_json(answer.settings)}
    systems = []
    for score in answer.scores:
        systems.append(score_json.score_to_json(score, answer.settings))
        if everything:
            systems[-1]["slips"] = score_json.slips_to_json(list_slips(score.tally), answer.texts)
    if len(systems) > 1:
        compared = score_json.comparisons_to_json(answer.comparisons)
        return {**head, "systems": systems, "comparisons": compared}
    whole = {**head, **systems[0]}
    found = answer.operating
    if found is not None:
        whole["operating_points"] = score_json.operating_to_json(
            found.origin, found.curves, found.calibration
        )
        if found.threshold is not None:
            whole["threshold"] = score_json.threshold_to_json(found.threshold)
    return whole


def _system_tables(answer: ScoreAnswer, score: SystemScore, detail: Detail) -> Iterator[Table]:
    field, several = answer.settings.by, len(answer.scores) > 1
    for table in _figure_tables(score.name, score.figures, score.tally.style, answer.settings, detail):
        yield _titled(score.name if several else "", table)
    if detail != "short":
        yield _titled(score.name if several else "", slip_table(list_slips(score.tally), answer.texts))
    if field is None:
        return
    yield _titled(score.name if several else "", group_table(score, field))
    if detail != "short":
        for value, figures in score.groups.items():
            name = f"{score.name}, {field} {value}"
            for table in _figure_tables(name, figures, score.tally.style, answer.settings, detail):
                yield _titled(name, table)


def _figure_tables(
    name: str, figures: Figures, style: str, settings: ScoreSettings, detail: Detail
) -> Iterator[Table]:
    yield headline_table(name, figures, style, settings.resample)
    yield privacy_table(figures, settings.resample)
    yield type_table(figures)
    if detail != "short":
        yield interval_table(figures, settings.resample)
        yield average_table(figures.summary)
        yield i2b2_table(figures.summary)
        yield from official_tables(figures.summary)
        yield confusion_list(figures.confusion) if detail == "full" else confusion_table(figures.confusion)


def _titled(name: str, table: Table) -> Table:
    """The table under a title that says whose it is, where there are several."""
    return (
        table if not name or table.title.startswith(name) else replace(table, title=f"{name}: {table.title}")
    )
