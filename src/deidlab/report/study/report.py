"""A study's records in, its whole report out: every table that the records allow, and what is missing.

read_study -> score_study (offsets to counts, once) -> sections of tables and pictures -> StudyReport
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import deidlab
from deidlab.evaluate.resample import ResampleSettings
from deidlab.report.pages import Card
from deidlab.report.study.contents import report_sections
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.published import published_study
from deidlab.report.study.runs import device_seconds, has_gpu, selected_runs
from deidlab.report.study.scores import ScoredStudy, map_to_2014, score_study
from deidlab.report.tables import counted, show_seconds, show_value
from deidlab.study.records import StudyRecords


def build_report(records: StudyRecords, resample: ResampleSettings | None = None) -> StudyReport:
    """Everything that can be told of the study as it stands."""
    study = score_study(records, resample or ResampleSettings())
    facts = records.study
    n_settings = sum(len(model.settings) for model in facts.models)
    said = (
        f"{counted(len(facts.models), 'model')}, {counted(n_settings, 'setting')}; "
        f"{counted(len(records.done), 'run')} done. The best setting of each model is selected by "
        f"{facts.selection_measure}; only selected settings are tested."
    )
    return StudyReport(
        facts.name,
        facts.title or facts.name,
        said,
        tuple(_cards(study)),
        tuple(_lacking(study)),
        tuple(_not_asked(study)),
        tuple(report_sections(study)),
        _provenance(study),
    )


def _cards(study: ScoredStudy) -> Iterator[Card]:
    records, best = study.records, study.best
    if best is not None:
        headline = best.figures.intervals.headline
        others = f" and {counted(len(study.others), 'other row')}" if study.others else ""
        yield Card("best on validation", best.name, f"of {counted(len(study.models), 'model')}{others}")
        for key, name in (("words.f1", "its test F1, words"), ("privacy.word_recall", "PHI words it hides")):
            value = headline[key]
            ends = "" if value.low is None else show_value(value, "ends")
            yield Card(name, show_value(value.value, "ratio"), ends)
    failed = len(records.completions) - len(records.done)
    yield Card("runs", f"{len(records.done)} done", f"{failed} failed" if failed else "")
    seconds = sum(device_seconds(records, run) for run in records.completions)
    price, money = records.study.price_per_hour, ""
    if price is not None:
        money = f"{show_value(seconds / 3600 * price, 'money')} {records.study.currency}"
    yield Card("GPU time" if has_gpu(records) else "CPU time", show_seconds(seconds), money)


def _lacking(study: ScoredStudy) -> Iterator[str]:
    """What a finished study would have and this one has not, a sentence each."""
    records = study.records
    for model in records.study.models:
        ended = [run for run in records.completions_of(model.name) if run.final]
        lacking = len(model.settings) - len(ended)
        if lacking > 0 and not any(run.rung is not None for run in records.completions_of(model.name)):
            yield f"{counted(lacking, 'run')} of {model.name} not ended yet (of {len(model.settings)})."
    failed = [run for run in records.completions if not run.is_done]
    if failed:
        yield f"{counted(len(failed), 'run')} failed: see the table of runs that failed."
    if records.selection is None:
        so_far = ": Table 4 shows the best so far" if selected_runs(records) else ""
        yield f"No setting is selected yet{so_far}; there are no test figures."
    else:
        done = {run.run for run in records.done}
        tested = {test.name for test in records.tests}
        for name, choice in records.selection.choices.items():
            if choice.run not in done:
                yield f"{name} has no row in Table 4: the completion record of {choice.run} is not there."
            if name not in tested:
                yield f"{name} is selected but not tested yet."
    yield from study.left_out


def _not_asked(study: ScoredStudy) -> Iterator[str]:
    """What could be told only if more had been asked for, or kept."""
    if not study.rows:
        return
    if map_to_2014(study) is None:
        yield "HIPAA measures: the corpus's labels belong to no scheme that has a map to HIPAA's."
    for part in ("train", "validation"):
        lacking = [row.name for row in study.models if part not in row.parts]
        if lacking:
            yield f"No {part} figures of {', '.join(lacking)}: their predictions were not kept."
    if not any(row.test.cross for row in study.rows):
        yield "No other corpus was given, so there is no table across corpora."


def _provenance(study: ScoredStudy) -> dict[str, Any]:
    records, facts = study.records, study.records.study
    resample = study.resample
    return {
        "Study": {"name": facts.name, "title": facts.title, "digest": facts.digest, "created": facts.created},
        "Selection": None
        if records.selection is None
        else {
            "time": records.selection.time,
            "measure": records.selection.measure,
            "digest": records.selection.digest,
            "runs": {name: choice.run for name, choice in records.selection.choices.items()},
        },
        "Settings of the selected runs": {
            name: dict(run.settings) for name, run in selected_runs(records).items()
        },
        "Corpora": {name: dict(facts.corpora[name]) for name in facts.corpora},
        "Environment": dict(facts.environment),
        "Study file, resolved": dict(facts.spec),
        "Published figures": published_study()["citation"],
        "This report": {
            "deidlab": deidlab.__version__,
            "resamples": resample.n_resamples,
            "unit": resample.unit,
            "confidence": resample.confidence,
            "seed": resample.seed,
            "words": facts.word_style,
        },
    }
