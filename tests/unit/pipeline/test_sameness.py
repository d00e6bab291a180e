"""Workers elsewhere: the files must be the same there, and what is found otherwise there is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.errors import ConfigError
from deidlab.execute import Completion, Local, Setup, Task
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.run.comparing import count_differences
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Span
from tests.unit.pipeline.notes import KEY, make_note, write_jsonl


def test_paths_become_whole_and_a_changed_list_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deny.txt").write_text("Okonjo\n")
    pinned = pin_finding(Finding(rules="only", deny=Path("deny.txt")))
    assert pinned.deny == tmp_path / "deny.txt" and pinned.mark
    monkeypatch.chdir("/")
    load_finding(pinned)
    (tmp_path / "deny.txt").write_text("Raman\n")
    with pytest.raises(ConfigError, match="not the same here"):
        load_finding(pinned)


def test_a_model_folder_is_told_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(200_000))
    first = pin_finding(Finding(str(tmp_path))).mark
    assert pin_finding(Finding(str(tmp_path))).mark == first
    (tmp_path / "weights").write_bytes(bytes(199_999) + b"\1")
    assert pin_finding(Finding(str(tmp_path))).mark != first
    assert pin_finding(Finding("en")).mark == pin_finding(Finding("es")).mark


def test_a_missing_list_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.txt"):
        pin_finding(Finding(rules="only", allow=Path("nowhere.txt")))


def test_a_gpu_that_is_not_there_is_one_line() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    with pytest.raises(ConfigError, match="no GPU is seen here"):
        load_finding(Finding("en", device="cuda"))


def test_spans_that_only_one_has() -> None:
    one = [Span(0, 3, "DATE", 0.9), Span(5, 8, "PATIENT")]
    assert count_differences(one, [Span(0, 3, "DATE", 0.8), Span(5, 8, "PATIENT")]) == (2, 0)
    assert count_differences(one, [Span(0, 3, "DATE"), Span(5, 9, "PATIENT")]) == (3, 2)
    assert count_differences([], []) == (0, 0)


@dataclass(frozen=True)
class Elsewhere:
    """An executor on another kind of processor, where every tenth span is not found."""

    inner: Local
    loses: bool = True

    def __call__(self, tasks: Iterable[Task[Any]], setup: Setup[Any, Any]) -> Iterator[Completion[Any]]:
        for number, done in enumerate(self.inner(tasks, setup)):
            rows = [
                replace(r, spans=r.spans[:-1]) if self.loses and hasattr(r, "spans") else r
                for r in done.results
            ]
            yield Completion(done.number, tuple(rows)) if number == 0 else done

    def read(self, *arguments: Any) -> Iterator[Task[Any]]:
        return self.inner.read(*arguments)

    def describe(self) -> dict[str, Any]:
        return {"engine": "ray", "workers": 1, "processors": ["abacus"]}


@pytest.mark.parametrize("loses", [True, False])
def test_the_share_that_differs_is_in_the_record(tmp_path: Path, loses: bool) -> None:
    source = write_jsonl((make_note(number) for number in range(5)), tmp_path / "n.jsonl", with_spans=False)
    settings = MaskSettings(load_policy("i2b2"), "tag", KEY)
    finding = Finding("en")
    job = MaskJob(
        SourceSettings(source), tmp_path / "out.jsonl", finding, settings, execute=Elsewhere(Local(), loses)
    )
    compared = mask_corpus(job).record["compared_with_here"]
    assert compared["notes"] == 5 and compared["spans"] >= 15
    assert (compared["differ"], compared["share"] > 0) == ((5, True) if loses else (0, False))
    alone = replace(job, destination=tmp_path / "here.jsonl", execute=None)
    assert "compared_with_here" not in mask_corpus(alone).record
