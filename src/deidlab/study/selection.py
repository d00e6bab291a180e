"""Completions in, the run that stands for each model out, written down before any test note is opened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.study.folder import COMPLETIONS, SELECTION, now, write_object
from deidlab.study.jobs import rank
from deidlab.study.records import Completion, Selection, read_selection
from deidlab.study.spec import MEASURE, StudySpec

TIES = "of equals the one with fewer epochs, then the first of the grid"


def select_runs(
    spec: StudySpec, completions: Mapping[str, Completion], order: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Any]]:
    """The best final run of each model by validation F1; `order` lists each model's runs as the grid does.

    A model whose runs all failed is left out.
    """
    chosen = {}
    for model in spec.models:
        ended = [completions[run] for run in order[model.name] if run in completions]
        ranked = rank([each for each in ended if each.final])
        if not ranked:
            continue
        best, second = ranked[0], ranked[1] if len(ranked) > 1 else None
        chosen[model.name] = {
            "run": best.run,
            "settings": dict(best.settings),
            "f1": best.f1,
            "runner_up": None if second is None else second.run,
            "runner_up_f1": None if second is None else second.f1,
            "n_runs": len(ended),
        }
    return chosen


def write_selection(folder: Path, chosen: Mapping[str, Any]) -> Selection:
    """Write the selection; once it is there, it stays."""
    before = read_selection(folder)
    if before is not None:
        return before
    if not chosen:
        raise ConfigError(
            f"{folder}: every run failed, so there is nothing to select; its completion records say why "
            "(`deidlab study run --retry` tries again)"
        )
    table = {
        "time": now(),
        "measure": MEASURE,
        "ties": TIES,
        "digest": digest_completions(folder),
        "models": dict(chosen),
    }
    write_object(folder / SELECTION, table)
    found = read_selection(folder)
    assert found is not None
    return found


def digest_completions(folder: Path) -> str:
    """A fingerprint of all completion records that a selection rests on."""
    digest = hashlib.sha256()
    for path in sorted((folder / COMPLETIONS).glob("*.json")):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{digest.hexdigest()}"
