"""How many notes an output holds, counted past DeidLab's own readers."""

from __future__ import annotations

import csv
from pathlib import Path

_MAIN = {"i2b2": ".xml", "brat": ".txt", "inline": ".tagged.txt", "txt": ".txt"}
_MARKS = {"i2b2-2006": b"<RECORD ", "conll": b"-DOCSTART-\t"}


def count_written(path: Path, format: str) -> int:
    """The notes of a corpus that a command wrote; 0 where there is none."""
    if not path.exists():
        return 0
    if format in _MAIN:
        return sum(each.name.endswith(_MAIN[format]) for each in path.rglob("*") if each.is_file())
    if format in _MARKS:
        return sum(line.startswith(_MARKS[format]) for line in path.read_bytes().split(b"\n"))
    if format == "jsonl":
        return path.read_bytes().count(b"\n")
    if format == "parquet":
        import pyarrow.parquet as pq

        return int(pq.read_metadata(path).num_rows)
    csv.field_size_limit(2**30)
    with path.open(newline="", encoding="utf-8") as stream:
        return max(
            0, sum(1 for _ in csv.reader(stream, delimiter="\t" if path.suffix == ".tsv" else ",")) - 1
        )
