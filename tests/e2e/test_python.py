"""The laboratory from Python: what was trained is loaded, and is the run that the command would have made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")

import deidlab
from tests.unit.train.conftest import SMALL, make_notes

QUICK = {"epochs": 1, "batch": 4, "window": 48, "stride": 32}


def test_a_model_is_trained_loaded_and_studied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deidlab.write_corpus(make_notes(12, 1), "train.jsonl", "jsonl")
    Path("tiny").mkdir()
    Path("tiny", "config.json").write_text(json.dumps({"model_type": "bert", "vocab_size": 300} | SMALL))
    epochs: list[int] = []
    run = deidlab.train(
        "train.jsonl", "tiny", "run", validation_share=0.25, tokenizer="learn", from_scratch=True,
        settings=QUICK, device="cpu", on_epoch=lambda entry: epochs.append(entry["epoch"]),
    )  # fmt: skip
    assert (run.folder, epochs) == (Path("run"), [1])
    tool = deidlab.load(str(run.folder), rules="off")
    assert all(0 <= score <= 1 for _, _, score in tool.word_scores("Seen by Dr. Ames on 3/14/2071."))
    with pytest.raises(deidlab.DeidError, match="settings: "):
        deidlab.train("train.jsonl", "tiny", "other", settings={"epoch": 3})
    with pytest.raises(deidlab.DeidError, match=r"train\.jsonl"):
        deidlab.train("train.jsonl", "tiny", "train.jsonl", settings=QUICK)


def test_a_study_is_run_from_its_file_with_what_is_changed_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = Path("small.toml")
    study.write_text('[corpus]\npath = "elsewhere"\n[[models]]\nname = "tiny"\nmodel = "bert-base-cased"\n')
    with pytest.raises(deidlab.DeidError, match="'epoch'"):
        deidlab.run_study(study, changes={"settings.epoch": 1})
    with pytest.raises(deidlab.DeidError, match="no-such-corpus"):
        deidlab.run_study(study, corpora={"path": "no-such-corpus"}, changes={"settings.epochs": 1})
    assert Path("small-study").is_dir()
