"""Two commits in, what each work costs in the newer one as a share of the older one out.

Both are checked out into folders of their own and run with the same packages over the same input, in
processes of their own, by turns, so that a machine's moods fall on both. What counts is processor time, of
the process and all that it started; the ratio is the median of the rounds' ratios, and beside it stands where
the middle half of them lies. A work that a commit does not know is named as such, not measured.

    python benchmarks/compare_commits.py OLD NEW [--rounds 9] [--works masking ...] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from mask import make_note, row

ROOT = Path(__file__).parents[1]
RULES = ("--rules", "only", "--workers", "1", "--key-file", "key")
COLUMNS = ("--text-column", "body", "--id-column", "name", "--patient-column", "mrn")
READ_AND_ALIGN = """
from pathlib import Path
from deidlab.corpus import read_corpus
from deidlab.encode.tags import spans_to_tags
for _ in range(4):
    assert sum(len(spans_to_tags(document).words) for document in read_corpus(Path("xml"), "i2b2"))
"""
WRONG_USAGE = 2


@dataclass(frozen=True)
class Work:
    """What is run (after `python`) in the folder of the input, and how many notes go through it."""

    name: str
    arguments: tuple[str, ...]
    n_notes: int = 0


def works(n_notes: int) -> list[Work]:
    rules = ("many.jsonl", "--out", "out.jsonl", *RULES)
    table = ("sqlite:///in.db?table=notes", "--out", "sqlite:///out.db?table=masked", *COLUMNS, *RULES)
    return [
        deidlab("--version", "--version"),
        deidlab("--help", "--help"),
        deidlab("masking one note, rules", "mask", "one.jsonl", "--out", "out.jsonl", *RULES),
        deidlab("masking one note, model en", "mask", "one.jsonl", "--out", "out.jsonl", "--model", "en"),
        deidlab("scoring", "score", "gold.jsonl", "system.jsonl", "--json", n_notes=300),
        Work("reading and aligning", ("-c", READ_AND_ALIGN), 4 * 200),
        deidlab("detecting, rules", "detect", *rules[:7], n_notes=n_notes),
        deidlab("masking, rules, tag", "mask", *rules, "--style", "tag", n_notes=n_notes),
        deidlab("masking, rules, surrogate", "mask", *rules, "--style", "surrogate", n_notes=n_notes),
        deidlab("masking, SQLite to SQLite", "mask", *table, n_notes=n_notes),
        deidlab("masking, model en", "mask", "gold-40.jsonl", "--out", "out.jsonl", "--model", "en",
                "--workers", "1", n_notes=40),
    ]  # fmt: skip


def deidlab(name: str, *arguments: str, n_notes: int = 0) -> Work:
    quiet = () if n_notes == 0 and arguments[0].startswith("--") else ("-q",)
    return Work(name, ("-m", "deidlab", *arguments, *quiet), n_notes)


@contextmanager
def checkout(commit: str, folder: Path) -> Iterator[Path]:
    """The commit's files in a folder, for as long as they are wanted."""
    git("worktree", "add", "--detach", str(folder), commit)
    try:
        yield folder
    finally:
        git("worktree", "remove", "--force", str(folder))


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def run(source: Path, arguments: Sequence[str], folder: Path) -> tuple[int, float]:
    """Exit status and seconds of processor, of the process and of what it waited for."""
    for left in [*folder.glob("out.*")]:
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "OMP_NUM_THREADS": "1"}
    # Who installs a package has its modules compiled; the first run, which is not counted, does that here.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def fill(folder: Path, source: Path, n_notes: int) -> None:
    """All that the works read; where a command writes it, it is that of the newer commit."""
    (folder / "key").write_bytes(b"0123456789abcdef0123456789abcdef")
    (folder / "key").chmod(0o600)
    notes = [make_note(number) for number in range(n_notes)]
    for name, some in (("one", notes[:1]), ("many", notes)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(note) + "\n" for note in some))
    with closing(sqlite3.connect(folder / "in.db")) as db, db:
        db.execute("CREATE TABLE notes (nr INTEGER PRIMARY KEY, name TEXT, mrn TEXT, body TEXT)")
        cells = ((number, note["id"], note["patient"], note["text"]) for number, note in enumerate(notes))
        db.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", cells)
    commands = (
        ("corpus", "make", "gold.jsonl", "--notes", "300"),
        ("detect", "gold.jsonl", "--out", "system.jsonl", "--rules", "only"),
        ("corpus", "make", "gold-200.jsonl", "--notes", "200"),
        ("corpus", "convert", "gold-200.jsonl", "xml", "--to", "i2b2"),
        ("corpus", "make", "gold-40.jsonl", "--notes", "40"),
    )
    for command in commands:
        status, _ = run(source, ("-m", "deidlab", *command, "-q"), folder)
        if status:
            raise SystemExit(f"deidlab {' '.join(command)} ended with status {status}")


def compare(work: Work, sources: Sequence[Path], folder: Path, rounds: int) -> list[str]:
    """The row of one work; a first run of each is not counted: it writes compiled files."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 1):
        for source, times in zip(sources, seconds, strict=True):
            status, used = run(source, work.arguments, folder)
            if status:
                which = "old" if source is sources[0] else "new"
                said = "does not know it" if status == WRONG_USAGE else f"ends with status {status}"
                return [work.name, *[""] * 3, f"the {which} commit {said}", ""]
            if turn:
                times.append(used)
    old, new = map(statistics.median, seconds)
    ratios = [after / before for before, after in zip(*seconds, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    speed = f"{work.n_notes / new:,.0f}" if work.n_notes else ""
    return [work.name, f"{old:.3f}", f"{new:.3f}", speed, f"{middle:.2f}", f"{low:.2f} to {high:.2f}"]


def describe(rows: Sequence[Sequence[str]], commits: Sequence[str], rounds: int, n_notes: int) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    said = (
        f"`python benchmarks/compare_commits.py {commits[0]} {commits[1]}`, {datetime.date.today()}, "
        f"{machine}, {rounds} rounds by turns, one thread, one worker; masking and detecting by rules read "
        f"{n_notes:,} notes of 890 characters. Seconds are of processor, medians, start-up included; the "
        "ratio is the median of the rounds' ratios."
    )
    head = ("work", "old, s", "new, s", "new, notes/s", "new/old", "middle half")
    table = [row(head), row(("---", *["---:"] * 5)), *map(row, rows)]
    return "\n".join(["# Two commits side by side", "", said, "", *table]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--notes", type=int, default=500)
    parser.add_argument("--works", nargs="+", default=[""], help="only those whose names hold one of these")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    commits = [git("rev-parse", "--short", commit) for commit in (asked.old, asked.new)]
    rows = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        places = (Path(name) / "old", Path(name) / "new")
        sources = [stack.enter_context(checkout(*pair)) for pair in zip(commits, places, strict=True)]
        folder = Path(name) / "input"
        folder.mkdir()
        fill(folder, sources[1], asked.notes)
        for work in works(asked.notes):
            if any(part in work.name for part in asked.works):
                rows.append(compare(work, sources, folder, asked.rounds))
                print(row(rows[-1]), flush=True)
    page = describe(rows, commits, asked.rounds, asked.notes)
    if asked.out:
        asked.out.write_text(page)
    print("\n" + page)


if __name__ == "__main__":
    main()
