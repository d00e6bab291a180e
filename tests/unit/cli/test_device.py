"""`--device`: what a detector is told, on this machine and on a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.cli.app import run
from deidlab.cli.options.engine import EngineOptions, settle_device
from deidlab.detect import device
from deidlab.errors import UsageError
from deidlab.pipeline.settings import Finding
from tests.unit.pipeline.notes import make_note, write_jsonl

Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=[True, False], ids=["gpu", "no gpu"])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(device, "has_gpu", lambda: request.param)
    return bool(request.param)


def test_auto_takes_a_gpu_where_there_is_one(there: bool) -> None:
    assert settle_device(Finding(device="auto")).device == ("cuda" if there else "cpu")
    assert settle_device(Finding()).device == "cpu"


def test_a_gpu_that_is_not_there_is_wrong_usage(there: bool) -> None:
    if there:
        assert settle_device(Finding(device="cuda")).device == "cuda"
        return
    with pytest.raises(UsageError, match="no GPU here"):
        settle_device(Finding(device="cuda"))


def test_a_worker_with_a_part_of_a_gpu_uses_it_whatever_is_here(there: bool) -> None:
    engine = EngineOptions(engine="ray", gpus_per_worker=0.5)
    assert {engine.settle_device(Finding(device=name)).device for name in ("auto", "cpu", "cuda")} == {"cuda"}


def test_a_worker_of_a_cluster_without_a_gpu_has_none(there: bool) -> None:
    engine = EngineOptions(engine="ray")
    assert {engine.settle_device(Finding(device=name)).device for name in ("auto", "cpu")} == {"cpu"}
    with pytest.raises(UsageError, match="--gpus-per-worker"):
        engine.settle_device(Finding(device="cuda"))


def test_without_torch_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    assert not device.has_gpu()


@pytest.mark.parametrize("command", ["mask", "detect", "review"])
def test_the_commands_say_so_in_one_line(
    command: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "has_gpu", lambda: False)
    source = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    more = [] if command == "review" else ["--out", str(tmp_path / "out.jsonl")]
    assert run([command, str(source), *more, "--rules", "only", "--device", "cuda"]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert told[-1] == "deidlab: --device cuda: torch finds no GPU here; use --device cpu, or auto"
    assert run([command, str(source), *more, "--device", "gpu"]) == 2
    assert "--device: unknown value 'gpu'; known: auto, cpu, cuda" in capsys.readouterr().err
