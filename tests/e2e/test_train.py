"""`deidlab train` and `deidlab pretrain` as a person runs them, in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")

from deidlab.corpus import write_corpus
from tests.unit.train.conftest import SMALL, make_notes

QUICK = ("--epochs", "2", "--batch", "4", "--window", "48", "--stride", "32", "--learning-rate", "3e-3")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with notes to learn from and a tiny model's configuration."""
    write_corpus(make_notes(16, 1), tmp_path / "train.jsonl", "jsonl")
    write_corpus(make_notes(6, 2), tmp_path / "dev.jsonl", "jsonl")
    (tmp_path / "tiny").mkdir()
    config = {"model_type": "bert", "vocab_size": 300} | SMALL
    (tmp_path / "tiny" / "config.json").write_text(json.dumps(config))
    return tmp_path


def start(place: Path, *arguments: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "deidlab", *arguments],
        cwd=place, env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""} | env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def train(place: Path, out: str, *more: str, **env: str) -> subprocess.Popen[str]:
    asked = ("--model", "tiny", "--from-scratch", "--tokenizer", "learn", "--validation", "dev.jsonl")
    return start(place, "train", "train.jsonl", *asked, "--out", out, *QUICK, *more, **env)


def test_a_run_from_the_command_line(place: Path) -> None:
    status, out, err = finish(train(place, "run", "--json"))
    assert status == 0, err
    answer = json.loads(out)
    assert answer["run"] == "run"
    assert answer["speed"]["pieces_per_second"] > 0
    assert "epoch 2: loss" in err
    request = json.loads((place / "run" / "settings.json").read_text("utf-8"))
    assert request["settings"]["epochs"] == 2
    status, _, err = finish(train(place, "run"))
    assert (status, err.count("\n")) == (1, 1)
    assert "already there" in err


def test_ctrl_c_and_resume(place: Path) -> None:
    finish(train(place, "whole", "--epochs", "30"))
    process = train(place, "cut", "--epochs", "30")
    record = place / "cut" / "record.json"
    waited = time.monotonic() + 90
    while not (record.exists() and '"epoch": 1,' in record.read_text("utf-8")):
        assert time.monotonic() < waited and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    status, _, err = finish(process)
    assert status == 130, err
    assert err.rstrip().endswith("go on with `deidlab train --resume cut`")
    status, _, err = finish(start(place, "train", "--resume", "cut"))
    assert status == 0, err
    whole, cut = ((place / name / "model.safetensors").read_bytes() for name in ("whole", "cut"))
    assert whole == cut


def test_two_processes_train_one_model(place: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    both = [train(place, "run", RANK=str(rank), LOCAL_RANK=str(rank), **shared) for rank in range(2)]
    for process in both:
        status, _, err = finish(process)
        assert status == 0, err
    record = json.loads((place / "run" / "record.json").read_text("utf-8"))
    assert record["processes"] == 2
    losses = [epoch["train"]["loss"] for epoch in record["epochs"]]
    assert losses[1] < losses[0]


def test_pretraining_feeds_training(place: Path) -> None:
    asked = ("--model", "tiny", "--from-scratch", "--tokenizer", "learn", "--canaries", "2", "--epochs", "1")
    status, out, err = finish(
        start(
            place,
            "pretrain",
            "train.jsonl",
            *asked,
            "--out",
            "language",
            "--set",
            "window=48",
            "--set",
            "stride=46",
        )
    )
    assert status == 0, err
    assert "canaries" in out
    status, out, err = finish(
        start(place, "train", "train.jsonl", "--model", "language", "--out", "run", *QUICK)
    )
    assert status == 0, err


@pytest.mark.parametrize(
    ("arguments", "expected", "said"),
    [
        (("train",), 2, "deidlab train CORPUS --model M --out RUN"),
        (
            ("train", "dev.jsonl", "--model", "tiny", "--out", "r", "--set", "bach=3"),
            1,
            "did you mean 'batch'",
        ),
        (
            ("train", "dev.jsonl", "--model", "tiny", "--out", "r", "--preset", "meaney"),
            2,
            "did you mean meaney-2022",
        ),
        (("train", "none.jsonl", "--model", "tiny", "--out", "r"), 1, "no such file or folder"),
        (("train", "dev.jsonl", "--model", "tiny", "--out", "r", "--device", "tpu"), 1, "auto, cpu or cuda"),
        (("pretrain",), 2, "deidlab pretrain NOTES --model M --out RUN"),
    ],
)
def test_wrong_asking_is_one_line(place: Path, arguments: tuple[str, ...], expected: int, said: str) -> None:
    status, _, err = finish(start(place, *arguments))
    assert status == expected
    assert said in err
    assert err.count("\n") == 1
