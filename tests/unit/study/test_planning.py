"""A plan: windows as training cuts them, time from timed steps or from runs that are over."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.encode.windows import WindowShape, cut_windows
from deidlab.errors import ModelError
from deidlab.study.completing import Timing, complete_run, completions_by_run
from deidlab.study.grid import Run, expand_runs
from deidlab.study.opening import open_study
from deidlab.study.planning import plan_study
from deidlab.study.reckoning import Speed, count_steps, count_windows, speed_of_runs, train_seconds
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.train.settings import TrainSettings
from tests.unit.study.builders import finish, make_notes

Small = Callable[..., StudySpec]
FLAT = TrainSettings(epochs=6, batch=4, window=12, stride=5, validate_every=4)


@pytest.mark.parametrize("n_words", [1, 63, 64, 65, 112, 113, 1000, 1003])
@pytest.mark.parametrize("per_word", [1, 2])
def test_windows_are_those_that_training_cuts(n_words: int, per_word: int) -> None:
    settings = FLAT.changed(window=66, stride=48)
    cut = cut_windows("note", [(7,) * per_word] * n_words, WindowShape(66, 48, (1,), (2,)))
    n_windows, n_pieces = count_windows([n_words], per_word, settings)
    assert (n_windows, n_pieces) == (len(cut), sum(len(window.input_ids) for window in cut))


def test_a_run_takes_its_epochs_and_a_third_of_that_for_validating() -> None:
    words = [10] * 40
    speed = Speed(pieces_per_second=100.0, how="timed steps", device="cpu", per_word=1.0)
    # Forty windows of twelve pieces: 4.8 s an epoch, and two validations on half as many notes.
    assert train_seconds(speed, words, 0.0, FLAT) == pytest.approx(6 * 4.8)
    assert train_seconds(speed, words, 0.5, FLAT) == pytest.approx(6 * 4.8 + 2 * 0.5 * 4.8 / 3)
    assert count_steps(words, 1.0, FLAT) == 60
    doubled = replace(speed, per_word=2.0)
    assert train_seconds(doubled, words, 0.0, FLAT) > 2 * train_seconds(speed, words, 0.0, FLAT)


def complete(folder: Path, run: Run, seconds: float, steps: float, gpu: bool) -> None:
    timing = Timing.start(folder, run.id)
    timing.mark -= seconds
    timing.gpu_mark = timing.mark + 1.0 if gpu else None
    speed = {"train": {"seconds": steps, "notes_per_second": 3.0, "pieces_per_second": 150.0}}
    complete_run(folder, run, timing, {"validation": {"f1": 0.5}, "epochs": [], "speed": speed}, None)


def test_completed_runs_tell_the_speed_of_their_model_alone(small: Small, tmp_path: Path) -> None:
    spec = small(2, grid={"learning_rate": [1e-3, 2e-3]})
    folder = tmp_path / "study"
    folder.mkdir()
    open_study(spec, folder)
    first, _ = expand_runs(spec)["tiny1"]
    complete(folder, first, 10.0, 8.0, gpu=False)
    finish(folder, expand_runs(spec)["tiny2"][0], None, "it fell over")
    plan = plan_study(spec, folder, calibrate=False)
    known, unknown = plan.models
    assert (known.done, known.speed_from, known.pieces_per_second) == (1, "completed runs", 150.0)
    # Twelve notes at three a second, two epochs, and two seconds besides; two runs.
    assert known.hours == pytest.approx(2 * (2 * 4.0 + 2.0) / 3600, rel=0.05)
    assert unknown.hours is None and plan.hours is None and plan.device == "cpu"


def test_time_of_a_gpu_is_what_its_runs_held_it_for(small: Small, tmp_path: Path) -> None:
    spec = small()
    tmp_path = tmp_path / "study"
    tmp_path.mkdir()
    open_study(spec, tmp_path)
    complete(tmp_path, expand_runs(spec)["tiny1"][0], 10.0, 8.0, gpu=True)
    speed = speed_of_runs(completions_by_run(tmp_path).values())
    assert speed is not None and speed.device == "cuda"
    assert speed.besides == pytest.approx(1.0, abs=0.2)
    assert speed_of_runs([]) is None


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who was asked for; nobody is reached."""
    asked: list[str] = []

    def refuse(host: Any, *_: Any, **__: Any) -> Any:
        asked.append(str(host))
        raise socket.gaierror("no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


def test_a_plan_asks_no_hub_for_a_tokenizer(small: Small, tmp_path: Path, no_network: list[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'deidlab[train]'")
    from deidlab.study.calibrate import measure_speed
    from deidlab.study.workshop import Workshop
    from deidlab.train.models import ModelSource, load_pieces

    known = ModelSpec(name="known", model="bert-base-uncased")
    spec = replace(small(), models=(known,))
    workshop = Workshop(spec, open_study(spec, tmp_path).parts, tmp_path, "cpu")
    speed = Speed(**measure_speed(workshop, expand_runs(spec)["known"][0].as_dict()))
    assert speed.per_word is None and speed.pieces_per_second > 0
    with pytest.raises(ModelError):
        load_pieces(ModelSource("nobody/nothing"), at_hand=True)
    assert no_network == []


def test_a_model_without_a_table_of_positions_can_be_timed(small: Small, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'deidlab[train]'")
    from deidlab.study.calibrate import measure_speed
    from deidlab.study.workshop import Workshop

    xlnet = {
        "model_type": "xlnet",
        "vocab_size": 300,
        "d_model": 32,
        "n_layer": 1,
        "n_head": 2,
        "d_inner": 48,
    }
    spec = replace(small(), models=(ModelSpec(name="xlnet", config=xlnet),))
    workshop = Workshop(spec, open_study(spec, tmp_path).parts, tmp_path, "cpu")
    speed = Speed(**measure_speed(workshop, expand_runs(spec)["xlnet"][0].as_dict()))
    assert speed.how == "timed steps" and speed.pieces_per_second > 0
    assert speed.per_word is not None and speed.per_word > 1


def test_a_sample_comes_from_all_over_a_corpus() -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'deidlab[train]'")
    from deidlab.study.calibrate import spread_out

    notes = make_notes(30, 1)
    assert spread_out(notes, 100) == notes
    taken = [notes.index(note) for note in spread_out(notes, 7)]
    assert len(taken) == 7 and taken == sorted(set(taken)) and taken[-1] > 24
