"""What only the Ray executor does: settings, seals, a pool that follows the work, memory that does not grow."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from cryptography.exceptions import InvalidTag

from deidlab.errors import ConfigError, MissingExtraError
from deidlab.execute import Failed, Task
from deidlab.execute.ray.cluster import connect
from deidlab.execute.ray.sealing import RunSeal, SealedBox, close_box
from deidlab.execute.ray.settings import RaySettings
from tests.unit.execute.kinds_of_work import Pid, SayBack, Slow, Tell

SENTINEL = "Zebulon Quillfeather"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"min_workers": 0}, "at least 1"),
        ({"min_workers": 3, "max_workers": 2}, "no fewer at most"),
        ({"cpus": 0.0}, "some of a CPU or of a GPU"),
        ({"gpus": 1.5}, "a fraction of one, or whole ones"),
        ({"tries": 0}, "--tries"),
    ],
)
def test_what_cannot_be_asked_for(options: dict[str, float], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        RaySettings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{}, {"gpus": 0.25}, {"gpus": 2.0, "cpus": 0.0}, {"min_workers": 2, "max_workers": 8}]
)
def test_what_can(options: dict[str, float]) -> None:
    settings = RaySettings(**options)  # type: ignore[arg-type]
    assert {name: getattr(settings, name) for name in options} == options


def test_a_seal_hides_and_opens() -> None:
    seal, value = RunSeal(), (SENTINEL, [1, 2])
    sealed = seal.close(value)
    assert seal.open(sealed) == value == RunSeal(seal.key).open(sealed)
    assert SENTINEL.encode() not in sealed and seal.close(value) != sealed
    with pytest.raises(InvalidTag):
        RunSeal().open(sealed)
    with pytest.raises(InvalidTag):
        seal.open(sealed[:-1] + bytes([sealed[-1] ^ 1]))


def test_anyone_closes_a_box_and_only_its_holder_opens_it() -> None:
    box = SealedBox()
    closed = close_box(box.lid, (7, SENTINEL))
    assert SENTINEL.encode() not in closed
    assert pickle.loads(pickle.dumps(box)).open(closed) == box.open(closed) == (7, SENTINEL)
    with pytest.raises(InvalidTag):
        SealedBox().open(closed)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"needs the 'ray' extra: pip install "), connect(None):
        raise AssertionError("there is no Ray")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "cluster", "ray://127.0.0.1:10001", "127.0.0.1:99999"])
def test_an_address_where_nobody_is(address: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    started = time.monotonic()
    with pytest.raises(ConfigError), connect(address):
        raise AssertionError("nobody is there")
    assert time.monotonic() - started < 20


@pytest.fixture(scope="module")
def own_ray() -> Iterator[None]:
    """Ray with four cores on paper; executors of other settings share it, as a connected process does."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    with connect(None, n_cpus=4) as cluster:
        assert cluster.own and cluster.resources()["CPU"] == 4 and cluster.n_nodes() == 1
        yield


