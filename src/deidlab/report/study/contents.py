"""A scored study in, the sections of its report out: which tables and pictures stand where, and why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from deidlab.evaluate.resample import Interval
from deidlab.report.cells import DataTable, show_value
from deidlab.report.score.cells import counted
from deidlab.report.study import figures
from deidlab.report.study.figure_3 import TypeBars, draw_types
from deidlab.report.study.parts import Picture, Section
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.study.tables import beyond, models, overall, search, speed, trust, types
from deidlab.report.study.tables.type_gaps import type_gap_table
from deidlab.report.study.tables.validation import validation_bars, validation_table, validation_type_table


def report_sections(study: ScoredStudy) -> Iterator[Section]:
    """The sections in reading order; those that have nothing to show yet are left out."""
    for build in (
        _models,
        _corpus,
        _search,
        _validation,
        _overall,
        _types,
        _errors,
        _speed,
        _cost,
        _beyond,
        _trust,
    ):
        if build in (_overall, _types, _errors, _beyond) and not study.rows:
            continue
        section = build(study)
        if not section.is_empty:
            yield section


def _there(*tables: DataTable | None) -> tuple[DataTable, ...]:
    return tuple(table for table in tables if table is not None)


def _models(study: ScoredStudy) -> Section:
    records = study.records
    tables = _there(models.model_table(records), models.grid_table(records))
    return Section("models", "Models and settings", "What was compared, and what was searched.", tables)


def _corpus(study: ScoredStudy) -> Section:
    return Section("corpus", "Corpus", "", _there(types.corpus_table(study)))


def _search(study: ScoredStudy) -> Section:
    records = study.records
    pictures = []
    if search.curve_table(records) is not None:
        pictures.append(
            Picture(
                "learning-curves",
                "Learning curves",
                "Validation F1 (left) and training loss (right) of each model's selected run, by epoch.",
                lambda: figures.draw_curves(records),
            )
        )
    if any(search.candidates(records, model.name) for model in records.study.models):
        pictures.append(
            Picture(
                "settings-f1",
                "Validation F1 of every setting",
                "A ring a setting; the full dot is the one selected. Up and down has no meaning.",
                lambda: figures.draw_settings(records),
            )
        )
    effects = search.effect_table(records)
    if effects is not None:
        pictures.append(
            Picture(
                "effects-f1",
                "Effect of each hyper-parameter",
                "Mean validation F1 at each value, with bars from the worst to the best setting that has it.",
                lambda: figures.draw_effects(records),
            )
        )
    tables = _there(
        models.selected_table(records, _validation_intervals(study)),
        search.runs_table(records),
        effects,
        search.importance_table(records),
        search.curve_table(records),
        search.failure_table(records),
    )
    said = "Every setting was trained on the training part and measured on the validation part."
    return Section("search", "Selection", said, tables, tuple(pictures))


def _validation_intervals(study: ScoredStudy) -> dict[str, Interval]:
    return {
        row.name: row.parts["validation"].figures.intervals.headline["words.f1"]
        for row in study.models
        if "validation" in row.parts
    }


def _overall(study: ScoredStudy) -> Section:
    tables = _there(
        overall.overall_table(study),
        *overall.interval_tables(study),
        overall.published_table(study),
        overall.significance_table(study),
        overall.entity_table(study),
        overall.hipaa_table(study),
        overall.privacy_table(study),
    )
    picture = Picture(
        "forest", "Test F1 with intervals", _forest_words(study), lambda: figures.draw_forest(study)
    )
    said = "The selected setting of each model, on documents that no choice was based on."
    return Section("overall", "Overall performance", said, tables, (picture,))


def _forest_words(study: ScoredStudy) -> str:
    said = [
        f"{row.name} {show_value(row.figures.intervals.headline['words.f1'], 'ratio')}" for row in study.rows
    ]
    return f"F1 of typed words and of strict entities. Words: {'; '.join(said)}."


def _validation(study: ScoredStudy) -> Section:
    records = study.records
    bars, support = validation_bars(records)
    pictures: tuple[Picture, ...] = ()
    # Once there are tests, Figure 3 is theirs.
    if bars and not study.rows:
        caption = (
            f"F1 of typed words by PHI type on the validation part, for {counted(len(bars), 'model')}; "
            "brackets hold the gold words. Figure 3 proper is of the test part, which is still shut."
        )
        draw = partial(draw_types, bars, support, "validation")
        pictures = (Picture("figure-3-validation", "F1 by PHI type, validation part", caption, draw),)
    tables = _there(validation_table(records), validation_type_table(records))
    said = (
        "What the runs measured on the part that selection goes by; the winner's figures flatter it a little."
    )
    return Section("validation", "On the validation part", said, tables, pictures)


def _types(study: ScoredStudy) -> Section:
    rows = study.models or study.rows
    support = types.gold_words(study)
    if not support:
        return Section("types", "By PHI type")
    bars = [
        TypeBars(row.name, figures.place_of(study.records, row.name), row.figures.intervals.type_f1)
        for row in rows
    ]
    caption = (
        f"F1 of typed words by PHI type, test part, for {counted(len(rows), 'model')} and "
        f"{counted(len(support), 'type')}, the commonest first; thin lines are intervals, brackets hold "
        "the gold words. The table below has the numbers."
    )
    draw = partial(draw_types, bars, support, "test")
    tables = _there(types.type_table(study), type_gap_table(study), types.type_detail_table(study))
    pictures = (Picture("figure-3", "Figure 3: F1 by PHI type", caption, draw),)
    return Section("types", "By PHI type", "", tables, pictures)


def _errors(study: ScoredStudy) -> Section:
    pictures: tuple[Picture, ...] = ()
    if study.models and types.types_in_order(study):
        caption = (
            "Shares of each type's gold words that were missed, given another type, or found only in part."
        )
        pictures = (Picture("errors-by-type", "Errors by type", caption, lambda: figures.draw_errors(study)),)
    tables = (types.error_table(study), types.confusion_table(study))
    return Section("errors", "Error analysis", "Which words go wrong, and how.", tables, pictures)


def _speed(study: ScoredStudy) -> Section:
    tables = _there(
        speed.training_table(study),
        speed.prediction_table(study),
        speed.published_speed_table(study),
    )
    pictures: tuple[Picture, ...] = ()
    if any(row.run is not None for row in study.models):
        caption = "Real tokens a second while training and while predicting whole notes."
        pictures = (Picture("speed", "Throughput", caption, lambda: figures.draw_speed(study)),)
    said = "Training and prediction apart; notes, windows and real tokens a second."
    return Section("speed", "Throughput", said, tables, pictures)


def _cost(study: ScoredStudy) -> Section:
    pictures: tuple[Picture, ...] = ()
    if any(row.run is not None for row in study.models):
        caption = "Test F1 of words, with its interval, against how long the selected run held the device."
        pictures = (Picture("cost-f1", "F1 against time", caption, lambda: figures.draw_cost(study)),)
    return Section("cost", "Cost", "", _there(speed.cost_table(study.records)), pictures)


def _beyond(study: ScoredStudy) -> Section:
    tables = _there(beyond.beyond_table(study), beyond.cross_table(study))
    said = "Models together, models with rules, and models away from home."
    return Section("beyond", "Beyond single models", said, tables)


def _trust(study: ScoredStudy) -> Section:
    tables = _there(trust.check_table(study), trust.access_table(study.records))
    said = "Test documents stay closed until the selection is made; the records show it."
    return Section("trust", "Test discipline and checks", said, tables)
