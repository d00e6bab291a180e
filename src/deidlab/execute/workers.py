"""What a worker is, wherever it works: a start-up that gives a callable; values in, answers out.

Short tasks (`inorder`) and long jobs (`jobs`) go to the same workers: processes of this machine (`local`) or
actors of a cluster (`ray/`). Whatever happens in a worker comes back as one of the words below, with an error
of our own or with kind and place of another's: an exception would be printed or logged with its data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import deidlab
from deidlab.errors import DeidError
from deidlab.execute.places import describe_processor
from deidlab.execute.tasks import describe, portable

Serve = Callable[[Any], Any]
Start = Callable[[], Serve]
"""Called once in each worker; it must travel there, so a module holds its class. `facts` of what it gives, if
any, are told with READY."""

READY, DONE, FATAL = "ready", "done", "fatal"
BROKEN, STOPPED, DIED, AWAY = "broken", "stopped", "died", "away"
"""How a worker ends: by an error that only a fresh process gets over, on request, without a word, or with its
node, which may only be out of reach."""

NUMBER = "DEIDLAB_WORKER"
"""The variable that tells a process of this machine which of the workers it is, from 0."""


@dataclass(frozen=True, slots=True)
class Word:
    """What is said of a worker: its facts, an answer, an error that ends the run, or how it ended."""

    worker: Any
    kind: str
    value: Any = field(default=None, repr=False)


class Workers(Protocol):
    """Whoever starts workers, tells them what to do and hears of them.

    `depth`: how many values a worker may have waiting, for speed. `lingers`: whether one that is given up may
    still be at work somewhere. `failed_starts`: how many in a row may die before they are ready.
    `starts_at_once`: how many may be starting though none is ready yet.
    """

    depth: int
    lingers: bool
    failed_starts: int
    starts_at_once: int

    def start(self) -> Any:
        """One more worker; READY is said of it, which may take until there is room."""

    def give(self, worker: Any, packed: object) -> bool:
        """Hand over; False where the worker is known to be gone."""

    def wait(self, workers: Sequence[Any], seconds: float) -> Sequence[Word]:
        """What is said within that time; returns with the first word."""

    def end(self, worker: Any) -> None:
        """End a worker in the middle of whatever it does."""

    def release(self, worker: Any) -> None:
        """Let one go that has nothing to do."""

    def close(self) -> None:
        """See that none is left."""

    def pack(self, value: object) -> object:
        """The value as it travels and waits; bytes count against what may be under way."""

    def unpack(self, packed: object) -> Any: ...

    def room(self) -> int:
        """How many workers there is room for now."""

    def describe_lack(self) -> str:
        """What there is, for the message that it does not suffice."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many workers (`max_workers` 0: all there is room for), how often to try, how long to wait."""

    max_workers: int = 0
    tries: int = 1
    min_workers: int = 1
    idle_seconds: float = float("inf")
    start_seconds: float = float("inf")
    bytes_under_way: float = float("inf")


def begin(start: Start) -> tuple[Serve | None, str, Any]:
    """In a worker: what it is started with, called; and READY with its facts, or FATAL with the error."""
    try:
        serve = start()
    except BaseException as error:
        return None, FATAL, portable(error)
    own = {"deidlab": deidlab.__version__, "processor": describe_processor()}
    return serve, READY, own | getattr(serve, "facts", {})


def answer(serve: Serve, value: object) -> tuple[str, object]:
    """In a worker: a value in, a word and its answer or error out."""
    try:
        return DONE, serve(value)
    except KeyboardInterrupt:
        return STOPPED, None
    except DeidError as error:
        return FATAL, portable(error)
    except BaseException as error:
        return BROKEN, describe(error)
