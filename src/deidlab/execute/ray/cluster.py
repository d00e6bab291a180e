"""An address in, a connection to Ray out, quiet, and closed behind; without an address a Ray of our own.

    with connect("auto"):            # the Ray that `ray start` started, or host:port
    with connect(None, n_cpus=2):    # started here for as long as it is needed, gone afterwards

Ray reports its use over the network, prints what becomes of workers to standard output and takes over
SIGTERM. None of that is wanted here.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from deidlab.errors import ConfigError, MissingExtraError
from deidlab.execute.ray.closing import closed_to_others

# Sockets lie in the folder of a session, and their paths may have 107 bytes in all.
_LONGEST_FOLDER = 12
_FOLDER = "deidlab-ray-"
_KNOCK_SECONDS = 5.0
_STORE_BYTES = 200 * 2**20


def import_ray() -> ModuleType:
    """The `ray` module; without it, which extra brings it."""
    # Ray tells its makers of each start unless it is told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A connection; `own` where we started Ray ourselves."""

    ray: ModuleType
    own: bool

    def resources(self) -> Mapping[str, float]:
        """What all nodes have together, used or not."""
        return dict(self.ray.cluster_resources())

    def n_nodes(self) -> int:
        return sum(bool(node["Alive"]) for node in self.ray.nodes())


@contextlib.contextmanager
def connect(
    address: str | None,
    n_cpus: int | None = None,
    n_gpus: int | None = None,
    store_bytes: int = _STORE_BYTES,
) -> Iterator[Cluster]:
    """Be connected. A process that is connected already keeps that connection, before and after.

    `n_cpus`, `n_gpus` and `store_bytes` are for a Ray that is started here, and mean nothing for another's.
    """
    ray = import_ray()
    with _without_messages(ray):
        if ray.is_initialized():
            yield Cluster(ray, own=False)
            return
        with contextlib.ExitStack() as stack:
            options: dict[str, Any] = {"address": address}
            if address is None:
                folder = stack.enter_context(_own_folder())
                stack.enter_context(closed_to_others(ray, folder))
                options = {"address": "local", "num_cpus": n_cpus, "num_gpus": n_gpus,
                           "include_dashboard": False,
                           "object_store_memory": store_bytes, "_temp_dir": str(folder / "r"),
                           # As the local executor's: workers on a machine of their own need not stand back.
                           "_system_config": {"worker_niceness": 0}}  # fmt: skip
            else:
                _knock(address)
            # Leaving goes backwards: shut down, forget the token, then remove the folder.
            stack.callback(ray.shutdown)
            _start(ray, options)
            yield Cluster(ray, own=address is None)


def _knock(address: str) -> None:
    """Raise at once where nobody listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "://" in address:
        if address != "auto":
            raise ConfigError(f"--address is auto or HOST:PORT, as `ray start --head` says it, not {address}")
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_SECONDS).close()
    except (OSError, OverflowError):
        raise ConfigError(f"no Ray answers at {address}; is `ray start --head` running there?") from None


def _start(ray: ModuleType, options: dict[str, Any]) -> None:
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM) if in_main else None
    address = options["address"]
    try:
        ray.init(log_to_driver=False, logging_level=logging.CRITICAL, namespace="deidlab", **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        what = "Ray could not be started here" if address == "local" else f"no Ray answers at {address}"
        raise ConfigError(f"{what} ({type(error).__name__}); `ray status` may say more") from None
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextlib.contextmanager
def _own_folder() -> Iterator[Path]:
    """For us alone, and gone afterwards; Ray opens its own folder to everybody, so that is one within."""
    usual = Path(tempfile.gettempdir())
    place = usual if len(str(usual)) <= _LONGEST_FOLDER else Path("/dev/shm")
    _sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Remove the folders of ours whose process was killed before it could."""
    for left in place.glob(f"{_FOLDER}*-*"):
        owner = left.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists() and Path("/proc/self").exists():
            shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def _without_messages(ray: ModuleType) -> Iterator[None]:
    """Ray prints the deaths of workers to standard output, which is the answer's: we tell them ourselves."""
    module = getattr(ray._private, "worker", None)
    name = "print_to_stdstream"
    if not hasattr(module, name):
        yield
        return
    before = getattr(module, name)
    setattr(module, name, lambda *_, **__: None)
    try:
        yield
    finally:
        setattr(module, name, before)
