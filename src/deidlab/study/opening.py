"""A study and its folder in, both checked against each other out: what was begun goes on as it was begun."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.study.folder import COMPLETIONS, MODELS, SELECTION, STUDY, now, write_object
from deidlab.study.grid import Run, expand_runs
from deidlab.study.notes import Parts, deal_parts, parts_from
from deidlab.study.records import Completion
from deidlab.study.spec import MEASURE, ModelSpec, StudySpec, last_part
from deidlab.zoo.configs import find_model
from deidlab.zoo.study import find_study_model


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study that is ready to run."""

    spec: StudySpec
    folder: Path
    parts: Parts
    runs: Mapping[str, list[Run]] = field(repr=False)


def open_study(spec: StudySpec, folder: Path) -> OpenStudy:
    """Begin a study in its folder, or take up the one that is there."""
    runs = expand_runs(spec)
    path = folder / STUDY
    if not path.is_file():
        parts = deal_parts(spec, folder)
        write_object(path, describe_study(spec, parts, runs))
        return OpenStudy(spec, folder, parts, runs)
    before = read_object(path)
    parts = parts_from(spec, before.get("split", {}))
    if before.get("digest") != spec.digest():
        _refuse_change(spec, folder, before)
        kept = {key: before[key] for key in ("created", "corpora", "labels", "environment")}
        write_object(path, describe_study(spec, parts, runs) | kept)
    return OpenStudy(spec, folder, parts, runs)


def _refuse_change(spec: StudySpec, folder: Path, before: Mapping[str, Any]) -> None:
    """Runs may be added while none is selected; the notes stay those that the study began with."""
    if (folder / SELECTION).is_file():
        raise ConfigError(
            f"{folder}: its runs are selected and the study has changed since; give the changed one a "
            "folder of its own with --out"
        )
    for key in ("corpus", "split", "make", "labels"):
        if before["spec"].get(key) != spec.as_record()[key] and any((folder / COMPLETIONS).glob("*.json")):
            raise ConfigError(
                f"{folder}: '{key}' of the study has changed since its first runs; give the changed one a "
                "folder of its own with --out"
            )


def describe_study(spec: StudySpec, parts: Parts, runs: Mapping[str, list[Run]]) -> dict[str, Any]:
    """The study as it is asked for; what only training can tell is filled in later."""
    styles = sorted({run.settings.words for each in runs.values() for run in each})
    return {
        "format": "deidlab study 1",
        "name": spec.name,
        "title": spec.title,
        "digest": spec.digest(),
        "created": now(),
        "selection_measure": MEASURE,
        "word_style": styles[0] if len(styles) == 1 else "runs",
        "labels": [],
        "price_per_hour": spec.cost.price_per_hour,
        "currency": spec.cost.currency,
        "environment": {},
        "models": [_describe_model(model, runs[model.name]) for model in spec.models],
        "corpora": {name: {"path": last_part(part.path)} for name, part in parts.parts.items()},
        "split": parts.ids(),
        "spec": spec.as_record(),
    }


def _describe_model(model: ModelSpec, runs: list[Run]) -> dict[str, Any]:
    known = find_model(model.model) if model.model else None
    study = find_study_model(known.name) if known else None
    return {
        "name": model.name,
        "model": last_part(model.model),
        "tokenizer": last_part(model.tokenizer),
        "scratch": model.scratch,
        "published": model.published or (study.title if study and not model.scratch else None),
        "config": dict(model.config) or (dict(known.config) if known else {}),
        "objective": known.objective if known and not model.scratch else None,
        "settings": [run.settings.as_dict() for run in runs],
    }


def write_config(folder: Path, model: ModelSpec) -> Path:
    """The folder of an architecture that the study describes in place, as training takes it."""
    path = folder / MODELS / model.name / "config.json"
    wanted = json.loads(json.dumps(dict(model.config)))
    if not path.is_file() or read_object(path) != wanted:
        write_object(path, wanted)
    return path.parent


def finish_facts(folder: Path, completions: Mapping[str, Completion]) -> None:
    """Put what the runs have told into the study's description: sizes as built, labels, corpora, machine."""
    path = folder / STUDY
    table = read_object(path)
    before = repr(table)
    for each in completions.values():
        if not each.is_done:
            continue
        record = read_object(folder / COMPLETIONS / f"{each.run}.json")
        model = next((row for row in table["models"] if row["name"] == each.model), None)
        if model is not None and not model.get("as_built"):
            model["config"] = model["config"] | record["config"]
            model["as_built"] = True
        table["labels"] = table["labels"] or record["labels"]
        table["environment"] = table["environment"] or record["environment"]
        for part, facts in record["corpora"].items():
            table["corpora"][part] = table["corpora"].get(part, {}) | facts
        if all(row.get("as_built") for row in table["models"]):
            break
    if repr(table) != before:
        write_object(path, table)
