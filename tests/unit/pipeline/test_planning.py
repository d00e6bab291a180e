"""Measured costs to forecasts; counting a source without reading it; a sample measured for real."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.corpus import write_corpus
from deidlab.corpus.database_url import parse_place
from deidlab.corpus.format import Counted
from deidlab.errors import ConfigError, CorpusError
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.plan.counting import count_source
from deidlab.pipeline.plan.forecasting import (
    EFFICIENCY,
    cluster,
    efficiency,
    forecast,
    idle_machine,
    is_busy,
    this_machine,
    useful_workers,
)
from deidlab.pipeline.plan.measuring import (
    FINDING,
    MASKING,
    SETTLING,
    WRITING,
    Measured,
    Stage,
    _fit,
    _Point,
    measure_sample,
)
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import KEY, make_note, write_jsonl

MEASURED = Measured(
    n_notes=2000,
    n_failed=0,
    characters=900,
    workers=2,
    cores=2,
    stages={
        FINDING: Stage(1.0, 0.0012, 0.0001, 0.0020),
        SETTLING: Stage(0.0, 0.00005, 0.00005, 0.0),
        MASKING: Stage(0.5, 0.0004, 0.00005, 0.0006),
        WRITING: Stage(0.0, 0.0001, 0.0001, 0.0),
    },
    driver_bytes=60_000_000,
    worker_bytes=70_000_000,
    state_bytes=4000,
    part_bytes=4000,
    output_bytes=1000,
    record_bytes=1000,
    busy=0.1,
)


def test_on_this_machine_the_sample_s_clock_decides() -> None:
    plan = forecast(MEASURED, 1_000_000, this_machine(MEASURED, 2, price_per_hour=3.6))
    assert plan.seconds == pytest.approx({FINDING: 1200, SETTLING: 50, MASKING: 400, WRITING: 100})
    assert plan.total_seconds == pytest.approx(1751.5)
    assert plan.cost == pytest.approx(1.7515)
    assert plan.driver_bytes == 76_000_000 and plan.node_bytes == 140_000_000
    assert plan.disk_bytes == {"state": 4 * 10**9, "parts": 4 * 10**9, "output": 10**9, "record": 10**9}
    assert json.dumps(plan.as_dict())


def test_longer_notes_take_longer() -> None:
    here = this_machine(MEASURED, 2)
    once, twice = (forecast(MEASURED, 10_000, here, longer) for longer in (1, 2))
    assert sum(twice.seconds.values()) == pytest.approx(2 * sum(once.seconds.values()))
    assert twice.disk_bytes["state"] == 2 * once.disk_bytes["state"]


def test_more_machines_help_until_the_process_that_reads_is_the_limit() -> None:
    few, many, more = (forecast(MEASURED, 10**8, cluster(nodes, 8)) for nodes in (1, 2, 40))
    assert few.limits[FINDING] == "cores" or few.limits[FINDING] == "workers"
    assert many.seconds[FINDING] == pytest.approx(10**8 * 0.0020 / (15 * EFFICIENCY))
    assert (more.limits[FINDING], more.limits[MASKING]) == ("this process", "this process")
    assert more.seconds[FINDING] == pytest.approx(10**8 * 0.0001)
    assert more.seconds[WRITING] == few.seconds[WRITING]
    assert useful_workers(MEASURED) == round(0.0020 / (0.0001 * EFFICIENCY))


def test_gpus_are_taken_at_their_word() -> None:
    with pytest.raises(ConfigError, match="--gpu-speed"):
        cluster(2, 8, gpus=1)
    plan = forecast(MEASURED, 10**6, cluster(2, 8, gpus=2, gpu_speed=500))
    assert plan.seconds[FINDING] == pytest.approx(10**6 / 2000) and plan.limits[FINDING] == "GPUs"
    fast = forecast(MEASURED, 10**6, cluster(2, 8, gpus=2, gpu_speed=10**6))
    assert fast.limits[FINDING] == "this process"


def test_fewer_workers_here_are_slower() -> None:
    two, one = (forecast(MEASURED, 10**6, this_machine(MEASURED, n)) for n in (2, 1))
    assert one.seconds[FINDING] == pytest.approx(10**6 * 0.0020 / efficiency(MEASURED, FINDING))
    assert one.total_seconds > two.total_seconds


def test_others_work_does_not_count_on_an_idle_machine() -> None:
    slow = {name: replace(stage, wall=8 * stage.wall) for name, stage in MEASURED.stages.items()}
    busy = replace(MEASURED, stages=slow, busy=12.0)
    assert is_busy(busy) and not is_busy(MEASURED)
    idle, quiet = (
        forecast(busy, 10**6, idle_machine(busy, 2)),
        forecast(MEASURED, 10**6, this_machine(MEASURED, 2)),
    )
    assert idle.total_seconds == pytest.approx(quiet.total_seconds, rel=0.15)
    assert forecast(busy, 10**6, this_machine(busy, 2)).total_seconds > 7 * quiet.total_seconds


def test_a_line_through_what_was_seen() -> None:
    points = [_Point(n, 3.0 + 0.002 * n if n else 0.0, 0.001 * n, 5 + 0.004 * n) for n in range(0, 1001, 100)]
    found = _fit(points)
    assert (found.start, found.wall, found.driver, found.worker) == pytest.approx((3.0, 0.002, 0.001, 0.004))
    assert _fit(points[:1]).wall == 0 and _fit(points[:2]).wall > 0


def notes(n_notes: int) -> list[Document]:
    """The first hundred are half as long as the others."""
    return [Document(f"n{n:04}", f"p{n // 3}", "Seen. " * (50 if n < 100 else 100)) for n in range(n_notes)]


@pytest.mark.parametrize(("format", "name"), [("txt", "notes"), ("jsonl", "notes.jsonl"), ("brat", "marked")])
def test_counting_files_and_lines(tmp_path: Path, format: str, name: str) -> None:
    write_corpus(notes(300), tmp_path / name, format)
    found = count_source(SourceSettings(tmp_path / name), 100)
    assert found is not None and found.n_notes == 300 and found.exact
    assert found.longer == pytest.approx(5 / 3, rel=0.2)
    assert count_source(SourceSettings(tmp_path / name), 1000) == Counted(300)


def test_counting_tables(tmp_path: Path) -> None:
    for format in ("parquet", "csv"):
        write_corpus(notes(300), tmp_path / f"n.{format}", format)
    assert count_source(SourceSettings(tmp_path / "n.parquet"), 100) == Counted(300)
    assert count_source(SourceSettings(tmp_path / "n.csv"), 1000) == Counted(300)
    about = count_source(SourceSettings(tmp_path / "n.csv"), 100)
    assert about is not None and not about.exact and 300 < about.n_notes < 600
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
        db.executemany("INSERT INTO t VALUES (?, 'x')", [(n,) for n in range(70)])
    place = parse_place(f"sqlite:///{tmp_path}/a.db?table=t")
    assert count_source(SourceSettings(place.stand_in, table=place), 100) == Counted(70)
    write_corpus(notes(3), tmp_path / "n.conll", "conll")
    assert count_source(SourceSettings(tmp_path / "n.conll"), 100) is None


def make_job(source: Path) -> MaskJob:
    settings = MaskSettings(load_policy("i2b2"), "tag", KEY)
    return MaskJob(
        SourceSettings(source), source.with_name("never.jsonl"), Finding(None, "only"), settings, workers=2
    )


def test_a_sample_is_masked_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    source = write_jsonl((make_note(n) for n in range(1000)), tmp_path / "n.jsonl", with_spans=False)
    found = measure_sample(make_job(source), 400)
    assert (found.n_notes, found.n_failed, found.workers) == (400, 0, 2)
    assert found.characters == pytest.approx(68, abs=5)
    assert list(found.stages) == [FINDING, SETTLING, MASKING, WRITING]
    for stage in found.stages.values():
        assert stage.wall >= 0 and stage.driver >= 0
    assert found.stages[FINDING].wall > 0
    assert found.state_bytes > 100 and found.part_bytes > 100 and found.output_bytes > 50 < found.record_bytes
    assert found.driver_bytes > 10**7
    assert not list((tmp_path / "tmp").iterdir()) and [p.name for p in tmp_path.iterdir() if p.is_file()] == [
        "n.jsonl"
    ]


def test_a_sample_that_cannot_be_masked(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text('{"id": "a"}\n' * 3)
    with pytest.raises(CorpusError, match="nothing to plan with"):
        measure_sample(make_job(tmp_path / "n.jsonl"), 100)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_jsonl((make_note(n) for n in range(900)), tmp_path / "n.jsonl", with_spans=False)
    usual = ("mask", source, "--plan", "--rules", "only", "--sample", "640", "--workers", "2")
    done = deidlab(
        capsys,
        *usual,
        "--json",
        "--notes",
        "100000000",
        "--nodes",
        "10",
        "--cores",
        "32",
        "--price-per-hour",
        "1.5",
    )
    assert done.status == 0, done.err
    answer = json.loads(done.out)
    here, *_, there = answer["forecasts"]
    assert (here["n_notes"], there["machines"]["nodes"], there["machines"]["workers"]) == (10**8, 10, 319)
    assert there["total_seconds"] < here["total_seconds"] and here["cost"] is None
    assert there["cost"] == pytest.approx(10 * 1.5 * there["total_seconds"] / 3600)
    assert any("split the corpus by patient" in line for line in answer["assumptions"])
    shown = deidlab(capsys, *usual, "--sample", "60")
    assert "900 notes" in shown.out and "this machine" in shown.out and "- measured: 60 notes" in shown.out
    assert [path.name for path in tmp_path.iterdir()] == ["n.jsonl"]


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        (("--nodes", "2", "--gpus", "1"), 1, "--gpu-speed"),
        (("--nodes", "2"), 1, "too small to tell"),
        (("--cores", "4"), 2, "--nodes"),
        (("--nodes", "2", "--gpu-speed", "3"), 2, "--gpus"),
    ],
)
def test_what_cannot_be_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], status: int, said: str
) -> None:
    source = write_jsonl((make_note(number) for number in range(9)), tmp_path / "n.jsonl")
    done = deidlab(capsys, "mask", source, "--plan", "--rules", "only", *more)
    assert done.status == status and said in done.err
    done = deidlab(capsys, "mask", source, "--out", tmp_path / "o.jsonl", "--notes", "5")
    assert done.status == 2 and "--plan" in done.err
    write_corpus(notes(3), tmp_path / "n.conll", "conll")
    done = deidlab(capsys, "mask", tmp_path / "n.conll", "--plan", "--rules", "only", "-q")
    assert done.status == 1 and "--notes N" in done.err
