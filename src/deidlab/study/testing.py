"""The selected runs in, what they find in every part out: here, and not before, the test notes are opened.

A model's row is what `deidlab detect --model RUN --rules off --labels own` finds, an ensemble's the same of
its `committee.json`, a hybrid's what `deidlab detect --model RUN --labels own` finds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from deidlab.detect.committee import Committee, describe_committee
from deidlab.detect.detector import make_detector
from deidlab.detect.folder import COMMITTEE, read_tagger
from deidlab.detect.model import TaggingModel, load_model
from deidlab.detect.naming import OWN_LABELS
from deidlab.detect.settings import DetectorSettings
from deidlab.errors import ConfigError
from deidlab.study.answers import Answered, ask, ask_timed, find_with
from deidlab.study.completing import weights_of
from deidlab.study.folder import RUNS, TESTS, now, write_whole
from deidlab.study.hybrids import PARTS, RULES, baseline_row, hybrid_row
from deidlab.study.notes import read_cross
from deidlab.study.predictions import write_predictions
from deidlab.study.records import Choice, Selection, cross_path
from deidlab.study.rows import ENSEMBLE, MODEL, Row, RowWriter
from deidlab.study.systems import system_row
from deidlab.study.workshop import Workshop

_Answers = dict[str, Answered]
# Whatever is tested is tested without rules, in the labels that it learned.
_ALONE = DetectorSettings("off", labels=OWN_LABELS)


def predict_selected(workshop: Workshop, selection: Selection) -> None:
    """Predictions and figures of every selected model, of ensembles and hybrids of them, of baselines and
    of other systems."""
    spec, folder = workshop.spec, workshop.folder
    for choice in selection.choices.values():
        if not weights_of(folder, choice.run).is_file():
            raise ConfigError(
                f"{folder}: the weights of {choice.run} are gone, so it cannot be tested; remove "
                f"selection.json and completions/{choice.run}.json to train it again"
            )
    opened = now()
    notes = {part: workshop.notes(part, "test") for part in ("train", *PARTS)}
    writer = RowWriter(workshop.out, notes.__getitem__, workshop.digest("test"), opened)
    # A study is tested once its models and ensembles are: what else there is comes before them.
    first = next(iter(selection.choices.values()))
    for which in spec.baselines:
        facts = read_tagger(folder / RUNS / first.run)
        writer.write(baseline_row(which, facts, {part: notes[part] for part in PARTS}))
    for wanted in spec.system:
        facts = read_tagger(folder / RUNS / first.run)
        writer.write(system_row(wanted, facts, {part: notes[part] for part in PARTS}))
    kept = {
        name: _test_model(workshop, writer, name, choice, notes)
        for name, choice in selection.choices.items()
    }  # fmt: skip
    for how in spec.ensembles:
        writer.write(_ensemble_row(workshop, how, kept, selection, notes))


def _test_model(
    workshop: Workshop, writer: RowWriter, name: str, choice: Choice, notes: dict[str, Any]
) -> _Answers:
    """Write the rows of one model; what it says of the validation and the test notes."""
    spec, place = workshop.spec, workshop.place.device
    run = workshop.folder / RUNS / choice.run
    model = load_model(run, torch.get_num_threads(), device="cpu" if place.type == "cpu" else str(place))
    said, prediction = ask_timed(model, notes["test"])
    answers = {"validation": ask(model, notes["validation"]), "test": said}
    if RULES in spec.hybrids:
        writer.write(hybrid_row(name, choice.run, answers, notes))
    every = ({"train": ask(model, notes["train"])} if spec.run.predict_train else {}) | answers
    detector = make_detector(model, _ALONE)
    found = {part: find_with(detector, notes[part], said) for part, said in every.items()}
    cross = _cross(workshop, name, model)
    writer.write(
        Row(name, MODEL, found, model.facts.words, (), choice.run, prediction, cross)
    )  # fmt: skip
    return answers


def _cross(workshop: Workshop, name: str, model: TaggingModel) -> tuple[str, ...]:
    detector = make_detector(model, _ALONE)
    for cross in workshop.spec.cross:
        documents = read_cross(cross, workshop.folder, workshop.out)
        path = cross_path(workshop.out, name, cross.name)
        write_predictions(path, documents, find_with(detector, documents), model.facts.words)
    return tuple(cross.name for cross in workshop.spec.cross)


def _ensemble_row(
    workshop: Workshop, how: str, kept: dict[str, _Answers], selection: Selection, notes: dict[str, Any]
) -> Row:
    members, name = tuple(kept), f"ensemble-{how}"
    if len(members) < 2:
        return Row(name, ENSEMBLE, {}, members=members, note="left out: fewer than two models")
    try:
        together = {part: Committee([kept[member][part] for member in members], how) for part in PARTS}
    except ConfigError:
        why = "left out: the models do not share words and tags"
        return Row(name, ENSEMBLE, {}, members=members, note=why)
    found = {}
    for part, committee in together.items():
        found[part] = find_with(make_detector(committee, _ALONE), notes[part])
    runs = [selection.choices[member].run for member in members]
    _write_committee(workshop, name, how, runs)
    return Row(name, ENSEMBLE, found, together["test"].facts.words, members)


def _write_committee(workshop: Workshop, name: str, how: str, runs: list[str]) -> None:
    """The ensemble as a folder that `--model` takes."""
    # Where it will lie: a far worker writes into a folder of its own first.
    places = [(str(Path("..", "..", RUNS, run)), workshop.folder / RUNS / run) for run in runs]
    write_whole(workshop.out / TESTS / name / COMMITTEE, describe_committee(how, places))
