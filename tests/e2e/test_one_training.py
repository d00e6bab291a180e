"""`deidlab train` and `deidlab study run` with the same settings: one training, the same weights bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.corpus import write_corpus
from tests.unit.study.builders import TINY, make_notes

SETTINGS = (
    "epochs=2", "batch=4", "learning_rate=3e-3", "window=48", "stride=32", "swaps=2", "hide_pieces=0.1",
    "shapes=true", "keep=last",
)  # fmt: skip


def deidlab(place: Path, *arguments: str) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "deidlab", *arguments],
        cwd=place, env=environment, text=True, capture_output=True, timeout=170, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_run_of_train_and_a_run_of_a_study_have_equal_weights(tmp_path: Path) -> None:
    for part, seed in (("train", 1), ("validation", 2), ("test", 3)):
        write_corpus(make_notes(12, seed), tmp_path / f"{part}.jsonl", "jsonl")
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text(json.dumps(TINY))
    values = "\n".join(f'{key} = "last"' if key == "keep" else f"{key} = {value}"
                       for key, value in (each.split("=") for each in SETTINGS))  # fmt: skip
    (tmp_path / "study.toml").write_text(
        f"""
[corpus]
train = "train.jsonl"
validation = "validation.jsonl"
test = "test.jsonl"
[settings]
{values}
[[models]]
name = "tiny"
model = "tiny"
scratch = true
tokenizer = "learn"
"""
    )
    sets = (part for each in SETTINGS for part in ("--set", each))
    deidlab(tmp_path, "train", "train.jsonl", "--validation", "validation.jsonl", "--model", "tiny",
            "--from-scratch", "--tokenizer", "learn", "--device", "cpu", "--out", "alone", *sets)  # fmt: skip
    deidlab(tmp_path, "study", "run", "study.toml", "--out", "study", "--device", "cpu")
    (run,) = (tmp_path / "study" / "runs").iterdir()
    for name in ("model.safetensors", "tokenizer.json", "tagger.json"):
        assert (run / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
    ours, theirs = (json.loads((each / "record.json").read_text()) for each in (run, tmp_path / "alone"))
    # Swapped copies are no notes: they are in nobody's figures.
    for key in ("train", "validation", "corpus", "validation_corpus"):
        assert ours[key] == theirs[key], key
    assert ours["corpus"]["documents"] == 12
