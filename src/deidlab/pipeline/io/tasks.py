"""A source in, its notes as tasks out, without those that are done; read here, or where the executor reads.

Parquet files say beforehand how many rows they have, so their tasks can be read on any machine that sees
them. Everything else is read here, one note after another.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from deidlab.execute import Executor, Task
from deidlab.execute.tasks import FarItems
from deidlab.pipeline.io.notes import Note, Start, cut_tasks, read_notes
from deidlab.pipeline.io.parquet import parquet_reading
from deidlab.pipeline.settings import SourceSettings


def read_tasks(
    source: SourceSettings,
    execute: Executor,
    is_done: Callable[[int], bool],
    passed: Callable[[int], None],
    start: Start = Start(),  # noqa: B008 (it is frozen)
    here: bool = False,
) -> Iterator[Task[Note]]:
    """Tasks in order; of those done before only the length is told, to `passed`.

    `here` is for those who must see the notes in this process.
    """
    reading = None if here else parquet_reading(source)
    if reading is None:
        for task in cut_tasks(read_notes(source, start), start.task):
            if is_done(task.number):
                passed(len(task.items))
            else:
                yield task
        return
    numbers, lengths = array("q"), array("q")
    for number, length in reading.sizes():
        if is_done(number):
            passed(length)
        else:
            numbers.append(number)
            lengths.append(length)
    yield from execute.read(reading, numbers, lengths)


def read_again(source: SourceSettings) -> Iterator[Note]:
    """Every note, here, with the numbers that its task gave it."""
    reading = parquet_reading(source)
    if reading is None:
        return read_notes(source)
    numbers = array("q", (number for number, _ in reading.sizes()))
    return chain.from_iterable(reading.read(numbers))


def note_numbers(task: Task[Note]) -> Sequence[int]:
    """The notes' places in the source, without fetching any: a far task is numbered by its first note."""
    if isinstance(task.items, FarItems):
        return range(task.number + 1, task.number + 1 + len(task.items))
    return [note.number for note in task.items]
