"""A plan: windows as training cuts them, time from timed steps or from runs that are over."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import deidlab
from deidlab.encode.windows import WindowShape, cut_windows
from deidlab.study.completing import Timing, complete_run, completions_by_run
from deidlab.study.grid import Run, expand_runs
from deidlab.study.opening import open_study
from deidlab.study.planning import plan_study, spread_out
from deidlab.study.reckoning import NoteLengths, TimedSpeed, count_windows, speed_of_runs
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.train.settings import TrainSettings
from tests.unit.study.builders import SETTINGS, TINY, finish, make_notes

Small = Callable[..., StudySpec]
FLAT = TrainSettings(epochs=6, batch=4, window=12, stride=5, validate_every=4)


@pytest.mark.parametrize("n_words", [1, 63, 64, 65, 112, 113, 1000, 1003])
@pytest.mark.parametrize("per_word", [1, 2])
def test_windows_are_those_that_training_cuts(n_words: int, per_word: int) -> None:
    settings = FLAT.changed(window=66, stride=48)
    cut = cut_windows("note", [(7,) * per_word] * n_words, WindowShape(66, 48, (1,), (2,)))
    n_windows, n_pieces = count_windows([n_words], per_word, settings)
    assert (n_windows, n_pieces) == (len(cut), sum(len(window.input_ids) for window in cut))


NOTES = NoteLengths([10] * 40, 20)


def test_a_run_takes_its_start_its_epochs_and_its_validations() -> None:
    speed = TimedSpeed(pieces_per_second=100.0, how="timed steps", device="cpu", per_word=1.0)
    # Forty windows of twelve pieces: 4.8 s an epoch; two validations on half as many notes.
    validation = 0.5 * 4.8 / 3
    assert speed.seconds(replace(NOTES, n_validation=0), FLAT) == pytest.approx(6 * 4.8)
    assert speed.seconds(NOTES, FLAT) == pytest.approx(6 * 4.8 + 2 * validation)
    slow = replace(speed, note_seconds=0.1, job_seconds=7.0, first_seconds=100.0)
    assert slow.seconds(NOTES, FLAT) == pytest.approx(7.0 + 6 * 4.8 + 2 * (validation + 20 * 0.1))
    assert speed.steps(NOTES, FLAT) == 60
    assert replace(speed, per_word=2.0).seconds(NOTES, FLAT) > 2 * speed.seconds(NOTES, FLAT)


def test_swapped_copies_are_trained_on_but_not_validated_on() -> None:
    speed = TimedSpeed(pieces_per_second=100.0, how="timed steps", device="cpu", per_word=1.0)
    swapped = FLAT.changed(swaps=3)
    assert speed.steps(NOTES, swapped) == 4 * speed.steps(NOTES, FLAT)
    added = speed.seconds(NOTES, swapped) - speed.seconds(NOTES, FLAT)
    assert added == pytest.approx(3 * 6 * 4.8)


def test_a_note_without_words_has_no_window() -> None:
    assert count_windows([10, 0, 10], 1.0, FLAT) == count_windows([10, 10], 1.0, FLAT)


def complete(
    folder: Path, run: Run, seconds: float, gpu: float = 0.0, shares: str | None = None, timing: Any = None
) -> None:
    """A completion that took so long: epochs of 2 s, every second one with a validation of half a second."""
    timing = timing or Timing.start(folder, run.id)
    timing.mark -= seconds
    timing.gpu_mark = timing.mark + seconds - gpu if gpu else None
    epochs = [{"epoch": number, "seconds": 2.0} for number in range(1, run.settings.epochs + 1)]
    for entry in epochs[1::2]:
        entry |= {"validation_seconds": 0.5}
    speed = {"seconds": 8.0, "notes_per_second": 6.0, "pieces_per_second": 150.0, "windows_per_second": 18.0}
    record = {"validation": {"f1": 0.5}, "epochs": epochs, "speed": {"train": speed}}
    complete_run(folder, run, timing, record, None, shares)


def begin(spec: StudySpec, folder: Path) -> Path:
    folder.mkdir()
    open_study(spec, folder)
    return folder


def test_completed_runs_tell_the_speed_of_their_model_alone(small: Small, tmp_path: Path) -> None:
    spec = small(2, grid={"epochs": [4, 50]}, settings=SETTINGS | {"validate_every": 2})
    folder = begin(spec, tmp_path / "study")
    complete(folder, expand_runs(spec)["tiny1"][0], 12.0)
    finish(folder, expand_runs(spec)["tiny2"][0], None, "it fell over")
    plan = plan_study(spec, folder, calibrate=False)
    known, unknown = plan.models
    assert (known.done, known.speed_from, known.pieces_per_second) == (1, "completed runs", 150.0)
    # Three seconds beside four epochs and two validations; the long run has them too.
    wanted = (3 + 4 * 2 + 2 * 0.5) + (3 + 50 * 2 + 25 * 0.5)
    assert known.hours == pytest.approx(wanted / 3600, rel=0.01)
    # Twelve notes of three windows, four of them a step.
    assert known.steps == (4 + 50) * 9
    assert unknown.hours is None and plan.hours is None and plan.device == "cpu"
    assert unknown.steps and plan.notes[-1] == "pieces are reckoned at 1.35 a word: tiny2"


def test_shared_and_repeated_trainings_do_not_tell_how_long_a_start_takes(
    small: Small, tmp_path: Path
) -> None:
    spec = small(grid={"epochs": [2, 4, 6]})
    runs = expand_runs(spec)["tiny1"]
    folder = begin(spec, tmp_path / "shared")
    timing = Timing.start(folder, runs[-1].id)
    for run in runs:
        complete(folder, run, 5.0, shares=None if run is runs[-1] else runs[-1].id, timing=timing)
    speed = speed_of_runs(completions_by_run(folder).values())
    assert speed is not None and (speed.epoch_seconds, speed.job_seconds) == (2.0, 0.0)
    folder = begin(spec, tmp_path / "resumed")
    Timing.start(folder, runs[0].id).as_progress()
    complete(folder, runs[0], 500.0)
    speed = speed_of_runs(completions_by_run(folder).values())
    assert speed is not None and (speed.epoch_seconds, speed.job_seconds) == (2.0, 0.0)


def test_time_of_a_gpu_is_what_its_runs_held_it_for(small: Small, tmp_path: Path) -> None:
    spec = small()
    folder = begin(spec, tmp_path / "study")
    complete(folder, expand_runs(spec)["tiny1"][0], 20.0, gpu=7.0)
    speed = speed_of_runs(completions_by_run(folder).values())
    assert speed is not None and speed.device == "cuda"
    assert speed.job_seconds == pytest.approx(7.0 - 2 * 2.0 - 0.5, abs=0.1)
    assert speed_of_runs([]) is None


def measure(spec: StudySpec, folder: Path) -> TimedSpeed:
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
    from deidlab.study.calibrate import measure_speed
    from deidlab.study.workshop import Workshop

    workshop = Workshop(spec, open_study(spec, folder).parts, folder, "cpu")
    return TimedSpeed(**measure_speed(workshop, expand_runs(spec)[spec.models[0].name][0].as_dict()))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Who was asked for; nobody is reached, and nothing was stored earlier."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="the hub's library is not installed")
    asked: list[str] = []

    def refuse(host: Any, *_: Any, **__: Any) -> Any:
        asked.append(str(host))
        raise socket.gaierror("no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.invalid")
    return asked


def test_a_plan_without_a_network_says_what_it_reckons_with(
    small: Small, tmp_path: Path, no_network: list[str]
) -> None:
    known = ModelSpec(name="known", model="bert-base-uncased")
    speed = measure(replace(small(), models=(known,)), tmp_path)
    assert speed.per_word is None and "no tokenizer could be loaded" in speed.why
    assert speed.pieces_per_second > 0 and speed.note_seconds > 0
    assert no_network in ([], ["hub.invalid"])


def test_pieces_are_those_of_the_tokenizer(small: Small, tmp_path: Path) -> None:
    from deidlab.corpus import read_corpus
    from deidlab.encode.pieces import WordPieces
    from deidlab.encode.words import find_words

    pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
    file = Path(deidlab.__file__).parent / "models" / "es" / "tokenizer.json"
    spec = replace(small(), models=(ModelSpec(name="tiny", config=TINY, tokenizer=str(file)),))
    spec = replace(spec, split=replace(spec.split, ratios="90:5:5"))
    pieces, n_words, n_pieces = WordPieces.from_file(file), 0, 0
    train = {*open_study(spec, tmp_path).parts.ids()["train"]}
    for note in read_corpus(spec.corpus.path):
        words = find_words(note.text) if note.id in train else []
        n_words += len(words)
        n_pieces += sum(map(len, pieces.of_words(note.text, words)))
    found = measure(spec, tmp_path)
    assert found.per_word == pytest.approx(n_pieces / n_words) and found.per_word > 1.2
    assert found.how == "timed steps" and found.job_seconds > 0


def test_a_model_without_a_table_of_positions_can_be_timed(small: Small, tmp_path: Path) -> None:
    xlnet = {
        "model_type": "xlnet",
        "vocab_size": 300,
        "d_model": 32,
        "n_layer": 1,
        "n_head": 2,
        "d_inner": 48,
    }
    speed = measure(replace(small(), models=(ModelSpec(name="xlnet", config=xlnet),)), tmp_path)
    assert speed.how == "timed steps" and speed.pieces_per_second > 0


def test_a_model_that_does_not_fit_leaves_the_others_their_times(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
    from deidlab.study import calibrate
    from deidlab.study.workshop import Workshop

    def fill(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(calibrate, "_start_training", fill)
    spec = small()
    workshop = Workshop(spec, open_study(spec, tmp_path).parts, tmp_path, "cpu")
    found = calibrate.measure_speed(workshop, expand_runs(spec)["tiny1"][0].as_dict())
    assert found == {"error": "out of memory with 4 windows a step: set a smaller batch, and accumulate"}


def test_a_sample_comes_from_all_over_a_corpus() -> None:
    notes = make_notes(30, 1)
    assert spread_out(notes, 100) == notes
    taken = [notes.index(note) for note in spread_out(notes, 7)]
    assert len(taken) == 7 and taken == sorted(set(taken)) and taken[-1] > 24
