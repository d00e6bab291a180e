"""Tables 1, 2 and 4: what was compared, what was searched, what was selected; the study's own beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deidlab.errors import DeidError
from deidlab.evaluate.resample import Interval
from deidlab.report.cells import DataTable, Value, columns_of, show_plain
from deidlab.report.study.published import find_published, with_published
from deidlab.study.records import Completion, StudyModel, StudyRecords
from deidlab.zoo.configs import find_model
from deidlab.zoo.sizes import Sizes, read_sizes

# The study's four come first; whatever else a grid varies follows.
USUAL = ("batch", "epochs", "learning_rate", "weight_decay")
_TITLES = {
    "batch": "Batch size",
    "epochs": "Epochs",
    "learning_rate": "Learning rate",
    "weight_decay": "Weight decay",
}


def published_of(model: StudyModel) -> Mapping[str, Any] | None:
    return find_published(model.published or model.model, None if model.published else model.config)


def setting_title(key: str) -> str:
    return _TITLES.get(key, key.replace("_", " ").capitalize())


def show_setting(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return show_plain(value) if is_number else str(value)


def varied_settings(settings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The settings that matter to a reader: the study's four, and all that differ between runs."""
    keys = list(dict.fromkeys(key for each in settings for key in each))
    differ = [key for key in keys if len({repr(each.get(key)) for each in settings}) > 1]
    return (*(key for key in USUAL if key in keys), *(key for key in differ if key not in (*USUAL, "seed")))


def model_table(records: StudyRecords) -> DataTable | None:
    """Table 1: every model of which a run ended, with the parameters that it had."""
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        counted = [run.n_parameters for run in records.completions_of(model.name) if run.n_parameters]
        if not counted:
            continue
        published = published_of(model)
        theirs = published["architecture"] if published else {}
        rows.append(
            (
                model.name,
                model.model or f"own {model.config.get('model_type', 'configuration')}",
                "from scratch" if model.scratch else "pretrained",
                counted[0] * 4 / 2**30,
                counted[0],
                *_sizes(model),
                theirs.get("parameters"),
                theirs.get("file_gb"),
            )
        )
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
    table = DataTable("table-1-models", "Table 1: models", columns, tuple(rows), note)
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


def grid_table(records: StudyRecords) -> DataTable:
    """Table 2: the values searched for each model, and how far the search has come."""
    every = [settings for model in records.study.models for settings in model.settings]
    keys = varied_settings(every)
    halved = any(not run.final for run in records.completions)
    rows: list[tuple[Value, ...]] = []
    for model in records.study.models:
        ended = [run for run in records.completions_of(model.name) if run.final]
        done = sum(run.is_done for run in ended)
        published = published_of(model)
        lower = sum(not run.final for run in records.completions_of(model.name))
        rows.append(
            (
                model.name,
                *(_listed([settings.get(key) for settings in model.settings]) for key in keys),
                len(model.settings),
                done,
                len(ended) - done,
                *((lower,) if halved else ()),
                _published_grid(published["searched"]) if published else None,
            )
        )
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
    table = DataTable("table-2-search", "Table 2: settings searched", columns, tuple(rows), note)
    return with_published(table, "Published grid: batch; epochs; learning rates; weight decays.")


def _listed(values: Sequence[Any]) -> str:
    shown = list(dict.fromkeys(show_setting(value) for value in values if value is not None))
    return f"({', '.join(shown)})" if len(shown) > 1 else "".join(shown)


def _published_grid(searched: Mapping[str, Sequence[Any]]) -> str:
    return "; ".join(_listed(searched[key]) for key in USUAL)


def selected_runs(records: StudyRecords) -> dict[str, Completion]:
    """The run that stands for each model: as selected, or the best so far; only those with a record."""
    done = {run.run: run for run in records.done}
    if records.selection is not None:
        choices = records.selection.choices
        return {name: done[choice.run] for name, choice in choices.items() if choice.run in done}
    best: dict[str, Completion] = {}
    for run in records.done:
        if (
            run.final
            and run.f1 is not None
            and (run.model not in best or _rank(run) < _rank(best[run.model]))
        ):
            best[run.model] = run
    return best


def device_seconds(records: StudyRecords, run: Completion) -> float:
    """How long a run held the device: the GPU where the study has one, else the processor."""
    return run.gpu_seconds if has_gpu(records) else run.seconds


def seconds_to_train(records: StudyRecords, run: Completion) -> float:
    """What the run would take by itself: of a training that several lengths share, the way up to its end."""
    lead = run.shares or run.run
    together = [each for each in records.completions_of(run.model) if lead in (each.run, each.shares)]
    length = int(run.settings.get("epochs", 0))
    return sum(
        device_seconds(records, each) for each in together if int(each.settings.get("epochs", 0)) <= length
    )


def has_gpu(records: StudyRecords) -> bool:
    return any(run.gpu_seconds for run in records.completions)


def _rank(run: Completion) -> tuple[float, int]:
    """Best F1 first; of equals the shorter run."""
    return -(run.f1 or 0.0), int(run.settings.get("epochs", 0))


def _with_ends(value: float | None, interval: Interval | None) -> Value:
    return value if interval is None else Interval(value, interval.low, interval.high)


def selected_table(records: StudyRecords, intervals: Mapping[str, Interval]) -> DataTable | None:
    """Table 4: the settings with the best validation F1 within each model, the best model first.

    `intervals` are those of the validation F1, for models whose validation predictions are there.
    """
    chosen = selected_runs(records)
    if not chosen:
        return None
    runs = sorted(chosen.values(), key=lambda run: (*_rank(run), run.model))
    keys = varied_settings([settings for model in records.study.models for settings in model.settings])
    models = {model.name: model for model in records.study.models}
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        rivals = [each.f1 for each in records.completions_of(run.model) if each.final and each.run != run.run]
        known = [f1 for f1 in rivals if f1 is not None]
        published = published_of(models[run.model]) if run.model in models else None
        theirs = published["selected"] if published else None
        rows.append(
            (
                run.model,
                *(show_setting(run.settings.get(key, "")) for key in keys),
                _with_ends(run.f1, intervals.get(run.model)),
                max(known, default=None),
                len(known) + 1,
                "; ".join(show_setting(theirs[key]) for key in USUAL) if theirs else None,
                published["scores"]["validation"]["f1"] if published else None,
            )
        )
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
    table = DataTable("table-4-selected", title, columns, tuple(rows), note, frozenset({0}))
    return with_published(table, "Published choice: batch; epochs; learning rate; weight decay.")
