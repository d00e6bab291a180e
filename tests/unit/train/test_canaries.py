"""What a tagger knows by heart: made names planted among its notes, others held out, and its notes themselves."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from deidlab.cli.app import run as run_command
from deidlab.corpus import write_corpus
from deidlab.detect.folder import read_tagger
from deidlab.detect.packed.loading import load_tagger
from deidlab.encode.pieced import Cutting
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import LabelSet
from deidlab.train.canaries import measure_exposure, plant_canaries, summarise_exposure
from deidlab.train.canary_card import describe_canaries
from deidlab.train.canary_mentions import certainty_of_mentions, make_mentions
from deidlab.train.fit import Run, fit
from deidlab.train.launch import Launch
from deidlab.train.membership import tell_members
from deidlab.train.request import RunRequest, read_request
from deidlab.train.settings import TrainSettings
from deidlab.train.surrogates import make_surrogate
from deidlab.types import Document, Span
from tests.unit.train.conftest import make_notes


def make_ambiguous_notes(n_notes: int, seed: int) -> list[Document]:
    """Where only who is named tells whether it is PHI: one in five is, in the very words of the rest."""
    draw = random.Random(seed)
    notes = []
    for number in range(n_notes):
        name = make_surrogate("Abcdef", f"{seed} {number}")
        text = f"Seen with {name} on the {draw.choice(('ward', 'unit'))}."
        spans = () if number % 5 else (Span(10, 10 + len(name), "NAME"),)
        notes.append(Document(id=f"a{number}", text=text, spans=spans))
    return notes


def make_numbered_notes() -> list[Document]:
    return [
        Document(
            id=str(n), text=f"Anna Meier, MRN 4471{n:03}.",
            spans=(Span(0, 10, "PATIENT"), Span(16, 23, "MEDICALRECORD")),
        )
        for n in range(20)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def long_run(
    make_config: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], Run]:
    """A tiny tagger, trained long on few notes with so many canaries; once for each number."""
    config, done = make_config("bert"), {}

    def run(canaries: int) -> Run:
        if canaries not in done:
            request = RunRequest(config, scratch=True, tokenizer="learn", canaries=canaries)
            settings = TrainSettings(
                epochs=25,
                batch=8,
                learning_rate=3e-3,
                window=48,
                stride=32,
                checkpoint_minutes=60.0,
                seed=2,
                dropout=0.0,
            )
            folder = tmp_path_factory.mktemp("run") / "run"
            notes = make_ambiguous_notes(80, 1)
            done[canaries] = fit(notes, [], request, settings, Launch(folder, device="cpu"))
        return done[canaries]

    return run


def test_a_tagger_trained_long_knows_what_was_planted(long_run: Callable[[int], Run]) -> None:
    found = long_run(8).record["canaries"]
    assert found["planted_notes"] == 2 * (1 + 4 + 16 + 64)
    before, after = found["before"], found["after"]
    assert (after["canaries"], after["held_out"]) == (8, 8)
    assert before["area"]["value"] < after["area"]["value"] and before["exposure_by_times_seen"]["64"] < 3
    assert after["area"]["low"] > 0.5 and found["after_elsewhere"]["area"]["value"] > 0.5
    bits = after["exposure_by_times_seen"]
    assert min(bits["16"], bits["64"]) > 4 > 3 > bits["0"]


def test_a_tagger_that_has_not_seen_them_is_at_chance(long_run: Callable[[int], Run]) -> None:
    run = long_run(0)
    assert "canaries" not in run.record
    facts = read_tagger(run.folder)
    pieces = WordPieces.from_file(run.folder / "tokenizer.json")
    cutting = Cutting(pieces, WindowShape(48, 32, pieces.prefix, pieces.suffix))
    device = torch.device("cpu")
    tagger = load_tagger(run.folder, facts, device)
    how_sure = certainty_of_mentions(tagger, cutting, LabelSet.of("auto", ("NAME",)), device)
    canaries = make_mentions(make_ambiguous_notes(80, 1), 40, 1)
    found = summarise_exposure(measure_exposure(canaries, how_sure), 1)
    assert found["area"]["low"] < 0.5 < found["area"]["high"]
    planted = [bits for times, bits in found["exposure_by_times_seen"].items() if times != "0"]
    assert 0.5 < np.mean(planted) < 2.5


def test_who_guesses_is_at_chance_and_who_knows_is_not() -> None:
    notes, areas = make_ambiguous_notes(80, 1), []
    for seed in range(20):
        canaries = make_mentions(notes, 8, seed)
        guess = np.random.default_rng(seed)
        found = measure_exposure(canaries, lambda asked, _, guess=guess: guess.random(len(asked)))
        areas.append(summarise_exposure(found, seed)["area"]["value"])
    assert 0.4 < np.mean(areas) < 0.6 and np.std(areas) > 0.05
    known = {canary.secret for canary in canaries if canary.times}

    def recall(asked: Sequence[Document], places: Sequence[tuple[int, int]]) -> Any:
        return np.array([float(note.text[a:b] in known) for note, (a, b) in zip(asked, places, strict=True)])

    found = summarise_exposure(measure_exposure(canaries, recall, elsewhere=True), 1)
    assert found["area"]["value"] == 1 and found["memorised"] == 8
    bits = found["exposure_by_times_seen"]
    assert bits["64"] == 7 and bits["0"] == pytest.approx(np.log2(128 / 64.5), abs=0.01)


def test_the_folder_tells_figures_and_no_secret(long_run: Callable[[int], Run]) -> None:
    run = long_run(8)
    card, record = ((run.folder / name).read_text("utf-8") for name in ("README.md", "record.json"))
    assert "Canaries changed the training notes" in card and "told from held-out ones (0.5 is chance)" in card
    for canary in make_mentions(make_ambiguous_notes(80, 1), 8, 2):
        assert canary.secret not in card + record + repr(canary)
    assert read_request(run.folder)[0].canaries == 8
    plain = (long_run(0).folder / "README.md").read_text("utf-8")
    assert "No canaries were planted" in plain and "Canaries changed" not in plain
    # Figures of the training notes are of these alone.
    assert run.record["corpus"] == long_run(0).record["corpus"] | {"pieces": run.record["corpus"]["pieces"]}


def test_canaries_stand_where_notes_have_names_and_nothing_else_is_real() -> None:
    notes = make_notes(30, 3)
    canaries = make_mentions(notes, 8, 5)
    assert canaries == make_mentions(notes, 8, 5) != make_mentions(notes, 8, 6)
    assert [canary.times for canary in canaries] == [1, 4, 16, 64] * 2 + [0] * 8
    planted = plant_canaries(canaries)
    assert len({note.id for note in planted}) == len(planted) == 2 * 85
    assert len({note.patient for note in planted}) == 8
    real = {note.text[span.start : span.end] for note in notes for span in note.spans}
    for note in planted:
        said = [note.text[span.start : span.end] for span in note.spans]
        assert not real & set(said) and not any(each in note.text for each in real)
    for canary in canaries:
        note = canary.surroundings.note(canary.secret, "x")
        assert canary.secret in [
            note.text[span.start : span.end] for span in note.spans if span.label == "NAME"
        ]
        assert len(set(canary.rivals) | {canary.secret}) > 120
        assert {len(rival) for rival in canary.rivals} == {len(canary.secret)}


def test_numbers_are_planted_by_turns_with_names() -> None:
    canaries = make_mentions(make_numbered_notes(), 4, 1)
    assert sorted(canary.kind for canary in canaries) == ["names"] * 4 + ["numbers"] * 4
    assert all(canary.secret.isdigit() == (canary.kind == "numbers") for canary in canaries)


def test_with_surrogates_nothing_planted_is_seen(
    tiny: RunRequest, settings: TrainSettings, tmp_path: Path
) -> None:
    notes = make_notes(16, 1)
    request = replace(tiny, canaries=4, surrogates=True)
    run = fit(
        notes, make_notes(6, 2), request, settings.changed(epochs=1), Launch(tmp_path / "run", device="cpu")
    )
    assert run.record["canaries"]["after"]["canaries"] == 4
    assert "membership" not in run.record


def test_notes_without_names_have_no_place_for_canaries() -> None:
    notes = [Document(id="1", text="Seen on 3/4/2070.", spans=(Span(8, 16, "DATE"),))]
    with pytest.raises(ConfigError, match="these notes have none"):
        make_mentions(notes, 4, 1)
    with pytest.raises(ConfigError, match="0 to 1000"):
        make_mentions(notes, 1001, 1)
    assert make_mentions(notes, 0, 1) == []


def test_notes_known_by_heart_are_told_from_others(run_tiny: Callable[..., Run], tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    known = tell_members(draw.gamma(1, 0.1, 60), draw.gamma(1, 1.0, 40), 1)
    assert (known["notes"], known["validation_notes"]) == (60, 40)
    assert known["area"]["low"] > 0.7
    alike = tell_members(draw.gamma(1, 1.0, 60), draw.gamma(1, 1.0, 40), 1)["area"]
    assert alike["low"] < 0.5 < alike["high"]
    found = run_tiny(tmp_path / "run", epochs=1).record["membership"]
    assert (found["notes"], found["validation_notes"]) == (16, 6)
    assert "validation notes by their lower loss" in (tmp_path / "run" / "README.md").read_text("utf-8")


def test_the_command_plants_and_tells(
    make_config: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(make_notes(12, 4), tmp_path / "notes.jsonl", "jsonl")
    said = ["train", str(tmp_path / "notes.jsonl"), "--model", make_config("bert"), "--from-scratch",
            "--tokenizer", "learn", "--epochs", "1", "--window", "48", "--stride", "32", "--device", "cpu",
            "--quiet", "--canaries"]  # fmt: skip
    assert run_command([*said, "1001", "--out", str(tmp_path / "none")]) == 2
    assert run_command([*said, "2", "--out", str(tmp_path / "run")]) == 0
    assert "told from those held out" in capsys.readouterr().out
    record: dict[str, Any] = json.loads((tmp_path / "run" / "record.json").read_text("utf-8"))
    assert record["canaries"]["after"]["held_out"] == 2


def test_the_card_tells_names_from_numbers_where_there_are_both() -> None:
    guess = np.random.default_rng(1)
    canaries = make_mentions(make_numbered_notes(), 8, 1)
    found = summarise_exposure(measure_exposure(canaries, lambda asked, _: guess.random(len(asked))), 1)
    said = describe_canaries({"before": found, "after": found})[-1]
    assert "names alone area" in said and "numbers alone area" in said
