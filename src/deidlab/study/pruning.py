"""Completions in, less on the disk: weights that cannot be selected any more go, and old checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from deidlab.study.completing import best_of, is_better, weights_of
from deidlab.study.folder import PROGRESS, RUNS
from deidlab.study.records import Completion
from deidlab.study.spec import StudySpec


def prune_runs(spec: StudySpec, folder: Path, completions: Mapping[str, Completion]) -> None:
    """Keep each model's best run (equals too), and the checkpoints that the next rung may take up."""
    for model in spec.models:
        own = [each for each in completions.values() if each.model == model.name]
        best = best_of([each for each in own if each.final])
        last_rung = max((each.rung or 0 for each in own), default=0)
        for each in own:
            (folder / PROGRESS / f"{each.run}.json").unlink(missing_ok=True)
            if each.final:
                beaten = not is_better(each.f1, int(each.settings["epochs"]), best)
                gone = spec.run.keep == "best" and beaten and weights_of(folder, each.run).is_file()
            else:
                gone = last_rung > (each.rung or 0) + 1 or _is_over(spec, own)
            if gone:
                shutil.rmtree(folder / RUNS / each.run, ignore_errors=True)


def _is_over(spec: StudySpec, own: list[Completion]) -> bool:
    """Whether a model's last rung has been begun and all of what began has ended."""
    finals = {each.run for each in own if each.final}
    eta = spec.halving.eta if spec.halving else 1
    below = [
        each for each in own if not each.final and each.rung == max(e.rung or 0 for e in own if not e.final)
    ]
    return bool(finals) and len(finals) >= -(-len(below) // eta)
