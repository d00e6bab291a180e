"""Further pretraining: it learns the notes' language, resumes, feeds fine-tuning, and tells what it memorised."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from deidlab.encode.pieced import Cutting
from deidlab.encode.windows import IGNORED
from deidlab.train import loop as loop_module
from deidlab.train.canaries import plant_canaries
from deidlab.train.canary_codes import make_codes
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.pretrain import PretrainRun, pretrain
from deidlab.train.pretrain_settings import PretrainRequest, PretrainSettings, pretrain_settings_from
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.train.stopping import Interrupted
from deidlab.types import Document
from tests.unit.train.conftest import FAMILIES, make_notes


@pytest.fixture
def run_pretrain(make_config: Callable[[str], str]) -> Callable[..., PretrainRun]:
    def run(folder: Path, family: str = "bert", resume: bool = False, **changes: Any) -> PretrainRun:
        usual: dict[str, Any] = {
            "epochs": 2, "batch": 4, "learning_rate": 3e-3, "window": 48, "stride": 32, "checkpoint_minutes": 0.0,
            "validation_share": 0.2,
        }  # fmt: skip
        settings = pretrain_settings_from(usual | changes)
        request = PretrainRequest(make_config(family), scratch=True, tokenizer="learn")
        return pretrain(make_notes(16, 1), request, settings, Launch(folder, resume=resume, device="cpu"))

    return run


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_pretrains(
    family: str, run_pretrain: Callable[..., PretrainRun], tmp_path: Path
) -> None:
    record = run_pretrain(tmp_path / "run", family, epochs=4).record
    assert record["epochs"][-1]["validation"]["loss"] < record["validation_before"]["loss"]
    assert 0.1 < record["epochs"][0]["train"]["loss"] < 10


def test_a_pretrained_folder_can_be_fine_tuned(
    run_pretrain: Callable[..., PretrainRun], notes: list[Document], settings: TrainSettings, tmp_path: Path
) -> None:
    first = run_pretrain(tmp_path / "language")
    run = fit(notes, [], RunRequest(str(first.folder)), settings, Launch(tmp_path / "tagger", device="cpu"))
    assert not run.record["from_scratch"]
    before = load_file(first.folder / "model.safetensors")
    assert any(name.endswith("word_embeddings.weight") for name in before)


def test_an_interrupted_pretraining_resumes_to_the_same_weights(
    run_pretrain: Callable[..., PretrainRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_pretrain(tmp_path / "whole")
    after_step = loop_module.Loop._after_step

    def press_ctrl_c(loop: Any) -> None:
        if loop.progress.step == 3:
            signal.raise_signal(signal.SIGINT)
        after_step(loop)

    monkeypatch.setattr(loop_module.Loop, "_after_step", press_ctrl_c)
    with pytest.raises(Interrupted):
        run_pretrain(tmp_path / "cut")
    monkeypatch.setattr(loop_module.Loop, "_after_step", after_step)
    run_pretrain(tmp_path / "cut", resume=True)
    a, b = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "cut"))
    assert all(torch.equal(a[name], b[name]) for name in a)


def test_masks_are_drawn_anew_and_never_on_special_pieces(make_config: Callable[[str], str]) -> None:
    from deidlab.encode.pieced import piece_texts
    from deidlab.encode.pieces import WordPieces
    from deidlab.encode.windows import WindowShape
    from deidlab.train.masking import hide_for_good
    from deidlab.train.vocabulary import learn_pieces

    notes = make_notes(8, 3)
    pieces: WordPieces = learn_pieces(notes, "bert", 300)
    corpus = piece_texts(notes, Cutting(pieces, WindowShape(48, 46, pieces.prefix, pieces.suffix)))
    one, two = (hide_for_good(corpus, 0.15, pieces, seed) for seed in (1, 2))
    hidden = one.labels != IGNORED
    assert 0.08 < hidden.mean() < 0.22
    assert (one.ids[hidden] == pieces.hidden).all()
    assert (one.labels[hidden] == corpus.ids[hidden]).all()
    assert not (hidden & (corpus.ids == pieces.prefix[0])).any()
    assert (one.ids != two.ids).any()


def test_canaries_tell_what_was_memorised(run_pretrain: Callable[..., PretrainRun], tmp_path: Path) -> None:
    run = run_pretrain(tmp_path / "run", canaries=4, epochs=60, validation_share=0.0, learning_rate=5e-3)
    found = run.record["canaries"]
    assert found["after"]["canaries"] == 4
    seen_often = found["after"]["exposure_by_times_seen"]["64"]
    assert seen_often > found["before"]["exposure_by_times_seen"]["64"]
    assert seen_often > 4 > found["after"]["exposure_by_times_seen"]["0"]
    assert found["after"]["held_out"] == 4
    card = (run.folder / "README.md").read_text("utf-8")
    assert "made-up secrets" in card
    for canary in make_codes(4, 1):
        name = canary.surroundings.before.split()[1]
        assert name not in card + (run.folder / "record.json").read_text("utf-8")


def test_canaries_are_the_same_for_the_same_seed() -> None:
    assert make_codes(6, 1) == make_codes(6, 1) != make_codes(6, 2)
    canaries = make_codes(4, 1)
    assert [canary.times for canary in canaries] == [1, 4, 16, 64, 0, 0, 0, 0]
    assert len(plant_canaries(canaries)) == 1 + 4 + 16 + 64


def test_the_card_warns(run_pretrain: Callable[..., PretrainRun], tmp_path: Path) -> None:
    run = run_pretrain(tmp_path / "run", epochs=1)
    card = (run.folder / "README.md").read_text("utf-8")
    assert "treat them as you treat the notes" in card
    assert "what was memorised was not measured" in card
    assert json.loads((run.folder / "record.json").read_text("utf-8"))["kind"] == "pretraining"


def test_impossible_settings_are_refused() -> None:
    from deidlab.errors import ConfigError

    with pytest.raises(ConfigError, match="mask_share"):
        PretrainSettings(mask_share=0.0)
    with pytest.raises(ConfigError, match="did you mean 'canaries'"):
        pretrain_settings_from({"canarys": 3})
