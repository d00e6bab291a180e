"""A Ray cluster of several nodes on this machine, for tests that kill its processes and take its nodes away."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_STORE_BYTES = 100 * 2**20


@dataclass
class Nodes:
    """A head that does no work, and nodes that do; `folder` is where Ray keeps its sessions and logs."""

    cluster: Any
    folder: Path
    cpus: int
    nodes: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self) -> None:
        node = self.cluster.add_node(num_cpus=self.cpus, object_store_memory=_STORE_BYTES)
        self.nodes.append(node)

    def lose_one(self, chance: random.Random) -> None:
        """All processes of a node end at once, as when its plug is pulled."""
        node = self.nodes.pop(chance.randrange(len(self.nodes)))
        self.cluster.remove_node(node, allow_graceful=False)

    def worker_pids(self) -> list[int]:
        """The processes in which actors and readers are at work."""
        import psutil

        found = []
        for node in self.nodes:
            for raylet in node.all_processes.get("raylet", []):
                with contextlib.suppress(psutil.Error):
                    children = psutil.Process(raylet.process.pid).children(recursive=True)
                    found += [each.pid for each in children if _is_worker(each)]
        return sorted(found)

    def kill_a_worker(self, chance: random.Random) -> bool:
        pids = self.worker_pids()
        if not pids:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(pids), signal.SIGKILL)
        return True


def _is_worker(process: Any) -> bool:
    import psutil

    try:
        name = "".join(process.cmdline()[:1])
        return name.startswith("ray::") and not any(other in name for other in ("IDLE", "Agent"))
    except psutil.Error:
        return False


@contextlib.contextmanager
def running_nodes(n_nodes: int = 2, cpus: int = 1, **system: Any) -> Iterator[Nodes]:
    """The cluster, for as long as it is needed; a test's own folder would be too long a path for its sockets."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    from deidlab.execute.ray.closing import closed_to_others

    folder = Path(tempfile.mkdtemp(prefix="dl-"))
    head = {"num_cpus": 0, "object_store_memory": _STORE_BYTES, "include_dashboard": False,
            "temp_dir": str(folder / "ray"), "_system_config": {"worker_niceness": 0, **system}}  # fmt: skip
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        # A cluster writes its address into Ray's usual folder, which it does not make, whatever `temp_dir` says.
        stack.enter_context(_variable("RAY_TMPDIR", str(folder)))
        stack.enter_context(closed_to_others(ray, folder))
        cluster = Cluster(initialize_head=True, head_node_args=head)
        stack.callback(cluster.shutdown)
        nodes = Nodes(cluster, folder, cpus)
        for _ in range(n_nodes):
            nodes.add()
        yield nodes


@contextlib.contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name) if before is None else os.environ.update({name: before})
