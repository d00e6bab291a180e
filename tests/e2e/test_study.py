"""`deidlab study` as a person runs it: killed in the middle, taken up again, tests shut until selection."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.corpus import write_corpus
from deidlab.study.records import read_study
from tests.unit.study.builders import TINY, make_notes

QUICK = Path(__file__).parents[2] / "studies" / "quick.toml"
# The same file, cut down: two lengths of one setting for each of its three models, on few notes.
CUT = (
    "make.notes=40",
    "grid.epochs=[1, 2]",
    "grid.learning_rate=[4e-3]",
    "settings.validate_every=1",
    "run.processes=1",
)


def start(place: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "deidlab", "study", *arguments],
        cwd=place, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=170)
    return process.returncode, out, err


def wait_for(process: subprocess.Popen[str], found: Any, seconds: float = 100.0) -> None:
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until and process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def quick(*more: str) -> tuple[str, ...]:
    sets = (part for change in CUT for part in ("--set", change))
    return ("run", str(QUICK), "--out", "study", *sets, *more)


def completions(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "completions").glob("*.json")}


def children(process: subprocess.Popen[str]) -> list[int]:
    tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(each) for each in tasks.read_text().split()] if tasks.exists() else []


def alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, bytes], str]]:
    """The quick study, killed with SIGKILL once its first runs are complete, then run again to its end."""
    place = tmp_path_factory.mktemp("quick")
    process = start(place, *quick())
    wait_for(process, lambda: completions(place / "study"))
    workers = children(process)
    process.kill()
    process.communicate()
    until = time.monotonic() + 20
    while any(map(alive, workers)):
        assert time.monotonic() < until, "a worker outlived the study that started it"
        time.sleep(0.02)
    before = completions(place / "study")
    status, out, err = finish(start(place, *quick()))
    assert status == 0, err
    yield place, before, out


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_run_is_lost_or_repeated(killed: tuple[Path, dict[str, bytes], str]) -> None:
    place, before, out = killed
    after = completions(place / "study")
    assert 0 < len(before) < 6 == len(after)
    # What was complete when the kill came is there to the byte: it was not trained again.
    assert before.items() <= after.items()
    records = read_study(place / "study")
    assert len({(each.model, json.dumps(dict(each.settings))) for each in records.done}) == 6
    assert "bert-tiny" in out and "ensemble-mean" in out and "albert-tiny+rules" in out


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_the_whole_study_is_on_record(killed: tuple[Path, dict[str, bytes], str]) -> None:
    place, _, _ = killed
    records = read_study(place / "study")
    assert records.selection is not None
    names = ["bert-tiny", "roberta-tiny", "albert-tiny"]
    assert list(records.selection.choices) == names
    kinds = {test.name: test.kind for test in records.tests}
    assert kinds == (
        dict.fromkeys(names, "model") | {f"{name}+rules": "hybrid" for name in names}
        | {"ensemble-mean": "ensemble", "ensemble-vote": "ensemble"}
    )  # fmt: skip
    for test in records.tests:
        ids = {each.id for each in records.predictions(test.name, "test")}
        assert ids == set(records.study.split["test"])
    model = next(test for test in records.tests if test.name == "bert-tiny")
    speed = model.prediction
    assert (
        speed["first_window_only"]["windows"]
        == speed["all_windows"]["notes"]
        <= speed["all_windows"]["windows"]
    )
    # Selection came after every run, and every reading of a test note after selection.
    assert all(each.ended < records.selection.time < model.opened_at for each in records.completions)
    readings = [line for line in records.access if line["part"] == "test"]
    assert readings and all(line["time"] > records.selection.time and line["selected"] for line in readings)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_running_a_whole_study_again_does_nothing(killed: tuple[Path, dict[str, bytes], str]) -> None:
    place, _, _ = killed
    files = {path: path.stat().st_mtime_ns for path in (place / "study").rglob("*.json*")}
    status, out, err = finish(start(place, *quick("--json")))
    assert status == 0, err
    answer = json.loads(out)
    assert (answer["runs"], answer["failed"]) == (6, {})
    assert files == {path: path.stat().st_mtime_ns for path in (place / "study").rglob("*.json*")}
    status, _, err = finish(start(place, *quick("--set", "settings.batch=4")))
    assert (status, err.count("\n")) == (1, 1)
    assert "has changed since" in err


STUDY = """
[corpus]
path = "notes"
format = "i2b2"
[split]
ratios = "50:25:25"
by = "document"
[settings]
epochs = 2
batch = 4
learning_rate = 3e-3
window = 48
stride = 32
[grid]
seed = [1, 2]
[[models]]
name = "tiny"
"""


def write_study(place: Path) -> list[Path]:
    """A small study of files; the files of its test notes."""
    write_corpus(make_notes(24, 1), place / "notes", "i2b2")
    config = ", ".join(f"{key} = {json.dumps(value)}" for key, value in TINY.items())
    (place / "small.toml").write_text(f"{STUDY}config = {{ {config} }}\n")
    from deidlab.study.notes import deal_parts
    from deidlab.study.reading import read_spec

    ids = deal_parts(read_spec(place / "small.toml"), place).ids()["test"]
    (place / "access.jsonl").unlink()
    return [place / "notes" / f"{id}.xml" for id in ids]


def test_test_files_that_cannot_be_opened_are_missed_only_at_the_end(tmp_path: Path) -> None:
    files = write_study(tmp_path)
    kept = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
        path.symlink_to(tmp_path / "nowhere")
    status, _, err = finish(start(tmp_path, "run", "small.toml"))
    assert status == 1 and err.splitlines()[-1].startswith("deidlab: "), err
    folder = tmp_path / "small-study"
    assert len(completions(folder)) == 2
    assert (folder / "selection.json").is_file() and not (folder / "tests").exists()
    for path, data in kept.items():
        path.unlink()
        path.write_bytes(data)
    status, _, err = finish(start(tmp_path, "run", "small.toml"))
    assert status == 0, err
    assert [test.name for test in read_study(folder).tests] == ["tiny"]


def test_a_system_is_a_row_of_every_table_and_a_run_is_a_system(tmp_path: Path) -> None:
    write_study(tmp_path)
    toy = 'import json,sys\nfor line in sys.stdin: print(json.dumps({"id": json.loads(line)["id"], "spans": []}), flush=True)'
    (tmp_path / "toy.py").write_text(toy)
    with (tmp_path / "small.toml").open("a") as file:
        file.write(f'[[system]]\nname = "toy"\nsystem = "command:{sys.executable} {tmp_path / "toy.py"}"\n')
    few = ("--set", "grid.seed=[1]", "--set", "settings.epochs=1")
    status, _, err = finish(start(tmp_path, "run", "small.toml", *few))
    assert status == 0, err
    records = read_study(tmp_path / "small-study")
    assert {test.name: test.kind for test in records.tests} == {"tiny": "model", "toy": "system"}
    status, _, err = finish(start(tmp_path, "report", "small-study", "--out", "report", "--quiet"))
    assert status == 0, err
    tables = json.loads((tmp_path / "report" / "report.json").read_text())["tables"]
    beside = [
        key
        for key, table in tables.items()
        if {"tiny", "toy"} <= {str(row.get("model")) for row in table["rows"]}
    ]
    assert len(beside) > 3
    assert records.selection is not None
    trained = Path("small-study", "runs", records.selection.choices["tiny"].run)
    compared = subprocess.run(
        [sys.executable, "-m", "deidlab", "compare", "notes", "--system", f"Tiny=run:{trained}", "--system",
         "rules:en", "--resamples", "0", "--out", "compared", "--quiet"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert compared.returncode == 0, compared.stderr
    verdict = json.loads((tmp_path / "compared" / "report.json").read_text())["tables"]["verdict"]["rows"]
    assert [row["system"] for row in verdict] == ["Tiny", "rules:en"]
    assert verdict[0]["characters_per_second"] > 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_worker_that_dies_costs_one_run(tmp_path: Path) -> None:
    write_study(tmp_path)
    more = ("--set", "settings.epochs=60")
    process = start(tmp_path, "run", "small.toml", *more)
    folder = tmp_path / "small-study"

    def at_work() -> list[int]:
        said = [json.loads(path.read_text()) for path in folder.glob("attempts/*/progress/[!.]*.json")]
        return [each["process"] for each in said if "epoch" in each and alive(each["process"])]

    wait_for(process, at_work)
    os.kill(at_work()[0], signal.SIGKILL)
    wait_for(process, lambda: len(completions(folder)) == 1)
    wait_for(process, at_work)
    # A polite end, such as a cluster's time limit: a checkpoint is written, and nothing is lost.
    process.send_signal(signal.SIGTERM)
    status, _, err = finish(process)
    assert status == 130 and "go on with `deidlab study run small.toml" in err, err
    assert list((folder / "runs").glob("*/checkpoint.pt"))
    status, _, err = finish(start(tmp_path, "run", "small.toml", *more))
    assert status == 3, err
    records = read_study(folder)
    assert [each.is_done for each in records.completions].count(False) == 1
    assert records.selection is None and "nothing is selected before --retry" in err
    status, _, err = finish(
        start(tmp_path, "run", "small.toml", *more, "--retry", "--stop-after", "selection")
    )
    assert status == 0, err
    records = read_study(folder)
    assert len(records.done) == 2 and max(each.attempts for each in records.done) == 2
    assert records.selection is not None and not records.tests


def test_a_plan_counts_before_anything_is_trained(tmp_path: Path) -> None:
    write_study(tmp_path)
    status, out, err = finish(
        start(tmp_path, "plan", "small.toml", "--price", "2.5", "--json", "--device", "cpu")
    )
    assert status == 0, err
    plan = json.loads(out)
    assert (plan["total"]["runs"], plan["total"]["epochs"], plan["documents"]["train"]) == (2, 4, 12)
    assert plan["total"]["steps"] >= 4 and plan["total"]["money"] == pytest.approx(
        2.5 * plan["total"]["gpu_hours"]
    )
    assert plan["models"][0]["pieces_per_second"] > 0
    # The learned vocabulary of so few notes has a piece for every word.
    assert plan["models"][0]["pieces_per_word"] == 1.0
    assert plan["notes"] == ["tests are not counted"]
    assert not (tmp_path / "small-study").exists()
    status, out, err = finish(start(tmp_path, "plan", "small.toml", "--no-calibrate"))
    assert status == 0 and "tiny" in out


def test_wrong_asking_is_one_line(tmp_path: Path) -> None:
    write_study(tmp_path)
    for arguments, said in (
        (("run", "none.toml"), "No such file"),
        (("run", "small.toml", "--set", "setings.epochs=3"), "did you mean 'settings'"),
        (("run", "small.toml", "--stop-after", "selecting"), "did you mean selection"),
        (("plan", "small.toml", "--corpus", "tran=x"), "did you mean train"),
    ):
        status, _, err = finish(start(tmp_path, *arguments))
        assert (status, err.count("\n")) == (
            1 if arguments[1] == "none.toml" or "--set" in arguments else 2,
            1,
        ), err
        assert said in err
