"""`deidlab study run --engine ray` on a cluster of several nodes: the same study as on one machine, although
workers are killed and nodes are lost for real, at moments that are drawn."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")
pytest.importorskip("ray", reason="ray is not installed: pip install '.[ray]'")
if sys.platform != "linux":
    pytest.skip("looks for processes in /proc", allow_module_level=True)

from deidlab.errors import ConfigError
from deidlab.execute.ray.actors import Actors
from deidlab.execute.ray.cluster import connect
from deidlab.execute.ray.settings import RaySettings
from deidlab.study.reading import read_spec
from deidlab.study.records import read_study
from deidlab.study.run_options import ClusterOptions, RunOptions
from deidlab.study.running import Snapshot, run_study
from tests.e2e.ray_studies import (
    STORE,
    Nodes,
    at_work,
    completions,
    finish,
    is_alive,
    make_study,
    run_with_harm,
    same,
    start,
    start_nodes,
    wait_for,
)
from tests.unit.study.builders import NAMES


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = start_nodes()
    try:
        made.add()
        made.add()
        yield made
    finally:
        made.close()


@pytest.fixture
def whole(nodes: Nodes) -> Nodes:
    """The cluster with two nodes, whatever a test before did to it."""
    while len(nodes.nodes) < 2:
        nodes.add()
    return nodes


def far(nodes: Nodes, **options: Any) -> RunOptions:
    return RunOptions(device="cpu", cluster=ClusterOptions(nodes.address), **options)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A study's file, and its folder as one machine fills it."""
    place = tmp_path_factory.mktemp("local")
    file = make_study(place)
    run_study(read_spec(file), place / "study", RunOptions(device="cpu", processes=1))
    return file, place / "study"


def test_a_study_on_a_cluster_is_the_study_of_one_machine(
    whole: Nodes, local: tuple[Path, Path], tmp_path: Path
) -> None:
    file, folder = local
    shown: list[Snapshot] = []
    records = run_study(read_spec(file), tmp_path / "study", far(whole), shown.append)
    same(records, folder)
    assert len(records.done) == 4 and max(snapshot.n_workers for snapshot in shown) == 2
    # Every reading of a test note came after the selection, as on one machine.
    assert records.selection is not None
    readings = [line for line in records.access if line["part"] == "test"]
    assert readings and all(line["time"] > records.selection.time and line["selected"] for line in readings)
    # Nothing of a note is in Ray's logs, or in what else it keeps on disk.
    kept = [
        path for path in Path(whole.cluster.head_node.get_session_dir_path()).rglob("*") if path.is_file()
    ]
    assert len(kept) > 10
    texts = [path.read_bytes() for path in kept]
    assert not [name for name in NAMES for text in texts if name.encode() in text]


def test_each_run_is_there_once_although_workers_and_nodes_go(
    whole: Nodes, local: tuple[Path, Path], tmp_path: Path
) -> None:
    file, folder = local
    done, kept = run_with_harm(whole, file, tmp_path / "study", seed=1, n_harms=3, longest=4.5)
    assert len(done) == 3
    assert kept.items() <= completions(tmp_path / "study").items()
    same(read_study(tmp_path / "study"), folder)


def test_a_run_that_kills_its_worker_each_time_is_listed_and_the_rest_goes_on(
    whole: Nodes, tmp_path: Path
) -> None:
    file = make_study(tmp_path, 1, (60,), models=("good", "poisoned"))
    file.write_text(file.read_text().replace("name = 'good'", "name = 'good'\ngrid = { epochs = [2] }"))
    folder = tmp_path / "study"
    process = start(whole, file, folder, "--tries", "2")
    killed: list[int] = []
    while len(killed) < 2:
        pid = wait_for(process, lambda: at_work(folder, "poisoned", killed))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)
    status, _, err = finish(process)
    assert status == 3 and "failed: poisoned-" in err and "without an answer" in err, err
    records = read_study(folder)
    assert {each.model: (each.is_done, each.attempts) for each in records.completions} == {
        "good": (True, 1),
        "poisoned": (False, 2),
    }
    assert records.selection is None and not (folder / "attempts").exists()


