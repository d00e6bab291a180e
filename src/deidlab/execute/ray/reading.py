"""Tasks that are read on the nodes, through Ray Data, and given to workers as rows of its blocks.

A row is a task, closed as soon as it is read; Ray Data keeps the order, holds the readers back when nobody
takes what they read, and reads again what a lost node had. The driver counts rows and sees none.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import ModuleType
from typing import Any, overload

from deidlab.errors import CorpusError, DeidError
from deidlab.execute.ray.sealing import SealedBox, close_box
from deidlab.execute.tasks import FarItems, Reading, Task, describe

_NUMBER, _CLOSED = "number", "closed"
# Small blocks: what waits in the object store is a few of them for each reader.
_BLOCK_BYTES = 2**20
_AHEAD_BYTES = 8 * 2**20


@dataclass(frozen=True, slots=True)
class RowItems(FarItems):
    """The items of one row of a block; each with what is `beside` it, where anything is."""

    ray: ModuleType = field(repr=False)
    box: SealedBox = field(repr=False)
    block: Any = field(repr=False)
    row: int
    number: int
    n_items: int
    beside: Sequence[object] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return self.n_items

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self._fetch()[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fetch())

    def paired(self, beside: Sequence[object]) -> RowItems:
        return replace(self, beside=tuple(beside))

    def _fetch(self) -> Sequence[Any]:
        try:
            block = self.ray.get(self.block)
        except self.ray.exceptions.RayError as error:
            raise CorpusError(
                f"notes that a node had read are lost ({type(error).__name__}); run again to go on"
            ) from None
        items = items_of_row(self.box, block, self.row, self.number)
        return items if self.beside is None else tuple(zip(items, self.beside, strict=True))


def items_of_row(box: SealedBox, block: Any, row: int, number: int) -> tuple[Any, ...]:
    """The items that a reader put into a row, which must be those of that task."""
    found, items = box.open(block.column(_CLOSED)[row].as_py())
    if found != number:
        raise DeidError("blocks came in another order than they were read in")
    if isinstance(items, str):
        raise CorpusError(items)
    return tuple(items)


def read_on_nodes(
    ray: ModuleType,
    box: SealedBox,
    reading: Reading[Any],
    numbers: Sequence[int],
    lengths: Sequence[int],
    tries: int,
) -> Iterator[Task[Any]]:
    """The tasks of these numbers in order, as references to what Ray Data reads."""
    if not numbers:
        return
    n_nodes = sum(bool(node["Alive"]) for node in ray.nodes())
    dataset = _dataset(box.lid, reading, numbers, tries, n_nodes)
    expected = zip(numbers, lengths, strict=True)
    blocks = chain.from_iterable(bundle.blocks for bundle in dataset.iter_internal_ref_bundles())
    try:
        for entry in blocks:
            for row in range(entry.metadata.num_rows):
                number, n_items = next(expected)
                yield Task(number, RowItems(ray, box, entry.ref, row, number, n_items))
    except ray.exceptions.RayError as error:
        raise CorpusError(f"the nodes could not read the source ({type(error).__name__})") from None
    if next(expected, None) is not None:
        raise CorpusError("the nodes read fewer notes than the source has: did it change meanwhile?")


def _dataset(lid: bytes, reading: Reading[Any], numbers: Sequence[int], tries: int, n_nodes: int) -> Any:
    import ray.data as data
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask

    with warnings.catch_warnings():
        # Its own settings are what it warns of.
        warnings.simplefilter("ignore", DeprecationWarning)
        context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_options.preserve_order = True
    context.execution_options.resource_limits = data.ExecutionResources.for_limits(
        object_store_memory=_AHEAD_BYTES * max(1, n_nodes)
    )
    context.target_max_block_size = _BLOCK_BYTES
    # How long nothing moves is up to the workers: a large model may be at one block for an hour.
    if hasattr(context, "execution_no_progress_timeout_s"):
        context.execution_no_progress_timeout_s = -1
    for name in ("ray.data", "ray.data._internal"):
        logging.getLogger(name).setLevel(logging.CRITICAL)

    class Notes(Datasource):  # type: ignore[misc]
        """Its name is all that Ray's logs tell of it."""

        def __init__(self) -> None:
            super().__init__()

        def estimate_inmemory_data_size(self) -> int | None:
            return None

        def get_read_tasks(self, parallelism: int, *_: Any, **__: Any) -> list[Any]:
            return [
                ReadTask(_Share(own, share, lid), BlockMetadata(len(share), None, None, None))
                for own, share in shares
            ]

    shares = list(reading.shares(numbers))
    # A reader feeds dozens of workers: one a node is enough, and it reads near to them.
    n_readers = max(1, min(n_nodes, len(shares)))
    # Readers take no CPU from the workers, which may have them all.
    args = {"num_cpus": 0, "max_retries": tries, "scheduling_strategy": "SPREAD"}
    with warnings.catch_warnings():
        # Only so can it be said how often to try: else a file that kills its reader is read for ever.
        warnings.simplefilter("ignore", DeprecationWarning)
        return data.read_datasource(
            Notes(), override_num_blocks=len(shares), concurrency=n_readers, ray_remote_args=args
        )


@dataclass(frozen=True, slots=True)
class _Share:
    """What one reader does: blocks of one row a task. An error is a row too: Ray would print an exception."""

    reading: Reading[Any] = field(repr=False)
    numbers: Sequence[int] = field(repr=False)
    lid: bytes = field(repr=False)

    def __call__(self) -> Iterator[Any]:
        import pyarrow as pa

        done = 0
        try:
            for number, items in zip(self.numbers, self.reading.read(self.numbers), strict=True):
                yield _row(pa, number, close_box(self.lid, (number, items)))
                done += 1
        except Exception as error:
            for number in self.numbers[done:]:
                yield _row(pa, number, close_box(self.lid, (number, describe(error))))


def _row(pa: ModuleType, number: int, closed: bytes) -> Any:
    return pa.table({_NUMBER: pa.array([number], pa.int64()), _CLOSED: pa.array([closed], pa.large_binary())})
