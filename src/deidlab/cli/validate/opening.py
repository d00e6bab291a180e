"""What the validate commands open alike: a run by its output, a protocol, a reading, a second detector."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.report.audit.record import RunRecord
    from deidlab.web.store import ReviewStore


def open_run(output: str) -> RunRecord:
    """The run that wrote this output."""
    from deidlab.cli.options.databases import is_database
    from deidlab.corpus.database_url import target_place
    from deidlab.report.audit.record import read_record

    return read_record(target_place(output) if is_database(output) else Path(output))


def usual_store(protocol: Path, store: Path | None) -> Path:
    """Where what was read under a protocol is kept."""
    return store or protocol.with_suffix(".review")


def open_existing_store(path: Path) -> ReviewStore:
    from deidlab.web.store import ReviewStore

    if not path.exists():
        raise ConfigError(f"{path}: nothing was read yet; `deidlab validate read` begins")
    return ReviewStore(path)
