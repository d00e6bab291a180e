"""A Ray cluster on this machine that can be harmed, and studies to run on it: for the tests of studies on Ray."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.study.records import StudyRecords
from tests.unit.study.builders import TINY, write_notes

STORE = 80 * 2**20
# What differs between two runs of the same thing: times, speeds, and who did it.
PASSING = {
    "started",
    "ended",
    "finished",
    "created",
    "opened_at",
    "time",
    "attempts",
    "speed",
    "peak_memory_bytes",
}


@dataclass
class Nodes:
    """A cluster: a head without room for runs, and nodes with room for one run each."""

    cluster: Any
    nodes: list[Any] = field(default_factory=list)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def close(self) -> None:
        """End the cluster, and any study that a failed test left on it."""
        for process in self.started:
            process.kill()
            process.wait()
        self.cluster.shutdown()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self) -> None:
        self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=STORE))

    def remove(self, place: int) -> None:
        self.cluster.remove_node(self.nodes.pop(place), allow_graceful=False)

    def raylet(self, place: int) -> int:
        return int(self.nodes[place].all_processes["raylet"][0].process.pid)

    def workers(self) -> list[int]:
        """The processes of workers that hold or open a workshop, on all nodes."""
        return [pid for place in range(len(self.nodes)) for pid in self.workers_of(place)]

    def workers_of(self, place: int) -> list[int]:
        return [pid for pid in children(self.raylet(place)) if command(pid).startswith("ray::Worker")]


def children(parent: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return []


def command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    with contextlib.suppress(OSError):
        return "State:\tZ" not in status.read_text()
    return False


def start_nodes() -> Nodes:
    """A cluster whose head alone is there yet."""
    from ray.cluster_utils import Cluster

    # A node that does not answer for some seconds is lost; Ray's own patience would make the tests long.
    patience = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000,
                "health_check_timeout_ms": 1000, "health_check_failure_threshold": 4}  # fmt: skip
    head = {
        "num_cpus": 0,
        "object_store_memory": STORE,
        "include_dashboard": False,
        "_system_config": patience,
    }
    return Nodes(Cluster(initialize_head=True, head_node_args=head))


STUDY = """
ensembles = ["mean"]
[corpus]
path = "notes.jsonl"
[split]
ratios = "50:25:25"
by = "document"
[settings]
batch = 4
learning_rate = 3e-3
window = 48
stride = 32
schedule = "constant"
warmup = 0.0
[run]
share = true
keep = "all"
[grid]
"""


def make_study(
    place: Path, seeds: int = 2, epochs: tuple[int, ...] = (3, 6), models: tuple[str, ...] = ("tiny",)
) -> Path:
    """The file of a study with runs of several lengths that share a training, for each of some seeds."""
    write_notes(place, 24, "jsonl")
    config = ", ".join(f"{key} = {json.dumps(value)}" for key, value in TINY.items())
    grid = f"seed = {list(range(1, seeds + 1))}\nepochs = {list(epochs)}\n"
    path = place / "small.toml"
    rows = "".join(f"[[models]]\nname = '{name}'\nconfig = {{ {config} }}\n" for name in models)
    path.write_text(STUDY + grid + rows)
    return path


def plain(value: Any) -> Any:
    """A record without what passes."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in PASSING and "second" not in key}
    return [plain(each) for each in value] if isinstance(value, list) else value


def everything(folder: Path) -> dict[str, Any]:
    """All that a study says: every record, and the bytes of weights and predictions."""
    said: dict[str, Any] = {}
    for path in sorted(folder.rglob("*.json")):
        said[str(path.relative_to(folder))] = plain(
            json.loads(path.read_text().replace(str(folder), "STUDY"))
        )
    said["selection.json"].pop("digest")
    for path in sorted((*folder.rglob("*.safetensors"), *folder.rglob("*.gz"))):
        said[str(path.relative_to(folder))] = path.read_bytes()
    return said


def same(records: StudyRecords, local: Path) -> None:
    found, wanted = everything(records.folder), everything(local)
    assert sorted(found) == sorted(wanted)
    assert [name for name in wanted if found[name] != wanted[name]] == []
    assert not (records.folder / "attempts").exists()
    assert not list((records.folder / "progress").glob("*"))


def start(nodes: Nodes, file: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    engine = ("--engine", "ray", "--address", nodes.address, "--device", "cpu")
    process = subprocess.Popen(
        [sys.executable, "-m", "deidlab", "study", "run", str(file), "--out", str(folder), *engine, *more],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    nodes.started.append(process)
    return process


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=170)
    return process.returncode, out, err


def wait_for(process: subprocess.Popen[str], found: Callable[[], Any], seconds: float = 100.0) -> Any:
    until = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < until and process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    return answer


def harm(nodes: Nodes, draw: random.Random, process: subprocess.Popen[str]) -> str:
    """Kill a worker, lose a node before or after another joins, or kill the study's own process."""
    what = draw.choice(("worker", "worker", "worker", "node", "node", "study"))
    pids = nodes.workers()
    if what == "worker" and pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(draw.choice(pids), signal.SIGKILL)
        return "worker killed"
    if what == "study":
        process.kill()
        process.communicate()
        return "study killed"
    if draw.random() < 0.5:
        nodes.add()
        nodes.remove(0)
        return "node joined, node lost"
    nodes.remove(draw.randrange(len(nodes.nodes)))
    time.sleep(draw.uniform(0.0, 2.0))
    nodes.add()
    return "node lost, node joined"


def run_with_harm(
    nodes: Nodes, file: Path, folder: Path, seed: int, n_harms: int, longest: float
) -> tuple[list[str], dict[str, bytes]]:
    """A study on its way to its end through harm at drawn moments; what was done, and what was complete then."""
    draw = random.Random(seed)
    done: list[str] = []
    kept: dict[str, bytes] = {}
    process = start(nodes, file, folder, "--tries", "50")
    while process.poll() is None and len(done) < n_harms:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.0, longest))
            break
        found = completions(folder)
        # What was complete before is there to the byte: nobody wrote it a second time.
        assert kept.items() <= found.items()
        kept = found
        done.append(harm(nodes, draw, process))
        if process.poll() is not None:
            process = start(nodes, file, folder, "--tries", "50")
    status, _, err = finish(process)
    assert status == 0, err
    return done, kept


def completions(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "completions").glob("[!.]*.json")}


def at_work(folder: Path, model: str, before: list[int]) -> int | None:
    """The process that is in the middle of a model's run, if it is none of those before."""
    for path in (folder / "attempts").glob(f"{model}-*/progress/[!.]*.json"):
        with contextlib.suppress(OSError, ValueError):
            pid = json.loads(path.read_text()).get("process")
            if pid and pid not in before:
                return int(pid)
    return None
