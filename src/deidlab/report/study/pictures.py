"""The pictures of a study's report: what each says in words, and when there is something to draw."""

from __future__ import annotations

from functools import partial

from deidlab.evaluate.intervals import Interval
from deidlab.report.study import figures
from deidlab.report.study.figure_3 import TypeBars, draw_types
from deidlab.report.study.parts import Picture
from deidlab.report.study.registry import study_picture
from deidlab.report.study.runs import (
    candidates,
    counts_by_label,
    curve_points,
    gold_words_of,
    ranked_runs,
    searched_keys,
    selected_runs,
)
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.study.types import gold_words
from deidlab.report.tables import counted, show_value


@study_picture("search")
def learning_curves(study: ScoredStudy) -> Picture | None:
    if not any(curve_points(run) for run in selected_runs(study.records).values()):
        return None
    said = "Validation F1 (left) and training loss (right) of each model's selected run, by epoch."
    return Picture("learning-curves", "Learning curves", said, partial(figures.draw_curves, study.records))


@study_picture("search")
def settings(study: ScoredStudy) -> Picture | None:
    if not any(candidates(study.records, model.name) for model in study.records.study.models):
        return None
    said = "A ring a setting; the full dot is the one selected. Up and down has no meaning."
    draw = partial(figures.draw_settings, study.records)
    return Picture("settings-f1", "Validation F1 of every setting", said, draw)


@study_picture("search")
def effects(study: ScoredStudy) -> Picture | None:
    if not any(searched_keys(candidates(study.records, model.name)) for model in study.records.study.models):
        return None
    said = "Mean validation F1 at each value, with bars from the worst to the best setting that has it."
    draw = partial(figures.draw_effects, study.records)
    return Picture("effects-f1", "Effect of each hyper-parameter", said, draw)


@study_picture("validation")
def types_of_validation(study: ScoredStudy) -> Picture | None:
    support = gold_words_of(study.records)
    bars = [
        TypeBars(
            run.model,
            figures.place_of(study.records, run.model),
            {label: Interval(counts_by_label(run).get(label, {}).get("f1")) for label in support},
        )
        for run in ranked_runs(study.records)
        if counts_by_label(run)
    ]
    # Once there are tests, Figure 3 is theirs.
    if not bars or study.rows:
        return None
    said = (
        f"F1 of typed words by PHI type on the validation part, for {counted(len(bars), 'model')}; "
        "brackets hold the gold words. Figure 3 proper is of the test part, which is still shut."
    )
    draw = partial(draw_types, bars, support, "validation")
    return Picture("figure-3-validation", "F1 by PHI type, validation part", said, draw)


@study_picture("overall")
def forest(study: ScoredStudy) -> Picture:
    f1 = (
        f"{row.name} {show_value(row.figures.intervals.headline['words.f1'], 'ratio')}" for row in study.rows
    )
    said = f"F1 of typed words and of strict entities. Words: {'; '.join(f1)}."
    return Picture("forest", "Test F1 with intervals", said, partial(figures.draw_forest, study))


@study_picture("types")
def figure_3(study: ScoredStudy) -> Picture | None:
    rows, support = study.models or study.rows, gold_words(study)
    if not support:
        return None
    bars = [
        TypeBars(row.name, figures.place_of(study.records, row.name), row.figures.intervals.type_f1)
        for row in rows
    ]
    said = (
        f"F1 of typed words by PHI type, test part, for {counted(len(rows), 'model')} and "
        f"{counted(len(support), 'type')}, the commonest first; thin lines are intervals, brackets hold "
        "the gold words. The table below has the numbers."
    )
    return Picture("figure-3", "Figure 3: F1 by PHI type", said, partial(draw_types, bars, support, "test"))


@study_picture("errors")
def errors(study: ScoredStudy) -> Picture | None:
    if not study.models or not gold_words(study):
        return None
    said = "Shares of each type's gold words that were missed, given another type, or found only in part."
    return Picture("errors-by-type", "Errors by type", said, partial(figures.draw_errors, study))


@study_picture("speed")
def speed(study: ScoredStudy) -> Picture | None:
    said = "Real tokens a second while training and while predicting whole notes."
    return _of_runs(study, Picture("speed", "Throughput", said, partial(figures.draw_speed, study)))


@study_picture("cost")
def cost(study: ScoredStudy) -> Picture | None:
    said = "Test F1 of words, with its interval, against how long the selected run held the device."
    return _of_runs(study, Picture("cost-f1", "F1 against time", said, partial(figures.draw_cost, study)))


def _of_runs(study: ScoredStudy, picture: Picture) -> Picture | None:
    return picture if any(row.run is not None for row in study.models) else None
