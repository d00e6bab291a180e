"""A scored study in, the sections of its report out: which tables and pictures stand where, and why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from deidlab.evaluate.resample import Interval
from deidlab.report import (
    study_beyond,
    study_figures,
    study_models,
    study_overall,
    study_search,
    study_speed,
    study_trust,
    study_types,
)
from deidlab.report.score_cells import counted
from deidlab.report.study_cells import DataTable, show_value
from deidlab.report.study_figure_3 import TypeBars, draw_types
from deidlab.report.study_parts import Picture, Section
from deidlab.report.study_scores import ScoredStudy
from deidlab.report.study_type_gaps import type_gap_table
from deidlab.report.study_validation import validation_bars, validation_table, validation_type_table


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
    tables = _there(study_models.model_table(records), study_models.grid_table(records))
    return Section("models", "Models and settings", "What was compared, and what was searched.", tables)


def _corpus(study: ScoredStudy) -> Section:
    return Section("corpus", "Corpus", "", _there(study_types.corpus_table(study)))


def _search(study: ScoredStudy) -> Section:
    records = study.records
    pictures = []
    if study_search.curve_table(records) is not None:
        pictures.append(
            Picture(
                "learning-curves",
                "Learning curves",
                "Validation F1 (left) and training loss (right) of each model's selected run, by epoch.",
                lambda: study_figures.draw_curves(records),
            )
        )
    if any(study_search.candidates(records, model.name) for model in records.study.models):
        pictures.append(
            Picture(
                "settings-f1",
                "Validation F1 of every setting",
                "A ring a setting; the full dot is the one selected. Up and down has no meaning.",
                lambda: study_figures.draw_settings(records),
            )
        )
    effects = study_search.effect_table(records)
    if effects is not None:
        pictures.append(
            Picture(
                "effects-f1",
                "Effect of each hyper-parameter",
                "Mean validation F1 at each value, with bars from the worst to the best setting that has it.",
                lambda: study_figures.draw_effects(records),
            )
        )
    tables = _there(
        study_models.selected_table(records, _validation_intervals(study)),
        study_search.runs_table(records),
        effects,
        study_search.importance_table(records),
        study_search.curve_table(records),
        study_search.failure_table(records),
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
        study_overall.overall_table(study),
        *study_overall.interval_tables(study),
        study_overall.published_table(study),
        study_overall.significance_table(study),
        study_overall.entity_table(study),
        study_overall.hipaa_table(study),
        study_overall.privacy_table(study),
    )
    picture = Picture(
        "forest", "Test F1 with intervals", _forest_words(study), lambda: study_figures.draw_forest(study)
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
    support = study_types.gold_words(study)
    if not support:
        return Section("types", "By PHI type")
    bars = [
        TypeBars(row.name, study_figures.place_of(study.records, row.name), row.figures.intervals.type_f1)
        for row in rows
    ]
    caption = (
        f"F1 of typed words by PHI type, test part, for {counted(len(rows), 'model')} and "
        f"{counted(len(support), 'type')}, the commonest first; thin lines are intervals, brackets hold "
        "the gold words. The table below has the numbers."
    )
    draw = partial(draw_types, bars, support, "test")
    tables = _there(
        study_types.type_table(study), type_gap_table(study), study_types.type_detail_table(study)
    )
    pictures = (Picture("figure-3", "Figure 3: F1 by PHI type", caption, draw),)
    return Section("types", "By PHI type", "", tables, pictures)


def _errors(study: ScoredStudy) -> Section:
    pictures: tuple[Picture, ...] = ()
    if study.models and study_types.types_in_order(study):
        caption = (
            "Shares of each type's gold words that were missed, given another type, or found only in part."
        )
        pictures = (
            Picture("errors-by-type", "Errors by type", caption, lambda: study_figures.draw_errors(study)),
        )
    tables = (study_types.error_table(study), study_types.confusion_table(study))
    return Section("errors", "Error analysis", "Which words go wrong, and how.", tables, pictures)


def _speed(study: ScoredStudy) -> Section:
    tables = _there(
        study_speed.training_table(study),
        study_speed.prediction_table(study),
        study_speed.published_speed_table(study),
    )
    pictures: tuple[Picture, ...] = ()
    if any(row.run is not None for row in study.models):
        caption = "Real tokens a second while training and while predicting whole notes."
        pictures = (Picture("speed", "Throughput", caption, lambda: study_figures.draw_speed(study)),)
    said = "Training and prediction apart; notes, windows and real tokens a second."
    return Section("speed", "Throughput", said, tables, pictures)


def _cost(study: ScoredStudy) -> Section:
    pictures: tuple[Picture, ...] = ()
    if any(row.run is not None for row in study.models):
        caption = "Test F1 of words, with its interval, against how long the selected run held the device."
        pictures = (Picture("cost-f1", "F1 against time", caption, lambda: study_figures.draw_cost(study)),)
    return Section("cost", "Cost", "", _there(study_speed.cost_table(study.records)), pictures)


def _beyond(study: ScoredStudy) -> Section:
    tables = _there(study_beyond.beyond_table(study), study_beyond.cross_table(study))
    said = "Models together, models with rules, and models away from home."
    return Section("beyond", "Beyond single models", said, tables)


def _trust(study: ScoredStudy) -> Section:
    tables = _there(study_trust.check_table(study), study_trust.access_table(study.records))
    said = "Test documents stay closed until the selection is made; the records show it."
    return Section("trust", "Test discipline and checks", said, tables)