@pytest.mark.usefixtures("own_ray")
def test_a_ray_of_our_own_listens_on_loopback_alone() -> None:
    import psutil
    import ray

    run(RaySettings(max_workers=2), 4, 0.0)
    this = psutil.Process()
    places = set()
    for process in (this, *this.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            found = process.net_connections("inet")
            places |= {each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN}
    assert places and all(is_local(place) for place in places)
    assert is_local(ray.get_runtime_context().gcs_address.rpartition(":")[0])


def is_local(place: str) -> bool:
    return ipaddress.ip_address(place.removeprefix("::ffff:")).is_loopback


ASK = """
import sys
from ray._raylet import GcsClient
print(GcsClient(address=sys.argv[1]).internal_kv_keys(b"", None) is not None)
"""


@pytest.mark.usefixtures("own_ray")
def test_a_client_without_the_token_is_refused(tmp_path: Path) -> None:
    import ray

    address = ray.get_runtime_context().gcs_address
    token = Path(os.environ["RAY_AUTH_TOKEN_PATH"])
    assert token.stat().st_mode & 0o777 == 0o600 and token.parent.stat().st_mode & 0o777 == 0o700
    ours = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    ours["HOME"] = str(tmp_path)
    for more, welcome in (
        ({}, False),
        ({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}, False),
        ({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}, True),
    ):
        command = [sys.executable, "-c", ASK, address]
        done = subprocess.run(command, env=ours | more, capture_output=True, text=True, timeout=60)
        assert (done.stdout.strip() == "True") == welcome, done.stderr
        assert welcome or "AuthenticationError" in done.stderr


def test_nothing_is_left_of_a_ray_of_our_own(tmp_path: Path) -> None:
    """No token in the home, where others can read it, and the environment as it was."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
    command = [sys.executable, "-c", LEAVE]
    found = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    found |= {"HOME": str(tmp_path), "RAY_AUTH_TOKEN": "x" * 40, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=found, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["x" * 40, "None", "None"], done.stderr
    assert not (tmp_path / ".ray").exists()


LEAVE = """
import os
from deidlab.execute.ray.cluster import connect
with connect(None, n_cpus=1) as cluster:
    assert cluster.own and cluster.n_nodes() == 1
    assert "RAY_AUTH_TOKEN" not in os.environ
print(*(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH")))
"""


def run(settings: RaySettings, n_tasks: int, seconds: float) -> tuple[list[object], dict[str, object]]:
    from deidlab.execute.ray.executor import RayExecutor

    with RayExecutor(settings) as executor:
        tasks = (Task(number, (number,)) for number in range(n_tasks))
        found: list[object] = [result for done in executor(tasks, Slow(seconds)) for result in done.results]
    return found, executor.describe()


@pytest.mark.usefixtures("own_ray")
def test_the_pool_follows_the_work() -> None:
    # As long as each task takes, one worker would be at it for 2.4 s.
    found, told = run(RaySettings(max_workers=3), 24, 0.1)
    assert found == list(range(24)) and told["workers"] in (2, 3)
    # Two tasks: one worker is ready and has both before another would be.
    found, told = run(RaySettings(max_workers=3), 2, 0.0)
    assert found == [0, 1] and told["workers"] == 1


@pytest.mark.usefixtures("own_ray")
def test_without_a_most_the_nodes_room_is_the_most() -> None:
    found, told = run(RaySettings(cpus=2.0), 24, 0.1)
    assert found == list(range(24)) and told["workers"] in (1, 2)


@pytest.mark.usefixtures("own_ray")
def test_workers_that_nobody_needs_go() -> None:
    from deidlab.execute.ray.executor import RayExecutor

    ids: list[int] = []
    deadline = time.monotonic() + 120

    def tasks() -> Iterator[Task[int]]:
        """Much work until a second worker takes part, and then little of it until one is left."""
        numbers = itertools.count()
        while len(set(ids)) < 2 and time.monotonic() < deadline:
            yield Task(number := next(numbers), (number,))
        while len(living(ids)) > 1 and time.monotonic() < deadline:
            time.sleep(0.3)
            yield Task(number := next(numbers), (number,))

    with RayExecutor(RaySettings(max_workers=3, idle_seconds=0.2)) as executor:
        for done in executor(tasks(), Pid()):
            ids.extend(cast("tuple[int]", done.results))
        assert len(set(ids)) >= 2 and len(living(ids)) == 1


def living(ids: Iterable[int]) -> set[int]:
    return {each for each in ids if Path(f"/proc/{each}").exists()}


@pytest.mark.usefixtures("own_ray")
def test_a_second_call_takes_the_same_workers() -> None:
    from deidlab.execute.ray.executor import RayExecutor

    with RayExecutor(RaySettings(max_workers=1)) as executor:
        first, second = (
            {result for done in executor([Task(0, (1,))], Pid()) for result in done.results} for _ in range(2)
        )
    assert first == second and os.getpid() not in first


@pytest.mark.usefixtures("own_ray")
def test_more_than_any_node_has_ends_in_words() -> None:
    settings = RaySettings(gpus=1.0, start_seconds=1.0)
    with pytest.raises(
        ConfigError, match=r"each asks for 1 CPU and 1 GPU, and all nodes together have 4 and 0"
    ):
        run(settings, 3, 0.0)


@pytest.mark.usefixtures("own_ray")
def test_bytes_under_way_are_bounded() -> None:
    """With a slow first task the reading stops when what is held reaches the limit, whatever the number of tasks."""
    from deidlab.execute.ray.executor import RayExecutor

    taken: list[int] = []

    def tasks() -> Iterator[Task[int | bytes]]:
        for number in range(1000):
            taken.append(number)
            yield Task(number, (number, os.urandom(100_000)))

    with RayExecutor(RaySettings(max_workers=2, bytes_under_way=350_000)) as executor:
        running = executor(tasks(), Tell(slow=0, seconds=0.5))  # type: ignore[arg-type]
        assert next(running).results[0] == 0
        assert len(taken) <= 5
        running.close()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("own_ray")
def test_what_a_reader_cannot_read_ends_the_run_in_words(tmp_path: Path) -> None:
    from deidlab.errors import CorpusError
    from deidlab.execute.ray.executor import RayExecutor

    with (
        RayExecutor(RaySettings(max_workers=1)) as executor,
        pytest.raises(CorpusError, match="no such notes"),
    ):
        list(executor(executor.read(Unreadable(), [0, 1], [1, 1]), Tell()))


class Unreadable:
    """A source that the nodes do not see."""

    def sizes(self) -> list[tuple[int, int]]:
        return [(0, 1), (1, 1)]

    def shares(self, wanted: object) -> list[tuple[Unreadable, list[int]]]:
        return [(self, [0, 1])]

    def read(self, wanted: object) -> Iterator[tuple[int, ...]]:
        from deidlab.errors import CorpusError

        yield (4,)
        raise CorpusError("no such notes on this machine")


@pytest.mark.usefixtures("own_ray")
def test_far_items_are_fetched_only_when_looked_at() -> None:
    from deidlab.execute.ray.executor import RayExecutor
    from deidlab.execute.ray.reading import RowItems
    from tests.contract.test_executors import Hundreds

    with RayExecutor(RaySettings(max_workers=1)) as executor:
        tasks = list(executor.read(Hundreds(4), [1, 3], [10, 10]))
        items = tasks[1].items
        assert isinstance(items, RowItems) and len(items) == 10
        assert list(items) == list(range(30, 40)) and items[3] == 33 and items[-2:] == (38, 39)
        assert list(items.paired("abcdefghij"))[2] == (32, "c")
        assert not [each for each in items if isinstance(each, Failed)]


@pytest.mark.usefixtures("own_ray")
def test_all_that_a_job_is_given_and_answers_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments and results lie in Ray's object store: none of them is read without the key of the run."""
    import ray

    from deidlab.execute.attempts import Leased
    from deidlab.execute.jobs import Ended, Jobs, NoFiles
    from deidlab.execute.ray.actors import Actors, limits_of

    settings = RaySettings(max_workers=1)
    actors = Actors(ray, settings, Leased(SayBack(SENTINEL)))
    stored: list[bytes] = [actors._start, actors.pack((SENTINEL,))]
    get = ray.get

    def look(ref: object, **options: float) -> object:
        stored.append(get(ref, **options))
        return stored[-1]

    monkeypatch.setattr(ray, "get", look)
    with Jobs(actors, limits_of(settings), tmp_path, NoFiles({"job": SENTINEL})) as jobs:
        jobs.add("job")
        ended: list[object] = []
        while not ended:
            ended += jobs.wait(0.2)
    assert ended == [Ended("job", 2 * SENTINEL)]
    assert len(stored) == 4 and all(isinstance(each, bytes) for each in stored)
    assert not [each for each in stored if SENTINEL.encode() in each]
