"""Files in, how many notes they hold out, where files, lines or rows tell without being read as notes."""

from __future__ import annotations

from pathlib import Path

from deidlab.corpus.formats import Format
from deidlab.corpus.reading import corpus_files
from deidlab.inputfile import open_input

_BLOCK = 1 << 20


def count_files(source: Path, format: Format) -> int | None:
    """None where only reading would tell."""
    files = corpus_files(source, format)
    if format.render is not None:
        return sum(not path.name.endswith(".ann") for path in files)
    ways = {"jsonl": _count_lines, "csv": _count_rows, "parquet": _count_parquet}
    way = ways.get(format.name)
    try:
        return None if way is None else sum(way(path) for path in files)
    except (OSError, ValueError):
        # Arrow's errors are among these. What is wrong with a file, its reader will say.
        return None


def _count_parquet(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


def _count_lines(path: Path) -> int:
    n = 0
    last = b""
    with open_input(path) as stream:
        for block in iter(lambda: stream.read(_BLOCK), b""):
            n += block.count(b"\n")
            last = block
    return n + (bool(last) and not last.endswith(b"\n"))


def _count_rows(path: Path) -> int:
    """Lines that end outside quotes, but for the header."""
    n, quoted, last = 0, False, b""
    with open_input(path) as stream:
        for block in iter(lambda: stream.read(_BLOCK), b""):
            for number, piece in enumerate(block.split(b'"')):
                quoted ^= number > 0
                n += 0 if quoted else piece.count(b"\n")
            last = block
    return max(0, n - 1 + (bool(last) and not last.endswith(b"\n")))
