"""A source in, how many notes it has out, and how much longer they are than those of its beginning.

Only what files, lines or the database tell by themselves is looked at; where they do not, it is not known.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from deidlab.corpus.raw import MAX_NOTE_CHARACTERS
from deidlab.corpus.reading import corpus_files
from deidlab.inputfile import open_input
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.settings import SourceSettings


@dataclass(frozen=True, slots=True)
class Counted:
    """`exact`, or as the size of the files lets one expect; `longer` is 1 for notes as long as the first."""

    n_notes: int
    exact: bool = True
    longer: float = 1.0


def count_source(source: SourceSettings, n_sample: int) -> Counted | None:
    """The notes of a source, whose first ones are the sample; None where only reading would tell."""
    opened = open_source(source)
    format = opened.format
    if format is None:
        n_notes = opened.count()
        return None if n_notes is None else Counted(n_notes)
    paths = list(corpus_files(source.path, format))
    if format.render is not None:
        notes = [path for path in paths if not path.name.endswith(".ann")]
        sizes = [path.stat().st_size for path in notes]
        return Counted(len(notes), True, _longer(sum(sizes), len(sizes), sum(sizes[:n_sample]), n_sample))
    ways: dict[str, Callable[[list[Path], int], Counted]] = {
        "jsonl": _count_lines, "parquet": _count_parquet, "csv": _count_csv,
    }  # fmt: skip
    way = ways.get(format.name)
    return None if way is None else way(paths, n_sample)


def _longer(size: int, n_notes: int, sample_size: int, n_sample: int) -> float:
    if not sample_size or n_notes <= n_sample:
        return 1.0
    return (size / n_notes) / (sample_size / n_sample)


def _count_lines(paths: list[Path], n_sample: int) -> Counted:
    n_lines = size = sample_size = 0
    for path in paths:
        with open_input(path) as stream:
            for line in islice(stream, max(0, n_sample - n_lines)):
                n_lines += 1
                sample_size += len(line)
            for block in iter(lambda: stream.read(1 << 20), b""):
                n_lines += block.count(b"\n")
        size += path.stat().st_size
    return Counted(n_lines, True, _longer(size, n_lines, sample_size, n_sample))


def _count_parquet(paths: list[Path], n_sample: int) -> Counted:
    import pyarrow.parquet as pq

    n_rows = size = sample_rows = sample_size = 0
    for path in paths:
        metadata = pq.read_metadata(path)
        for index in range(metadata.num_row_groups):
            group = metadata.row_group(index)
            if sample_rows < n_sample:
                sample_rows += group.num_rows
                sample_size += group.total_byte_size
            n_rows += group.num_rows
            size += group.total_byte_size
    return Counted(n_rows, True, _longer(size, n_rows, sample_size, sample_rows))


def _count_csv(paths: list[Path], n_sample: int) -> Counted:
    """As many rows as the whole size holds of rows like the first ones."""
    csv.field_size_limit(MAX_NOTE_CHARACTERS)
    size = sum(path.stat().st_size for path in paths)
    with open_input(paths[0]) as stream:
        # One byte is one character in this encoding, so that nothing can be wrong with it.
        lines = (line.decode("latin-1") for line in stream)
        rows = csv.reader(lines, delimiter="\t" if paths[0].suffix == ".tsv" else ",")
        n_rows = sum(1 for _ in islice(rows, n_sample + 1)) - 1
        whole = next(rows, None) is None
        read = stream.tell()
    if whole and len(paths) == 1:
        return Counted(max(0, n_rows))
    return Counted(round(size / max(read, 1) * max(n_rows, 1)), False)
