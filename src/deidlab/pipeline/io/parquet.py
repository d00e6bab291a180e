"""Parquet files as a source: tasks that any machine can read which sees the files.

A task is a run of rows of one row group: as many as hold some 256 KiB by what the file says of its size, and
never more than 64. Its number is the place of its first row in the whole source, so whoever knows the number
knows its notes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from deidlab.corpus.formats.parquet import arrow_rows
from deidlab.corpus.names import Around, FileNames, rename
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings, vetted
from deidlab.corpus.reading import UTF8_NAME, corpus_files
from deidlab.corpus.table import find_columns, row_to_raw
from deidlab.errors import ConfigError, CorpusError, needing
from deidlab.execute import Executor, Task
from deidlab.inputfile import require_regular
from deidlab.pipeline.io.files import FileSource
from deidlab.pipeline.io.notes import BEGINNING, Note, Start, to_note, with_patients
from deidlab.types import is_writable

_ROWS_A_TASK = 64
_BYTES_A_TASK = 256 * 1024
_DAMAGED = "is damaged within this part of its rows"


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that lie together: `first` counts from 0 over the source, `row` within the file.

    `path` is as the source names it, `real` as other machines find it. A file that cannot be read is a group
    of one row, whose `problem` says why. `around` tells its ids from those of other files of the same name.
    """

    path: Path
    real: Path
    index: int
    first: int
    row: int
    n_rows: int
    rows_a_task: int
    file_bytes: int
    problem: str = ""
    around: Around = ("", "")


@dataclass(frozen=True, slots=True)
class ParquetReading:
    """The tasks of a source's Parquet files."""

    groups: tuple[RowGroup, ...] = field(repr=False)
    settings: ReadSettings
    patient_from: str | None = None

    def sizes(self) -> Iterator[tuple[int, int]]:
        for group in self.groups:
            end = group.first + group.n_rows
            for first in range(group.first, end, group.rows_a_task):
                yield first, min(group.rows_a_task, end - first)

    def shares(self, wanted: Sequence[int]) -> Iterator[tuple[ParquetReading, Sequence[int]]]:
        """The wanted tasks of each row group, with a reading of that group alone."""
        place = 0
        for group in self.groups:
            begin = place
            while place < len(wanted) and wanted[place] < group.first + group.n_rows:
                place += 1
            if place > begin:
                yield replace(self, groups=(group,)), wanted[begin:place]

    def read(self, wanted: Sequence[int]) -> Iterator[tuple[Note, ...]]:
        for reading, share in self.shares(wanted):
            yield from self._read_share(reading.groups[0], share)

    def _read_share(self, group: RowGroup, share: Sequence[int]) -> Iterator[tuple[Note, ...]]:
        tasks = _read_group(group, share, self.settings)
        for first, raws in zip(share, tasks, strict=True):
            notes = (to_note(number, raw) for number, raw in enumerate(raws, start=first + 1))
            yield tuple(with_patients(notes, self.patient_from))


class ParquetSource(FileSource):
    """Parquet files, whose tasks are read wherever the executor reads."""

    __slots__ = ()

    def reading(self) -> ParquetReading:
        """How to read them anywhere; the files' own lists of rows are read now."""
        settings = self.settings
        groups: list[RowGroup] = []
        names = FileNames(settings.path, self.format)
        for path in corpus_files(settings.path, self.format):
            first = groups[-1].first + groups[-1].n_rows if groups else 0
            groups += _groups_of(path, first, settings.reading, names.around(path))
        return ParquetReading(tuple(groups), settings.reading, settings.patient_from)

    def tasks(
        self,
        execute: Executor,
        is_done: Callable[[int], bool],
        passed: Callable[[int], None],
        start: Start = BEGINNING,
        here: bool = False,
    ) -> Iterator[Task[Note]]:
        if here:
            yield from FileSource.tasks(self, execute, is_done, passed)
            return
        reading = self.reading()
        numbers, lengths = array("q"), array("q")
        for number, length in reading.sizes():
            if is_done(number):
                passed(length)
            else:
                numbers.append(number)
                lengths.append(length)
        yield from execute.read(reading, numbers, lengths)

    def notes_again(self) -> Iterator[Note]:
        reading = self.reading()
        numbers = array("q", (number for number, _ in reading.sizes()))
        return chain.from_iterable(reading.read(numbers))


