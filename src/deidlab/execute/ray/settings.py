"""What one asks of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from deidlab.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RaySettings:
    """How many workers, what each of them needs, and what happens when they die.

    `address`: "auto", host:port, or None for a Ray of our own on this machine. `max_workers` 0 is as many as
    the cluster has room for now; on a cluster that grows, say how far. From `min_workers` up to there their
    number follows the work: one that has had nothing to do for `idle_seconds` goes.

    `tries`: an item that was alone with a worker when it died, so many times, is listed as failed.
    """

    address: str | None = None
    min_workers: int = 1
    max_workers: int = 0
    cpus: float = 1.0
    gpus: float = 0.0
    memory: int | None = None
    tries: int = 3
    idle_seconds: float = 30.0
    start_seconds: float = 300.0
    bytes_under_way: int = 256 * 2**20

    def __post_init__(self) -> None:
        if self.min_workers < 1 or (self.max_workers and self.max_workers < self.min_workers):
            raise ConfigError("workers: at least 1, and no fewer at most than at least")
        if self.cpus < 0 or self.gpus < 0 or not (self.cpus or self.gpus):
            raise ConfigError("a worker needs some of a CPU or of a GPU")
        if self.gpus > 1 and self.gpus != int(self.gpus):
            raise ConfigError("GPUs for a worker: a fraction of one, or whole ones")
        if self.tries < 1:
            raise ConfigError("--tries: at least 1")
