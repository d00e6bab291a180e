"""A model architecture is a config.json: what transformers knows is counted and trained without a line of code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")

import deidlab
from deidlab.zoo.sources import open_tensors
from tests.unit.train.conftest import SMALL, make_notes

# RoFormer: an encoder that no file of DeidLab's names.
TOY = {"model_type": "roformer", "vocab_size": 300, "embedding_size": 32} | SMALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "config.json").write_text(json.dumps(TOY))
    return tmp_path / "toy"


def test_no_file_of_deidlab_names_it() -> None:
    source = Path(deidlab.__file__).parent
    named = [path for path in source.rglob("*.py") if "roformer" in path.read_text("utf-8").lower()]
    assert named == []


def test_its_parameters_are_counted(folder: Path) -> None:
    listed = open_tensors(str(folder), "token", 5)
    assert any("roformer" in tensor.name for tensor in listed.tensors)


def test_it_is_trained_and_masks(folder: Path, tmp_path: Path) -> None:
    deidlab.write_corpus(make_notes(8, 1), tmp_path / "notes.jsonl", "jsonl")
    run = deidlab.train(
        tmp_path / "notes.jsonl", folder, tmp_path / "run", tokenizer="learn", from_scratch=True, device="cpu",
        settings={"epochs": 1, "batch": 4, "window": 48, "stride": 32},
    )  # fmt: skip
    tool = deidlab.load(str(run.folder), "off")
    assert len(tool.word_scores("Seen by Dr. Ames.")) == 6
