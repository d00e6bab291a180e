"""Names in a study's folder, and how its files are written: whole or not at all, for a kill may come."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object, write_object, write_whole

__all__ = ["Access", "check_digest", "note_access", "now", "write_object", "write_whole"]

STUDY = "study.json"
RUNS = "runs"
COMPLETIONS = "completions"
SELECTION = "selection.json"
TESTS = "tests"
PREDICTIONS = "predictions"
CROSS = "cross"
ACCESS = "access.jsonl"
PROGRESS = "progress"
MODELS = "models"
ATTEMPTS = "attempts"
LOCK = "lock"


def now() -> str:
    """The time with microseconds, so that what came first can be told."""
    return datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def check_digest(folder: Path, part: str, digest: str) -> None:
    """Refuse notes that are not those which the study began with; of a new study, any will do."""
    known = read_object(folder / STUDY) if (folder / STUDY).is_file() else {}
    before = known.get("corpora", {}).get(part, {}).get("digest")
    if before not in (None, digest):
        raise ConfigError(f"{folder}: the {part} notes are not those that this study began with")


@dataclass(frozen=True, slots=True)
class Access:
    """What a step of a study reads of a part; `n_documents` is None where nothing tells yet how many."""

    step: str
    part: str
    what: str
    path: str
    n_documents: int | None


def note_access(folder: Path, access: Access, out: Path | None = None) -> None:
    """Add a line to the record of what was read; one write, so that lines of two processes do not mix.

    The line stands there before the reading. `out` is where the line goes, if not to the study's own folder.
    """
    line = {
        "time": now(),
        "step": access.step,
        "part": access.part,
        "what": access.what,
        "path": Path(access.path).name,
        "documents": access.n_documents,
        "selected": (folder / SELECTION).is_file(),
        "process": os.getpid(),
    }
    handle = os.open((out or folder) / ACCESS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        os.fsync(handle)
    finally:
        os.close(handle)