def _groups_of(path: Path, first: int, settings: ReadSettings, around: Around) -> Iterator[RowGroup]:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    real = path.resolve()
    try:
        if not is_writable(path.name):
            raise CorpusError(f"{path}: {UTF8_NAME}")
        require_regular(path)
        size = path.stat().st_size
        with pq.ParquetFile(path) as file:
            find_columns(file.schema_arrow.names, path, settings)
            found = [file.metadata.row_group(index) for index in range(file.metadata.num_row_groups)]
            rows = [(group.num_rows, group.total_byte_size) for group in found]
    except CorpusError as error:
        yield RowGroup(path, real, 0, first, 0, 1, 1, 0, str(error))
        return
    except (pa.ArrowException, UnicodeDecodeError):
        yield RowGroup(path, real, 0, first, 0, 1, 1, 0, f"{path}: is not a Parquet file that can be read")
        return
    except OSError as error:
        yield RowGroup(path, real, 0, first, 0, 1, 1, 0, f"{path}: {error.strerror or 'cannot be read'}")
        return
    row = 0
    for index, (n_rows, n_bytes) in enumerate(rows):
        if n_rows:
            at_once = max(1, min(_ROWS_A_TASK, _BYTES_A_TASK * n_rows // max(n_bytes, 1)))
            yield RowGroup(path, real, index, first + row, row, n_rows, at_once, size, around=around)
        row += n_rows


Raws = list[RawDocument | BadDocument]


def _read_group(group: RowGroup, share: Sequence[int], settings: ReadSettings) -> Iterator[Raws]:
    """The raw documents of each task of a share; after a damage, as many bad documents as there are rows."""
    if group.problem:
        reason = group.problem.removeprefix(f"{group.path}: ")
        yield [vetted(BadDocument(group.path, reason, group.path.name))]
        return
    done = 0
    problem = ""
    try:
        for rows in _tables(group, share):
            yield rows_to_raw(group, share[done], rows, settings)
            done += 1
    except CorpusError as error:
        problem = str(error)
    for first in share[done:]:
        n_rows = min(group.rows_a_task, group.first + group.n_rows - first)
        yield [vetted(BadDocument(group.path, problem or _DAMAGED)) for _ in range(n_rows)]


Rows = list[dict[str, Any] | None]


def rows_to_raw(group: RowGroup, first: int, rows: Rows, settings: ReadSettings) -> Raws:
    start = first - group.first + group.row + 1
    raws = (
        row_to_raw(row, group.path, f"row {number}", f"{group.path.stem}-{number}", settings)
        for number, row in enumerate(rows, start=start)
    )
    return [vetted(rename(raw, group.around)) for raw in raws]


def _tables(group: RowGroup, share: Sequence[int]) -> Iterator[Rows]:
    """The rows of each task of a share; only what is asked for is turned into Python's values."""
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    wanted = iter(share)
    target = next(wanted, None)
    try:
        _check_file(group)
        with pq.ParquetFile(group.real) as file:
            batches = file.iter_batches(batch_size=group.rows_a_task, row_groups=[group.index])
            for first, table in zip(
                range(group.first, group.first + group.n_rows, group.rows_a_task),
                _evenly(batches, group.rows_a_task),
                strict=True,
            ):
                if first == target:
                    yield list(arrow_rows(table))
                    target = next(wanted, None)
                if target is None:
                    return
    except (pa.ArrowException, UnicodeDecodeError, ValueError):
        raise CorpusError(_DAMAGED) from None
    except OSError as error:
        # Arrow's own has no word of the system's.
        raise CorpusError(error.strerror or _DAMAGED) from None


def _check_file(group: RowGroup) -> None:
    """Raise, for the whole run, where this machine does not see the file that the run was begun with."""
    try:
        require_regular(group.real)
        size = group.real.stat().st_size
    except FileNotFoundError:
        raise ConfigError(
            f"{group.path}: not every machine that works for this run sees this file under that path"
        ) from None
    if size != group.file_bytes:
        raise ConfigError(
            f"{group.path}: is not the file any more, or not everywhere, that this run began with"
        )


def _evenly(batches: Iterator[Any], n_rows: int) -> Iterator[Any]:
    """The same rows, so many at a time: a reader may hand out fewer where its pages end."""
    with needing("Parquet", "parquet"):
        import pyarrow as pa

    held: Any = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        held = table if held is None else pa.concat_tables([held, table])
        while held.num_rows >= n_rows:
            yield held.slice(0, n_rows)
            held = held.slice(n_rows)
    if held is not None and held.num_rows:
        yield held
