"""Runs that go wrong: each ends with one clear line that quotes no note, and can be taken up again."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from deidlab.errors import ConfigError, DeidError, ModelError
from deidlab.train import memory, record
from deidlab.train.fit import Run, fit
from deidlab.train.launch import Launch
from deidlab.train.losses import TagLoss
from deidlab.train.models import ModelSource, load_config, load_pieces
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.types import Document
from tests.unit.train.conftest import NAMES

RunTiny = Callable[..., Run]


def assert_says_nothing(error: DeidError) -> None:
    """No name of a note, in the message or in what it came from."""
    told: BaseException | None = error
    while told is not None:
        assert not any(name in str(told) for name in NAMES)
        told = told.__cause__


def test_notes_without_spans(
    tiny: RunRequest, settings: TrainSettings, notes: list[Document], tmp_path: Path
) -> None:
    bare = [replace(note, spans=()) for note in notes]
    with pytest.raises(ConfigError, match="no spans: there is nothing to learn"):
        fit(bare, [], tiny, settings, Launch(tmp_path / "run", device="cpu"))
    assert not (tmp_path / "run").exists()


def test_a_label_outside_a_named_set(
    tiny: RunRequest, settings: TrainSettings, notes: list[Document], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"has never seen NAME \(16\)"):
        fit(notes, [], replace(tiny, labels="i2b2-2014"), settings, Launch(tmp_path / "run", device="cpu"))


def test_labels_that_only_validation_has_count_as_missed(
    tiny: RunRequest, settings: TrainSettings, notes: list[Document], held_out: list[Document], tmp_path: Path
) -> None:
    only_dates = [replace(n, spans=tuple(s for s in n.spans if s.label == "DATE")) for n in notes]
    run = fit(only_dates, held_out, tiny, settings, Launch(tmp_path / "run", device="cpu"))
    assert run.record["unseen_labels"] == {"NAME": 6}
    assert run.record["validation"]["by_label"]["NAME"]["fn"] == 6
    assert "counted as missed: NAME (6)" in (run.folder / "README.md").read_text("utf-8")


def test_a_loss_that_is_no_number(run_tiny: RunTiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = TagLoss.forward
    calls = {"n": 0}

    def poisoned(self: Any, row: Any, shape: Any) -> Any:
        calls["n"] += 1
        loss, sums = forward(self, row, shape)
        return (loss * float("nan"), sums * float("nan")) if calls["n"] > 7 else (loss, sums)

    monkeypatch.setattr(TagLoss, "forward", poisoned)
    with pytest.raises(ModelError, match=r"not a number.*--learning-rate 0\.001") as caught:
        run_tiny(tmp_path / "run")
    assert_says_nothing(caught.value)
    monkeypatch.setattr(TagLoss, "forward", forward)
    resumed = run_tiny(tmp_path / "run", resume=True, learning_rate=1e-3)
    assert resumed.record["resumed"][0]["changes"] == {"learning_rate": 1e-3}


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_out_of_memory_names_the_batch_that_fits(
    error: Exception, run_tiny: RunTiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, try_batch = TrainSteps.run, memory._try_batch

    def too_much(*_: Any) -> None:
        raise error

    def fits_below(loss: Any, flat: Any, corpus: Any, shape: Any) -> None:
        if shape.n_pieces > 256:
            raise torch.OutOfMemoryError("CUDA out of memory")
        try_batch(loss, flat, corpus, shape)

    monkeypatch.setattr(TrainSteps, "run", too_much)
    monkeypatch.setattr(memory, "_try_batch", fits_below)
    with pytest.raises(
        ModelError, match=r"with 16 windows a step; 4 fit.*--batch 4 --accumulate 4"
    ) as caught:
        run_tiny(tmp_path / "run", batch=16)
    assert_says_nothing(caught.value)
    monkeypatch.setattr(TrainSteps, "run", run)
    run_tiny(tmp_path / "run", resume=True, batch=4, accumulate=4)


def test_a_model_that_never_fits(run_tiny: RunTiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(TrainSteps, "run", too_much)
    monkeypatch.setattr(memory, "_try_batch", too_much)
    with pytest.raises(ModelError, match="even with one window"):
        run_tiny(tmp_path / "run")


@pytest.mark.parametrize("name", ["model.safetensors", "record.json", "checkpoint.pt"])
def test_a_full_disk(name: str, run_tiny: RunTiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_tiny(tmp_path / "whole", checkpoint_minutes=1e-9)
    write_bytes, save = Path.write_bytes, torch.save
    full = OSError(errno.ENOSPC, "No space left on device")

    def write(self: Path, data: bytes) -> int:
        if name in self.name and (name != "record.json" or b'"epoch": 1' in data):
            raise full
        return write_bytes(self, data)

    def save_checkpoint(state: Any, path: Any) -> None:
        if name in str(path):
            raise full
        save(state, path)

    monkeypatch.setattr(Path, "write_bytes", write)
    monkeypatch.setattr(torch, "save", save_checkpoint)
    with pytest.raises(
        ModelError, match=f"{name}: No space left on device; make room, then go on with --resume"
    ):
        run_tiny(tmp_path / "run", checkpoint_minutes=1e-9)
    assert not [path for path in (tmp_path / "run").iterdir() if "partial" in path.name]
    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    monkeypatch.setattr(torch, "save", save)
    resumed = run_tiny(tmp_path / "run", resume=True, checkpoint_minutes=1e-9)
    assert resumed.record["epochs"][-1]["train"] == whole.record["epochs"][-1]["train"]
    assert record.RECORD in {path.name for path in resumed.folder.iterdir()}


def test_a_damaged_checkpoint(run_tiny: RunTiny, tmp_path: Path) -> None:
    run = run_tiny(tmp_path / "run")
    (run.folder / "record.json").unlink()
    (run.folder / "checkpoint.pt").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot be read, or is of another model"):
        run_tiny(tmp_path / "run", resume=True)


def test_models_and_tokenizers_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="no model that transformers can load"):
        load_config(ModelSource(str(tmp_path)))
    with pytest.raises(ModelError, match="train it from scratch with --from-scratch"):
        load_config(ModelSource("bert-base"))
    with pytest.raises(ModelError, match="no folder, no model known by name"):
        load_config(ModelSource("nobody/nothing"))
    with pytest.raises(ConfigError, match="needs a tokenizer"):
        load_pieces(ModelSource("bert-base", scratch=True))
    with pytest.raises(ConfigError, match="did you mean"):
        ModelSource("bert-bas", scratch=True)


def test_a_window_that_the_model_has_no_positions_for(run_tiny: RunTiny, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="longer than this model's limit of 66"):
        run_tiny(tmp_path / "run", window=67)


def test_a_folder_with_another_body_is_refused(
    run_tiny: RunTiny, notes: list[Document], settings: TrainSettings, tmp_path: Path
) -> None:
    import json

    run = run_tiny(tmp_path / "run")
    config = json.loads((run.folder / "config.json").read_text("utf-8"))
    config["num_hidden_layers"] = 3
    (run.folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="of the encoder's tensors are missing"):
        fit(notes, [], RunRequest(str(run.folder)), settings, Launch(tmp_path / "next", device="cpu"))
