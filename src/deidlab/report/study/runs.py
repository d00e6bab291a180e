"""The runs of a study: which stand for their models, what they varied, how long they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deidlab.report.study.published import find_published
from deidlab.report.tables import show_plain
from deidlab.study.records import Completion, StudyModel, StudyRecords

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
            and (run.model not in best or rank_of(run) < rank_of(best[run.model]))
        ):
            best[run.model] = run
    return best


def rank_of(run: Completion) -> tuple[float, int]:
    """Best F1 first; of equals the shorter run."""
    return -(run.f1 or 0.0), int(run.settings.get("epochs", 0))


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


def candidates(records: StudyRecords, model: str) -> list[Completion]:
    """The runs that selection chooses among."""
    return [run for run in records.completions_of(model) if run.is_done and run.final and run.f1 is not None]


def searched_keys(runs: Sequence[Completion]) -> list[str]:
    """The settings that differ between these runs."""
    keys = varied_settings([run.settings for run in runs])
    return [key for key in keys if len({show_setting(run.settings.get(key)) for run in runs}) > 1]


def group_by_value(runs: Sequence[Completion], key: str) -> dict[Any, list[float]]:
    """F1 of the runs with each value of a setting, in the order of the values."""
    groups: dict[Any, list[float]] = {}
    for run in runs:
        groups.setdefault(run.settings.get(key), []).append(float(run.f1 or 0.0))
    numbers = all(isinstance(value, int | float) for value in groups)
    return dict(sorted(groups.items(), key=lambda item: item[0] if numbers else str(item[0])))


def curve_points(run: Completion) -> list[dict[str, float | None]]:
    """Epoch by epoch: training loss, validation F1 and loss, as far as they were recorded."""
    points = []
    for entry in run.epochs:
        train, held_out = entry.get("train") or {}, entry.get("validation") or {}
        points.append(
            {
                "epoch": entry.get("epoch"),
                "learning_rate": entry.get("learning_rate"),
                "train_loss": train.get("loss", entry.get("loss")),
                "validation_loss": held_out.get("loss"),
                "validation_f1": held_out.get("f1", entry.get("validation_f1")),
                "validation_strict_f1": held_out.get("strict_f1"),
                "seconds": entry.get("seconds"),
            }
        )
    return points


def ranked_runs(records: StudyRecords) -> list[Completion]:
    return sorted(selected_runs(records).values(), key=lambda run: (-(run.f1 or 0.0), run.model))


def counts_by_label(run: Completion) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = (run.validation or {}).get("by_label") or {}
    return found


def gold_words_of(records: StudyRecords) -> dict[str, int]:
    """Gold words of each type: the same in every run, so the first that tells is believed."""
    for run in ranked_runs(records):
        counts = {label: found["tp"] + found["fn"] for label, found in counts_by_label(run).items()}
        if counts:
            held = {label: n for label, n in counts.items() if n}
            return dict(sorted(held.items(), key=lambda item: (-item[1], item[0])))
    return {}
