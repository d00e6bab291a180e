"""A study's file in, its records out: `deidlab study run` for a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deidlab.study.records import StudyRecords


def run_study(
    study: str | Path,
    out: str | Path | None = None,
    *,
    corpora: Mapping[str, str | Path] | None = None,
    changes: Mapping[str, Any] | None = None,
    processes: int = 0,
    device: str = "auto",
    retry: bool = False,
    accept_failures: bool = False,
    stop_after: str = "",
) -> StudyRecords:
    """Do what of the study is not done yet, and give all its records; the folder is what reports are made of.

    `corpora` says where notes are (`path`, or `train`, `validation` and `test`), `changes` other values of
    the file (`{"settings.epochs": 2}`). Without `out` the folder is a new one here, named after the file.
    """
    from deidlab.study.reading import read_spec
    from deidlab.study.run_options import RunOptions
    from deidlab.study.running import run_study

    sets = [f"{key}={json.dumps(value)}" for key, value in (changes or {}).items()]
    places = [f"{name}={place}" for name, place in (corpora or {}).items()]
    folder = Path(out) if out is not None else Path(f"{Path(study).stem}-study")
    options = RunOptions(
        device=device,
        processes=processes,
        retry=retry,
        accept_failures=accept_failures,
        stop_after=stop_after,
    )
    return run_study(read_spec(study, sets, places), folder, options)
