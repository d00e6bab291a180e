"""The folder of a run under way: `.NAME.deidlab-run` beside the output, for its owner alone.

It outlives a kill, so that the same command goes on where the last one stopped, and is gone when the run is
done. What is in it (state, masked parts) has no word of the original notes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deidlab.errors import ConfigError, CorpusError
from deidlab.pipeline.run.parts import Parts
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import State

_JOB, _REPEATABLE = "job", "repeatable"


@dataclass(frozen=True, slots=True)
class Partial:
    """A run under way: what tells it from others, its folder, its state, its parts, and what seals them."""

    job: str
    folder: Path
    state: State
    parts: Parts
    seal: Seal

    def fresh(self, name: str) -> Path:
        """A path in the folder with nothing there."""
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        return path


@contextlib.contextmanager
def open_partial(
    destination: Path, job: str, seal: Seal, repeatable: bool, restart: bool
) -> Iterator[Partial]:
    """Go on with the run of that job, or begin it; another job's run is refused unless `restart` drops it."""
    folder = destination.parent / f".{destination.name}.deidlab-run"
    destination.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _drop_other(folder, job, restart)
        folder.mkdir(mode=0o700, exist_ok=True)
        state = State(folder / "state.sqlite")
        state.put_setting(_JOB, job)
        state.put_setting(_REPEATABLE, str(int(repeatable)))
        done = False
        try:
            yield Partial(job, folder, state, Parts(folder / "parts"), seal)
            done = True
        finally:
            worthless = done or not state.has_task(0) or not repeatable
            state.close()
            if worthless:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def scratch_folder(destination: Path) -> Iterator[Path]:
    """A folder beside an output to make it in, for its owner alone; what a kill left in it goes first."""
    folder = destination.parent / f".{destination.name}.deidlab-restore"
    destination.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _drop_other(folder: Path, job: str, restart: bool) -> None:
    """Remove what cannot be continued: another job's run, on request, or one whose key is lost."""
    path = folder / "state.sqlite"
    if not path.exists():
        shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        with contextlib.closing(State(path)) as state:
            same, repeatable = state.setting(_JOB) == job, state.setting(_REPEATABLE) == "1"
    except sqlite3.DatabaseError:
        # Killed before its tables were there, or damaged: nothing in it can be trusted.
        same = repeatable = False
    if same and not restart:
        return
    if repeatable and not restart:
        raise ConfigError(
            f"{folder}: an unfinished run with other settings or another key; repeat those to go on with it, "
            "or start over with --overwrite"
        )
    shutil.rmtree(folder)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two runs at once into one output would mix; the lock goes with the process that holds it."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    path = folder.with_name(folder.name + ".lock")
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CorpusError(f"{folder}: another run is writing this output now") from None
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