def test_a_node_that_does_not_see_the_folder_is_named_at_the_start(
    whole: Nodes, local: tuple[Path, Path], tmp_path: Path
) -> None:
    # The same path leads each process to a folder of its own, or to none.
    opened = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(
            ConfigError, match=r"^node \S+ does not see \S+study: put the study's folder where"
        ):
            run_study(read_spec(local[0]), Path(f"/proc/self/fd/{opened}/study"), far(whole))
    finally:
        os.close(opened)
    assert not (tmp_path / "study" / "completions").exists()


def test_wrong_asking_is_one_line(whole: Nodes, local: tuple[Path, Path], tmp_path: Path) -> None:
    spec = read_spec(local[0])
    for options, said in (
        (ClusterOptions(whole.address, cpus=64), "no node of the cluster has 64 CPUs for a run"),
        (ClusterOptions(whole.address, gpus=0.5), "no node of the cluster has 1 CPUs and 0.5 GPUs"),
        (ClusterOptions("127.0.0.1:1"), "no Ray answers at 127.0.0.1:1"),
    ):
        with pytest.raises(ConfigError, match=said) as caught:
            run_study(spec, tmp_path / "study", RunOptions(cluster=options))
        assert "\n" not in str(caught.value)
    for options, device in (
        (ClusterOptions(whole.address, gpus=1), "cpu"),
        (ClusterOptions(whole.address), "cuda"),
    ):
        with pytest.raises(ConfigError, match=r"GPU|gpus"):
            run_study(spec, tmp_path / "study", RunOptions(device=device, cluster=options))
    assert not (tmp_path / "study" / "attempts").exists()


@pytest.mark.slow
def test_halving_goes_from_rung_to_rung_as_on_one_machine(whole: Nodes, tmp_path: Path) -> None:
    file = make_study(tmp_path, 4, (8,))
    file.write_text(file.read_text().replace("[grid]", "[halving]\neta = 2\nmin_epochs = 2\n[grid]"))
    run_study(read_spec(file), tmp_path / "local", RunOptions(device="cpu", processes=1))
    records = run_study(read_spec(file), tmp_path / "study", far(whole))
    # A rung that takes up the one below begins where that ended.
    assert {each.rung for each in records.done} == {1, 2, 3}
    same(records, tmp_path / "local")


def test_two_runs_share_a_gpu_where_each_takes_half(whole: Nodes) -> None:
    """The scheduler's part, which needs no real GPU."""

    class Seat:
        def __init__(self) -> None:
            self.facts = {"gpu": os.environ["CUDA_VISIBLE_DEVICES"]}

        def __call__(self, value: Any) -> Any:
            return value

    node = whole.cluster.add_node(num_cpus=4, num_gpus=1, object_store_memory=STORE)
    try:
        with connect(whole.address) as cluster:
            # Here and not in a module: so it travels by value.
            actors = Actors(cluster.ray, RaySettings(whole.address, gpus=0.5), ByValue(Seat))
            assert actors.room() == 2
            started = [actors.start() for _ in range(3)]
            words: list[Any] = []

            def hear(n_words: int) -> None:
                until = time.monotonic() + 60
                while len(words) < n_words and time.monotonic() < until:
                    words.extend(actors.wait(started, 0.5))

            hear(2)
            words += actors.wait(started, 1.0)
            assert [(word.kind, word.value["gpu"]) for word in words] == [("ready", "0")] * 2
            # Where one goes, the third has its place.
            actors.end(words[0].worker)
            hear(3)
            assert {id(word.worker) for word in words} == {id(each) for each in started}
            for each in started:
                actors.end(each)
    finally:
        whole.cluster.remove_node(node)


class ByValue:
    """A start-up that no module of a worker has."""

    def __init__(self, start: Any) -> None:
        from ray import cloudpickle

        self._data = cloudpickle.dumps(start)

    def __reduce__(self) -> Any:
        import pickle

        return pickle.loads, (self._data,)


