"""What every executor takes and gives back, on one machine or many.

A task is a numbered handful of items; the work turns items into as many results. An executor returns one
completion a task, in the order of the tasks. An item that cannot be done is a `Failed` in its place; it
never takes its neighbours with it, and its reason never quotes what was in the item.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from deidlab.errors import ConfigError, DeidError, MissingExtraError, NoSpaceError, is_full
from deidlab.errors import describe as describe

Item = TypeVar("Item")
Result = TypeVar("Result")
Other = TypeVar("Other")
Read = TypeVar("Read", covariant=True)

Work = Callable[[Sequence[Item]], Sequence[Result]]
Setup = Callable[[], Work[Item, Result]]
"""Called once in each process that works; it must travel to that process, so a module holds its class."""

# What is wrong with the settings, or with the disk, is wrong for every item: these end the run.
FATAL = (ConfigError, MissingExtraError, NoSpaceError)


@dataclass(frozen=True, slots=True)
class Task(Generic[Item]):
    """Items that travel together."""

    number: int
    items: Sequence[Item] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """In place of a result: why there is none."""

    reason: str


@dataclass(frozen=True, slots=True)
class Completion(Generic[Result]):
    """What became of a task: a result or a Failed for each of its items."""

    number: int
    results: tuple[Result | Failed, ...] = field(repr=False)


class Reading(Protocol[Read]):
    """Tasks that any machine can read which sees the source; how many items each has is known beforehand."""

    def sizes(self) -> Iterable[tuple[int, int]]:
        """Number and length of every task, in order."""

    def shares(self, wanted: Sequence[int]) -> Iterable[tuple[Reading[Read], Sequence[int]]]:
        """The wanted tasks in runs that are best read by one reader, each with all that this needs."""

    def read(self, wanted: Sequence[int]) -> Iterator[tuple[Read, ...]]:
        """The items of these tasks, task by task; what cannot be read says so in its item's place."""


class Executor(Protocol):
    """Whoever runs tasks: one completion a task, in the order of the tasks, whatever becomes of workers."""

    def __call__(
        self, tasks: Iterable[Task[Item]], setup: Setup[Item, Result]
    ) -> Iterator[Completion[Result]]: ...

    def read(
        self, reading: Reading[Item], numbers: Sequence[int], lengths: Sequence[int]
    ) -> Iterator[Task[Item]]:
        """The tasks of these numbers and lengths, in order, read wherever this executor reads."""

    def describe(self) -> dict[str, Any]:
        """Who worked, for the record of a run."""


def pair(items: Sequence[Item], beside: Sequence[Other]) -> Sequence[tuple[Item, Other]]:
    """Each item with what belongs to it, wherever the items are."""
    if isinstance(items, FarItems):
        return items.paired(beside)
    return tuple(zip(items, beside, strict=True))


class FarItems(Sequence[Any]):
    """Items that are not here: to look at one fetches it, to hand them on does not."""

    @abstractmethod
    def paired(self, beside: Sequence[object]) -> FarItems:
        """The same items, each with what stands beside it, still far."""


def attempt(work: Work[Item, Result], items: Sequence[Item]) -> tuple[Result | Failed, ...]:
    """All items at once; where that fails, each alone, so that only the culprit is lost."""
    try:
        results = tuple(work(items))
        if len(results) != len(items):
            raise RuntimeError("as many results as items are expected")
        return results
    except FATAL:
        raise
    except Exception as error:
        if is_full(error):
            raise NoSpaceError("no space left on a disk of the machine that worked") from None
        if len(items) == 1:
            return (Failed(describe(error)),)
    return tuple(result for item in items for result in attempt(work, (item,)))


def portable(error: BaseException) -> Exception:
    """The error as another process can raise it; only our own kinds keep their message."""
    fatal = DeidError(describe(error))
    if isinstance(error, DeidError):
        with contextlib.suppress(TypeError):
            fatal = type(error)(str(error))
    return fatal
