"""`python -m tests.fuzz CASE…` or `FIRST-LAST`: do cases again by number, and print what each does, without a word of a note."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.cases import do_case
from tests.fuzz.postgres import server_up
from tests.fuzz.service import bench_in


def _numbers(said: list[str]) -> Iterator[int]:
    for each in said:
        first, _, last = each.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main(said: list[str]) -> int:
    broken = 0
    with (
        tempfile.TemporaryDirectory(prefix="deidlab-fuzz-") as folder,
        bench_in(Path(folder) / "server"),
        server_up(),
    ):
        for number in _numbers(said):
            case = do_case(number, Path(folder))
            broken += bool(case.breaches)
            if len(said) == 1 and said[0].isdecimal():
                print(f"case {number}: {', '.join(case.did)}; {'; '.join(case.commands)}")  # noqa: T201
            for breach in case.breaches:
                print(breach)  # noqa: T201
    return int(broken > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
