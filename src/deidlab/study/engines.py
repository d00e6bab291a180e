"""Where the jobs of a study go: to processes of this machine, or to the nodes of a Ray cluster."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from deidlab.errors import ConfigError
from deidlab.execute.attempts import Leased
from deidlab.execute.jobs import Home, Jobs, recover
from deidlab.execute.processes import Processes
from deidlab.execute.workers import Limits
from deidlab.study.folder import ATTEMPTS, write_whole
from deidlab.study.opening import write_config
from deidlab.study.run_options import ClusterOptions
from deidlab.study.worker import NOTES, SEEN, OpenWorkshop, Surroundings


@contextlib.contextmanager
def open_jobs(
    opening: OpenWorkshop, home: Home, max_workers: int, tries: int, far: ClusterOptions | None = None
) -> Iterator[Jobs]:
    """Jobs for workers with such a workshop; `max_workers` 0 is one per device, or what a cluster holds."""
    place = Path(opening.folder) / ATTEMPTS
    try:
        if far is None:
            processes = Processes(Leased(opening), opening.threads)
            with Jobs(processes, Limits(max_workers, tries), place, home) as jobs:
                yield jobs
        else:
            with _open_far(opening, home, max_workers, tries, far, place) as jobs:
                yield jobs
    finally:
        take_back(Path(opening.folder), home)


def take_back(folder: Path, home: Home) -> int:
    """Bring home what a process left in `attempts/`; how many workers may still be at it."""
    place = folder / ATTEMPTS
    n_open = recover(place, home)
    for mark in (*place.glob(SEEN), *place.glob(f"{NOTES}*")):
        mark.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        place.rmdir()
    return n_open


@contextlib.contextmanager
def _open_far(
    opening: OpenWorkshop, home: Home, max_workers: int, tries: int, far: ClusterOptions, place: Path
) -> Iterator[Jobs]:
    from deidlab.execute.ray.actors import Actors, limits_of
    from deidlab.execute.ray.cluster import connect
    from deidlab.execute.ray.settings import RaySettings

    with connect(far.address) as cluster:
        gpus = _choose_gpus(far.gpus, opening.device, cluster.resources())
        settings = RaySettings(far.address, max_workers=max_workers, cpus=far.cpus, gpus=gpus, tries=tries)
        surroundings = _mark(opening, place)
        # A run that was given a GPU must not train beside it.
        there = replace(
            opening,
            device="cuda" if gpus else "cpu",
            threads=max(1, int(far.cpus)),
            surroundings=surroundings,
        )
        actors = Actors(cluster.ray, settings, Leased(there))
        if not actors.room() and not max_workers:
            needs = f"{far.cpus:g} CPUs" + (f" and {gpus:g} GPUs" if gpus else "")
            raise ConfigError(
                f"no node of the cluster has {needs} for a run; where nodes come as they are asked for, say "
                "with --processes how many runs go side by side"
            )
        for node, wrong in actors.ask_nodes(surroundings):
            if wrong:
                raise ConfigError(f"node {node} {wrong}")
        with Jobs(actors, limits_of(settings), place, home) as jobs:
            yield jobs


def _choose_gpus(wanted: float | None, device: str, has: Mapping[str, float]) -> float:
    if wanted and device == "cpu":
        raise ConfigError("--device cpu leaves no use for --gpus-per-run")
    if wanted is None:
        wanted = 1.0 if device != "cpu" and has.get("GPU") else 0.0
    if not wanted and device == "cuda":
        raise ConfigError(
            "no GPU: the cluster has none, or --gpus-per-run is 0; leave --device out, or say cpu"
        )
    return wanted


def _mark(opening: OpenWorkshop, place: Path) -> Surroundings:
    """What every node which may be given a run must find, put where it is looked for."""
    for model in opening.spec.models:
        if model.config:
            write_config(Path(opening.folder), model)
    mark = secrets.token_hex(8)
    write_whole(place / SEEN, mark.encode())
    return Surroundings.of(opening.spec, Path(opening.folder), mark)
