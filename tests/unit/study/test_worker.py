"""What a far worker looks at before it works, without a cluster."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.cli.app import run
from deidlab.errors import ConfigError
from deidlab.study import worker
from deidlab.study.folder import ATTEMPTS, write_whole
from deidlab.study.spec import CorpusSpec
from deidlab.study.worker import SEEN, Surroundings, agree_on_notes
from tests.unit.study.builders import make_spec


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    monkeypatch.setattr(worker, "_APPEARS_SECONDS", 0.0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    write_whole(tmp_path / "study" / ATTEMPTS / SEEN, b"mark")
    spec = replace(make_spec(), corpus=CorpusSpec(path="notes"))
    return Surroundings.of(spec, Path("study"), "mark")


def test_what_a_node_lacks_is_said(surroundings: Surroundings, tmp_path: Path) -> None:
    assert surroundings() == ""
    # Another study's folder under the same path, or none.
    for other in (
        replace(surroundings, mark="other"),
        replace(surroundings, here=str(tmp_path / "elsewhere")),
    ):
        assert other().startswith("does not see") and "where every node has it" in other()
    (tmp_path / "notes").rmdir()
    assert surroundings() == f"does not see {tmp_path / 'notes'}"


def test_workers_that_have_other_notes_do_not_train(tmp_path: Path) -> None:
    class Shop:
        folder = tmp_path

        def __init__(self, name: str, digest: str) -> None:
            self.out = tmp_path / ATTEMPTS / name
            self.digest = digest

        def describe_parts(self) -> dict[str, Any]:
            return {"train": {"digest": self.digest, "documents": 3}}

    agree_on_notes(Shop("a", "sha256:1"))
    agree_on_notes(Shop("b", "sha256:1"))
    with pytest.raises(ConfigError, match="do not have the same notes"):
        agree_on_notes(Shop("c", "sha256:2"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--engine", "spark"), "unknown engine 'spark'; known: local, ray"),
        (("--address", "auto"), "are for --engine ray"),
        (("--gpus-per-run", "0.5"), "are for --engine ray"),
    ],
)
def test_wrong_asking_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text("[make]\nnotes = 10\n[[models]]\nname = 'bert'\nmodel = 'bert-base-uncased'\n")
    assert run(["study", "run", str(file), *asked]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_without_ray_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    file = tmp_path / "small.toml"
    file.write_text("[make]\nnotes = 10\n[[models]]\nname = 'bert'\nmodel = 'bert-base-uncased'\n")
    assert run(["study", "run", str(file), "--out", str(tmp_path / "study"), "--engine", "ray"]) == 1
    assert "needs the 'ray' extra: pip install " in capsys.readouterr().err
    assert not (tmp_path / "study" / ATTEMPTS).exists()
