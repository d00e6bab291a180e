"""Runs and what has ended of them in, what is to be trained next out; a resumed study asks the same question.

A job is one training that completes one run, or several that differ only in length. Under successive halving
the jobs of a rung appear once the rung below is complete.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from deidlab.study.grid import Run, expand_model, expand_runs, make_run
from deidlab.study.records import Completion
from deidlab.study.spec import HalvingSpec, ModelSpec, StudySpec


@dataclass(frozen=True, slots=True)
class Job:
    """Runs in order of their epochs, trained as one; all but the number of epochs is the same."""

    runs: tuple[Run, ...]

    @property
    def id(self) -> str:
        """The name of the longest run: its folder holds the checkpoint."""
        return self.runs[-1].id

    @property
    def model(self) -> str:
        return self.runs[0].model

    @property
    def epochs(self) -> int:
        return self.runs[-1].settings.epochs


def can_share(run: Run) -> bool:
    """Whether a longer run passes through this one's weights: then nothing may depend on the length."""
    settings = run.settings
    return (
        settings.schedule == "constant"
        and settings.patience == 0
        and settings.epochs % settings.validate_every == 0
    )


def share_key(run: Run) -> tuple[object, ...]:
    """Equal for runs that may be trained as one: all but their length, with warm-up counted in epochs."""
    settings = run.settings
    warm = round(settings.warmup * settings.epochs, 9)
    rest = replace(settings, epochs=1, warmup=0.0).as_dict()
    return (run.model, warm, *sorted((key, str(value)) for key, value in rest.items()))


def group_runs(runs: Sequence[Run], share: bool) -> list[Job]:
    """The runs as jobs, in the order of each job's first run."""
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        key = share_key(run) if share and can_share(run) else (run.id,)
        groups.setdefault(key, []).append(run)
    return [Job(tuple(sorted(group, key=lambda run: run.settings.epochs))) for group in groups.values()]


class Agenda:
    """A study's runs as they become known: the grid at once, a rung when the one below is complete."""

    def __init__(self, spec: StudySpec, grid: Mapping[str, list[Run]] | None = None) -> None:
        self._share = spec.run.share and spec.halving is None
        grid = expand_runs(spec) if grid is None else grid
        self._ladders = [_Ladder(model, grid[model.name], spec.halving) for model in spec.models]

    def open(self, completions: Mapping[str, Completion]) -> list[Job]:
        """The jobs that have become possible since the last call, with the runs that have not ended."""
        jobs: list[Job] = []
        for ladder in self._ladders:
            # A run that has ended stays out; the longer ones of its group go on from where it stood.
            fresh = [run for run in ladder.climb(completions) if run.id not in completions]
            jobs += group_runs(fresh, self._share)
        return jobs

    def order(self) -> dict[str, list[str]]:
        """The names of each model's runs that are known by now, in order."""
        return {ladder.model.name: [run.id for run in ladder.known] for ladder in self._ladders}


class _Ladder:
    """A model's runs that are `known` by now: its grid, or the rungs of halving up to the one under way."""

    def __init__(self, model: ModelSpec, grid: list[Run], halving: HalvingSpec | None) -> None:
        self.model, self._grid = model, grid
        self._halving = halving if len(grid) > 1 else None
        self._n_rungs = 1 if self._halving is None else count_rungs(len(grid), grid, self._halving)
        self._rung = 0
        self._tried: dict[int, Run] = {}
        self.known: list[Run] = []

    def climb(self, completions: Mapping[str, Completion]) -> list[Run]:
        """Enter each rung whose rung below is complete; the runs that have become known by that."""
        n_before = len(self.known)
        while self._rung < self._n_rungs and all(run.id in completions for run in self._tried.values()):
            self._rung += 1
            self._tried = self._enter(completions)
            self.known += self._tried.values()
            if not self._tried:
                self._rung = self._n_rungs
        return self.known[n_before:]

    def _enter(self, completions: Mapping[str, Completion]) -> dict[int, Run]:
        """The runs of a rung by their place in the grid: all at first, then the best of the rung below."""
        halving = self._halving
        if halving is None:
            return dict(enumerate(self._grid))
        below = self._tried
        if self._rung == 1:
            alive = list(range(len(self._grid)))
        else:
            place_of = {run.id: place for place, run in below.items()}
            ranked = rank([completions[run.id] for run in below.values()])
            alive = sorted(place_of[each.run] for each in ranked[: math.ceil(len(below) / halving.eta)])
        found = {}
        for place in alive:
            run = _at_rung(self.model, self._grid[place], self._rung, self._n_rungs, halving)
            found[place] = replace(run, before=below[place].id if place in below else None)
        return found


def next_jobs(spec: StudySpec, completions: Mapping[str, Completion]) -> list[Job]:
    """Every job that can be trained now, with the runs that have not ended."""
    return Agenda(spec).open(completions)


def count_rungs(n_settings: int, grid: Sequence[Run], halving: HalvingSpec) -> int:
    """Rungs until few are left, or until the shortest would fall below the least number of epochs."""
    longest = float(max(run.settings.epochs for run in grid))
    rungs = 1
    while n_settings > 1 and longest > halving.min_epochs and n_settings > halving.eta ** (rungs - 1):
        longest = longest / halving.eta
        rungs += 1
    return rungs


def expected_rungs(spec: StudySpec, model: ModelSpec) -> list[list[Run]]:
    """The rungs of a model as they will be; which settings survive is not known, so any stand for them."""
    grid = expand_model(spec, model)
    if spec.halving is None or len(grid) == 1:
        return [grid]
    n_rungs, n_alive = count_rungs(len(grid), grid, spec.halving), len(grid)
    rungs = []
    for rung in range(1, n_rungs + 1):
        # The longest ones stand for all: an estimate should not be too low.
        chosen = sorted(grid, key=lambda run: -run.settings.epochs)[:n_alive]
        rungs.append([_at_rung(model, run, rung, n_rungs, spec.halving) for run in chosen])
        n_alive = math.ceil(n_alive / spec.halving.eta)
    return rungs


def _at_rung(model: ModelSpec, run: Run, rung: int, n_rungs: int, halving: HalvingSpec) -> Run:
    """The run as a rung trains it: shorter below the last one, its schedule as long as itself."""
    settings = run.settings
    epochs = max(halving.min_epochs, round(settings.epochs / halving.eta ** (n_rungs - rung)))
    shorter = settings.changed(epochs=min(epochs, settings.epochs))
    if settings.schedule == "constant" and settings.warmup:
        shorter = shorter.changed(warmup=min(0.9, settings.warmup * settings.epochs / shorter.epochs))
    if shorter.validate_every > 1:
        shorter = shorter.changed(validate_every=max(1, min(shorter.validate_every, shorter.epochs)))
    return make_run(model, shorter, rung, rung == n_rungs)


def rank(completions: Sequence[Completion]) -> list[Completion]:
    """Those that are done, best first: by F1, then fewer epochs, then the order given."""
    done = [each for each in completions if each.is_done and each.f1 is not None]
    return sorted(done, key=lambda each: (-(each.f1 or 0.0), each.settings["epochs"]))
