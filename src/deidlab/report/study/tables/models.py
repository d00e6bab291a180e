"""Tables 1, 2 and 4: what was compared, what was searched, what was selected; the study's own beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deidlab.errors import DeidError
from deidlab.evaluate.intervals import Interval
from deidlab.report.study.published import with_published
from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import (
    USUAL,
    published_of,
    rank_of,
    selected_runs,
    setting_title,
    show_setting,
    varied_settings,
)
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table, Value, columns_of
from deidlab.study.records import StudyModel
from deidlab.zoo.configs import find_model
from deidlab.zoo.sizes import Sizes, read_sizes


@study_table("models", "table-1-models")
def model_table(study: ScoredStudy) -> Table | None:
    """Table 1: every model of which a run ended, with the parameters that it had."""
    records = study.records
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        counted = [run.n_parameters for run in records.completions_of(model.name) if run.n_parameters]
        if not counted:
            continue
        published = published_of(model)
        theirs = published["architecture"] if published else {}
        rows.append((
            model.name, model.model or f"own {model.config.get('model_type', 'configuration')}",
            "from scratch" if model.scratch else "pretrained", counted[0] * 4 / 2**30, counted[0],
            *_sizes(model), theirs.get("parameters"), theirs.get("file_gb"),
        ))  # fmt: skip
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("architecture", "Architecture", "text"), ("start", "Weights", "text"),
        ("size_gib", "Size (GiB)", "rate"), ("parameters", "Parameters", "count"),
        ("layers", "Layers", "count"), ("vocabulary", "Vocabulary", "count"),
        ("embedding", "Embedding", "count"), ("attention", "Attention", "count"),
        ("feed_forward", "Feed-forward", "count"), ("dropout", "Dropout", "plain"),
        ("activation", "Activation", "text"), ("sharing", "Shares layers", "flag"),
        ("objective", "Objective", "text"), ("published_parameters", "Published parameters", "count"),
        ("published_file_gb", "Published file (Gb)", "plain"),
    )  # fmt: skip
    note = (
        "Size: all parameters in fp32. Parameters include the tagging head. Objective: what the published "
        "weights were first trained on (MLM masked words, NSP next sentence, SOP sentence order)."
    )
    table = Table("Table 1: models", columns, tuple(rows), note)
    return with_published(table, "The study's heads had 41 tags.")


def _sizes(model: StudyModel) -> tuple[Value, ...]:
    """Layers, vocabulary, embedding, attention, feed-forward, dropout, activation, sharing, objective."""
    known = find_model(model.published or model.model)
    family = str(model.config.get("model_type") or (known.family if known else ""))
    config = model.config or (known.config if known else {})
    objective = known.objective if known and not model.scratch else None
    try:
        sizes: Sizes | None = read_sizes(family, config) if config else None
    except DeidError:
        sizes = None
    if sizes is None:
        return (None,) * 8 + (objective,)
    activation = "GELU" if sizes.activation.startswith("gelu") else sizes.activation
    return (
        sizes.layers, sizes.vocabulary, sizes.embedding, sizes.hidden, sizes.feed_forward, sizes.dropout,
        activation, sizes.shares_layers, objective,
    )  # fmt: skip


@study_table("models", "table-2-search")
def grid_table(study: ScoredStudy) -> Table:
    """Table 2: the values searched for each model, and how far the search has come."""
    records = study.records
    every = [settings for model in records.study.models for settings in model.settings]
    keys = varied_settings(every)
    halved = any(not run.final for run in records.completions)
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        ended = [run for run in records.completions_of(model.name) if run.final]
        done = sum(run.is_done for run in ended)
        published = published_of(model)
        lower = sum(not run.final for run in records.completions_of(model.name))
        rows.append((
            model.name, *(_listed([settings.get(key) for settings in model.settings]) for key in keys),
            len(model.settings), done, len(ended) - done, *((lower,) if halved else ()),
            _published_grid(published["searched"]) if published else None,
        ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"),
        *((key, setting_title(key), "text") for key in keys),
        ("settings", "Settings", "count"),
        ("done", "Runs done", "count"),
        ("failed", "Failed", "count"),
        *((("lower", "Lower rungs", "count"),) if halved else ()),
        ("published", "Published grid", "text"),
    )
    note = "Lower rungs: short runs of successive halving, which no choice falls on." if halved else ""
    table = Table("Table 2: settings searched", columns, tuple(rows), note)
    return with_published(table, "Published grid: batch; epochs; learning rates; weight decays.")


def _listed(values: Sequence[Any]) -> str:
    shown = list(dict.fromkeys(show_setting(value) for value in values if value is not None))
    return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown)


def _published_grid(searched: Mapping[str, Sequence[Any]]) -> str:
    return "; ".join(_listed(searched[key]) for key in USUAL)


def _with_ends(value: float | None, interval: Interval | None) -> Value:
    return value if interval is None else Interval(value, interval.low, interval.high)


@study_table("search", "table-4-selected")
def selected_table(study: ScoredStudy) -> Table | None:
    """Table 4: the settings with the best validation F1 within each model, the best model first."""
    records = study.records
    # Of those models whose validation predictions are there.
    intervals = {
        row.name: row.parts["validation"].figures.intervals.headline["words.f1"]
        for row in study.models
        if "validation" in row.parts
    }
    chosen = selected_runs(records)
    if not chosen:
        return None
    runs = sorted(chosen.values(), key=lambda run: (*rank_of(run), run.model))
    keys = varied_settings([settings for model in records.study.models for settings in model.settings])
    models = {model.name: model for model in records.study.models}
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        rivals = [each.f1 for each in records.completions_of(run.model) if each.final and each.run != run.run]
        known = [f1 for f1 in rivals if f1 is not None]
        published = published_of(models[run.model]) if run.model in models else None
        theirs = published["selected"] if published else None
        rows.append((
            run.model, *(show_setting(run.settings.get(key, "")) for key in keys),
            _with_ends(run.f1, intervals.get(run.model)), max(known, default=None), len(known) + 1,
            "; ".join(show_setting(theirs[key]) for key in USUAL) if theirs else None,
            published["scores"]["validation"]["f1"] if published else None,
        ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"),
        *((key, setting_title(key), "text") for key in keys),
        ("validation_f1", "Validation F1"),
        ("runner_up_f1", "Next best"),
        ("of_runs", "Of runs", "count"),
        ("published", "Published choice", "text"),
        ("published_validation_f1", "Published F1"),
    )
    done = records.selection is not None
    title = "Table 4: settings selected" if done else "Table 4: best settings so far (not yet selected)"
    note = (
        f"{'Selected' if done else 'To be selected'} within each model by {records.study.selection_measure}."
    )
    table = Table(title, columns, tuple(rows), note, marked=frozenset({0}))
    return with_published(table, "Published choice: batch; epochs; learning rate; weight decay.")
