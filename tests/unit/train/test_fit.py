"""Whole runs on tiny notes: what they learn, what they leave, and that they go on where they stopped."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from deidlab.errors import ConfigError
from deidlab.train import loop as loop_module
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.train.stopping import Interrupted
from deidlab.types import Document
from deidlab.zoo.configs import load_model_facts
from tests.unit.train.conftest import FAMILIES, NAMES


def weights(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "model.safetensors"))


def same_weights(left: Path, right: Path) -> bool:
    a, b = weights(left), weights(right)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_trains_from_scratch(
    family: str, make_config: Callable[[str], str], run_tiny: Callable[..., Any], tmp_path: Path
) -> None:
    request = RunRequest(model=make_config(family), scratch=True, tokenizer="learn")
    record = run_tiny(tmp_path / "run", request=request, epochs=3).record
    losses = [epoch["train"]["loss"] for epoch in record["epochs"]]
    assert losses[-1] < losses[0]
    assert (tmp_path / "run" / "model.safetensors").is_file()


SIX = ("bert-base", "bert-large", "roberta-base", "roberta-large", "albert-base", "albert-xxlarge")
SHRUNK = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}


@pytest.mark.parametrize("name", SIX)
def test_the_six_of_the_study_train(name: str, run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    """Each as the zoo describes it, but for its sizes."""
    known = load_model_facts(name)
    config = {"model_type": known.family} | dict(known.config) | SHRUNK | {"vocab_size": 300}
    (tmp_path / name).mkdir()
    (tmp_path / name / "config.json").write_text(json.dumps(config))
    request = RunRequest(model=str(tmp_path / name), scratch=True, tokenizer="learn")
    record = run_tiny(tmp_path / "run", request=request, epochs=4).record
    losses = [epoch["train"]["loss"] for epoch in record["epochs"]]
    assert losses[-1] < losses[0]


def test_a_run_learns_what_can_be_learned(run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    run = run_tiny(tmp_path / "run", epochs=40)
    assert run.f1 is not None and run.f1 > 0.8
    assert run.record["train"]["f1"] > 0.8


def test_the_folder_holds_the_record_and_no_text(run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    run = run_tiny(tmp_path / "run")
    names = {path.name for path in run.folder.iterdir()}
    assert names == {
        "README.md", "config.json", "model.safetensors", "record.json", "settings.json", "tagger.json",
        "tokenizer.json",
    }  # fmt: skip
    record = json.loads((run.folder / "record.json").read_text("utf-8"))
    for key in ("seed", "labels", "environment", "peak_memory_bytes", "speed", "started", "finished"):
        assert key in record
    assert record["corpus"]["digest"].startswith("sha256:")
    assert [epoch["epoch"] for epoch in record["epochs"]] == [1, 2]
    assert record["speed"]["samples_per_second"] > 0
    told = "".join(path.read_text("utf-8") for path in run.folder.iterdir() if path.suffix != ".safetensors"
                   and path.name != "tokenizer.json")  # fmt: skip
    for name in NAMES:
        assert name not in told
    assert "n1-0" not in told
    card = (run.folder / "README.md").read_text("utf-8")
    assert "vocabulary holds words of theirs" in card
    assert "treat these weights as you treat the notes" in card


def test_the_same_seed_gives_the_same_weights(run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        run_tiny(tmp_path / name, seed=seed)
    assert same_weights(tmp_path / "a", tmp_path / "b")
    assert not same_weights(tmp_path / "a", tmp_path / "c")


@pytest.mark.parametrize("stop_at", [1, 6, 9])
def test_an_interrupted_run_resumes_to_the_same_weights(
    stop_at: int, run_tiny: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_tiny(tmp_path / "whole", average=0.9)
    steps = whole.record["epochs"][-1]["step"]
    assert stop_at < steps
    after_step = loop_module.Loop._after_step

    def press_ctrl_c(loop: Any) -> None:
        if loop.progress.step == stop_at:
            signal.raise_signal(signal.SIGINT)
        after_step(loop)

    monkeypatch.setattr(loop_module.Loop, "_after_step", press_ctrl_c)
    with pytest.raises(Interrupted):
        run_tiny(tmp_path / "cut", average=0.9)
    assert (tmp_path / "cut" / "checkpoint.pt").is_file()
    monkeypatch.setattr(loop_module.Loop, "_after_step", after_step)
    torch.manual_seed(99)
    resumed = run_tiny(tmp_path / "cut", resume=True, average=0.9)
    assert same_weights(tmp_path / "whole", tmp_path / "cut")
    assert not (tmp_path / "cut" / "checkpoint.pt").exists()
    ours, theirs = resumed.record["epochs"], whole.record["epochs"]
    assert [epoch["train"] for epoch in ours] == [epoch["train"] for epoch in theirs]
    assert len(resumed.record["resumed"]) == 1


def test_what_cannot_be_resumed_is_refused(
    run_tiny: Callable[..., Any],
    notes: list[Document],
    tiny: RunRequest,
    settings: TrainSettings,
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigError, match="no run to resume"):
        run_tiny(tmp_path / "nothing", resume=True)
    run_tiny(tmp_path / "done")
    with pytest.raises(ConfigError, match="finished"):
        run_tiny(tmp_path / "done", resume=True)
    with pytest.raises(ConfigError, match="already there"):
        run_tiny(tmp_path / "done")
    record = json.loads((tmp_path / "done" / "record.json").read_text())
    record.pop("finished")
    (tmp_path / "done" / "record.json").write_text(json.dumps(record))
    with pytest.raises(ConfigError, match="not those that this run was started with"):
        fit(notes[1:], [], tiny, settings, Launch(tmp_path / "done", resume=True, device="cpu"))


def test_early_stopping_keeps_the_best(run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    run = run_tiny(tmp_path / "run", epochs=40, patience=2, learning_rate=5e-3)
    scores = [epoch["validation"]["f1"] or 0.0 for epoch in run.record["epochs"]]
    assert len(scores) < 40
    assert run.record["best_epoch"] == scores.index(max(scores)) + 1
    assert run.f1 == pytest.approx(max(scores))


@pytest.mark.parametrize(
    "changes",
    [
        {"decoding": "crf"},
        {"decoding": "greedy"},
        {"class_weights": "balanced", "label_smoothing": 0.1},
        {"shapes": True, "all_pieces": True, "hide_pieces": 0.1},
        {"accumulate": 3, "schedule": "cosine", "warmup": 0.2},
        {"layer_decay": 0.8, "head_rate": 3.0, "schedule": "constant", "dropout": 0.3},
        {"precision": "bf16", "words": "whitespace", "keep": "last", "clip": 0.0},
    ],
)
def test_every_setting_runs_and_changes_the_result(
    changes: dict[str, Any], run_tiny: Callable[..., Any], tmp_path: Path
) -> None:
    run_tiny(tmp_path / "plain")
    run = run_tiny(tmp_path / "run", **changes)
    assert run.record["epochs"][-1]["train"]["loss"] < run.record["epochs"][0]["train"]["loss"] * 1.05
    a, b = weights(tmp_path / "plain"), weights(tmp_path / "run")
    assert changes == {"decoding": "greedy"} or any(not torch.equal(a[name], b[name]) for name in a)


def test_a_run_can_go_on_from_another(
    run_tiny: Callable[..., Any], notes: list[Document], settings: TrainSettings, tmp_path: Path
) -> None:
    first = run_tiny(tmp_path / "first", epochs=6)
    request = RunRequest(model=str(first.folder))
    second = fit(
        notes, notes[:4], request, settings.changed(epochs=1), Launch(tmp_path / "second", device="cpu")
    )
    assert second.record["epochs"][0]["train"]["loss"] < first.record["epochs"][0]["train"]["loss"] / 2
    assert second.record["tags"] == first.record["tags"]
    other = [replace(note, spans=tuple(replace(span, label="CITY") for span in note.spans)) for note in notes]
    with pytest.raises(ConfigError, match="has never seen CITY"):
        fit(other, [], request, settings, Launch(tmp_path / "third", device="cpu"))
    new_head = replace(request, labels="corpus")
    third = fit(other, [], new_head, settings.changed(epochs=1), Launch(tmp_path / "third", device="cpu"))
    assert third.record["labels"] == ["CITY"]


def test_surrogates_keep_names_out_of_a_learned_vocabulary(
    run_tiny: Callable[..., Any], tiny: RunRequest, tmp_path: Path
) -> None:
    plain = run_tiny(tmp_path / "plain")
    masked = run_tiny(tmp_path / "masked", request=replace(tiny, surrogates=True))
    held = (masked.folder / "tokenizer.json").read_text("utf-8")
    assert "Lopez" in (plain.folder / "tokenizer.json").read_text("utf-8")
    assert not any(part in held for part in ("Lopez", "Smith", "Haddad"))
    assert "was replaced by made-up text" in (masked.folder / "README.md").read_text("utf-8")
