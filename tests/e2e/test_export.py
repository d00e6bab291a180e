from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("onnxscript", reason="NEEDS .[export]")
pytest.importorskip("onnxruntime", reason="NEEDS .[export]")
pytest.importorskip("openvino", reason="NEEDS .[export]")
pytest.importorskip("nncf", reason="NEEDS .[export]")

from deidlab.corpus import write_corpus
from deidlab.detect.model import load_model
from deidlab.train import export as exporting
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from tests.e2e.command import deidlab, deidlab_process
from tests.unit.train.conftest import SMALL, make_notes

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was validated on notes which are still there."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "config").mkdir()
    (folder / "config" / "config.json").write_text(
        json.dumps({"model_type": "bert", "vocab_size": 300} | SMALL)
    )
    write_corpus(make_notes(6, 2), folder / "held.jsonl", "jsonl")
    request = RunRequest(
        model=str(folder / "config"), validation=str(folder / "held.jsonl"), scratch=True, tokenizer="learn"
    )
    settings = TrainSettings(
        epochs=4, batch=4, learning_rate=5e-3, window=48, stride=32, checkpoint_minutes=0.0
    )
    fit(make_notes(16, 1), make_notes(6, 2), request, settings, Launch(folder / "run", device="cpu"))
    return folder / "run"


def test_a_run_becomes_a_folder_and_a_table(run: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    done = deidlab(capsys, "export", run, "--format", "onnx", "--out", out)
    assert done.status == 0
    assert "validation notes" in done.err
    assert "strict F1" in done.out and "torch fp32" in done.out
    assert f"{out}: onnx fp32" in done.out
    assert load_model(out).tags


def test_the_same_as_json_in_a_process_of_its_own(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    held = run.parent / "held.jsonl"
    done = deidlab_process(
        "export", run, "--int8", "--corpus", held, "--limit", "4", "--out", out, "--json", timeout=150
    )
    assert (done.status, done.err) == (0, "")
    record = json.loads(done.out)
    assert (record["format"], record["asked"], record["fidelity"]["notes"]) == ("openvino", "int8", 4)
    assert json.loads((out / "export.json").read_text()) == {k: v for k, v in record.items() if k != "folder"}


def test_a_fall_back_is_told_and_is_no_failure(
    run: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "TOLERANCE", -0.001)
    done = deidlab(capsys, "export", run, "--int8", "--out", tmp_path / "out", "--quiet")
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith("int8 was not kept: its F1 of ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{tmp}", "--out", "{tmp}/out"], "no finished run is here"),
        (["{tmp}/absent", "--out", "{tmp}/out"], "no finished run is here"),
        (["{run}", "--out", "{tmp}/out", "--format", "openvine"], "did you mean openvino"),
        (["{run}", "--out", "{tmp}/out", "--format", "onnx", "--bf16"], "no bf16"),
        (["{run}", "--out", "{tmp}/out", "--int8", "--bf16"], "exclude each other"),
        (["{run}", "--out", "{run}"], "already there"),
        (["{run}", "--out", "{run}", "--overwrite"], "will not replace"),
        (["{run}", "--out", "{tmp}/out", "--corpus", "{tmp}/absent.jsonl"], "absent.jsonl"),
        (
            ["{run}", "--out", "{tmp}/out", "--format", "onnx", "--int8", "--int8-notes", "{held}"],
            "calibrate",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], words: str, run: Path, tmp_path: Path, capsys: Capture
) -> None:
    names = {"run": run, "tmp": tmp_path, "held": run.parent / "held.jsonl"}
    done = deidlab(capsys, "export", *(each.format(**names) for each in arguments))
    assert done.status == (2 if words in ("did you mean openvino", "exclude each other") else 1)
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("deidlab: ") and words in last
    assert not (tmp_path / "out").exists()