@pytest.mark.slow
def test_a_run_that_was_given_a_gpu_does_not_train_beside_it(whole: Nodes, tmp_path: Path) -> None:
    file = make_study(tmp_path)
    node = whole.cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=STORE)
    try:
        with pytest.raises(ConfigError, match="no GPU can be used here"):
            run_study(read_spec(file), tmp_path / "study", RunOptions(cluster=ClusterOptions(whole.address)))
    finally:
        whole.cluster.remove_node(node)


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_each_run_is_there_once_at_fifty_moments(
    whole: Nodes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("fifty")
    file = make_study(place, 4, (15, 30))
    run_study(read_spec(file), place / "local", RunOptions(device="cpu", processes=1))
    harms: list[str] = []
    seed = 0
    while len(harms) < 50:
        seed += 1
        folder = place / f"study-{seed}"
        done, kept = run_with_harm(whole, file, folder, seed, n_harms=10, longest=5.0)
        assert kept.items() <= completions(folder).items()
        same(read_study(folder), place / "local")
        harms += done
    counts = {what: harms.count(what) for what in sorted(set(harms))}
    sys.stderr.write(f"\n{len(harms)} moments in {seed} studies of 8 runs: {counts}\n")


@pytest.mark.slow
def test_a_worker_that_is_only_cut_off_cannot_write_late(
    whole: Nodes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("cut")
    file = make_study(place, 1, (60,))
    run_study(read_spec(file), place / "local", RunOptions(device="cpu", processes=1))
    folder = place / "study"
    process = start(whole, file, folder)
    pid = wait_for(process, lambda: at_work(folder, "tiny", []))
    node = next(node for node in range(len(whole.nodes)) if pid in whole.workers_of(node))
    raylet = whole.raylet(node)
    # Neither the node nor its worker answers any more, and both live on.
    os.kill(raylet, signal.SIGSTOP)
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(process, lambda: at_work(folder, "tiny", [pid]))
        assert is_alive(pid)
        os.kill(pid, signal.SIGCONT)
        until = time.monotonic() + 20
        while is_alive(pid):
            assert time.monotonic() < until, "a worker without a lease works on"
            time.sleep(0.05)
        status, _, err = finish(process)
    finally:
        os.kill(raylet, signal.SIGKILL)
        whole.nodes.pop(node)
    assert status == 0, err
    same(read_study(folder), place / "local")


@pytest.mark.slow
def test_a_polite_end_leaves_a_checkpoint_and_one_machine_goes_on(
    whole: Nodes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("polite")
    file = make_study(place, 2, (60, 120))
    run_study(read_spec(file), place / "local", RunOptions(device="cpu", processes=1))
    folder = place / "study"
    process = start(whole, file, folder)
    wait_for(process, lambda: at_work(folder, "tiny", []))
    process.send_signal(signal.SIGTERM)
    status, _, err = finish(process)
    assert status == 130 and "go on with `deidlab study run" in err, err
    assert list((folder / "runs").glob("*/checkpoint.pt")) and not (folder / "attempts").exists()
    records = run_study(read_spec(file), folder, RunOptions(device="cpu", processes=1))
    same(records, place / "local")
    assert max(each.attempts for each in records.completions) == 2


@pytest.mark.slow
def test_runs_wait_for_nodes_that_are_asked_for_and_use_those_that_join(
    whole: Nodes, local: tuple[Path, Path], tmp_path: Path
) -> None:
    while whole.nodes:
        whole.remove(0)
    file, folder = local
    process = start(whole, file, tmp_path / "study", "--processes", "2")
    wait_for(process, lambda: (tmp_path / "study" / "attempts" / "seen").is_file())
    time.sleep(5)
    assert process.poll() is None and not completions(tmp_path / "study")
    whole.add()
    whole.add()
    status, _, err = finish(process)
    assert status == 0, err
    same(read_study(tmp_path / "study"), folder)
