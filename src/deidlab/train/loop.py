"""The way through the epochs, the same for every loss: steps, validation, checkpoints, and an orderly end.

Comes in: windows, a loss over rows, the flat parameters. Goes out: the history, and the best weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from deidlab.encode.packing import RowShape, build_rows, count_deciding, n_used, pack_windows, shuffled
from deidlab.encode.pieced import PiecedCorpus
from deidlab.errors import ModelError
from deidlab.train.checkpoint import load_checkpoint, save_checkpoint, seed_everything
from deidlab.train.flat import knobs_at
from deidlab.train.launch import Bookkeeping
from deidlab.train.processes import Place
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.train.stopping import Interrupted, StopSignal

_BLOCK_ROWS = 512
_CHECK_STEPS = 200


@dataclass(slots=True)
class Progress:
    """How far a run is; everything in it goes into a checkpoint."""

    epoch: int = 0
    done_steps: int = 0
    step: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    layout: list[int] = field(default_factory=list)
    best: float | None = None
    best_epoch: int = 0
    waited: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Speed:
    """What was worked through since the run was started or resumed, and in what time; validation left out."""

    steps: int = 0
    windows: int = 0
    pieces: int = 0
    seconds: float = 0.0


class Loop:
    """One run's way through its epochs."""

    def __init__(
        self,
        corpus: PiecedCorpus,
        shape: RowShape,
        steps: TrainSteps,
        settings: TrainSettings,
        place: Place,
        kept: Bookkeeping,
    ) -> None:
        self.corpus, self.shape, self.flat, self.steps = corpus, shape, steps.flat, steps
        self.settings, self.place, self.folder = settings, place, kept.folder
        self.validate, self.tell = kept.validate, kept.tell
        self.progress = Progress()
        self.best: Any = None
        self.speed = Speed()
        self._lengths = corpus.lengths.tolist()
        self._deciding = count_deciding(corpus).tolist() if shape.n_deciding else None
        self._saved_at = time.monotonic()
        self._signal = StopSignal()

    def prepare(self, graphed: bool, resume: bool) -> float:
        """Record the step as a graph, set the seeds, and take up a checkpoint; the seconds that it took."""
        began = time.perf_counter()
        if graphed:
            rows = next(self._blocks(self._plan(0)[: self.settings.accumulate]))[0]
            self.steps.capture(rows, self.shape)
            torch.cuda.synchronize()
        seed_everything(self.settings.seed + self.place.rank)
        if resume:
            found = load_checkpoint(self.folder, self.flat)
            if found is not None:
                saved, self.best = found
                self.progress = Progress(**saved)
        layout = [self.shape.n_pieces, self.settings.accumulate, self.place.n_processes]
        layout += [self.shape.n_deciding] if self.shape.n_deciding else []
        if self.progress.layout not in ([], layout):
            # Rows of another size: the epoch that was under way starts again.
            self.progress.done_steps, self.progress.sums = 0, [0.0, 0.0, 0.0]
        self.progress.layout = layout
        return time.perf_counter() - began

    def first_step(self) -> tuple[Any, list[RowShape], Any, int]:
        """Rows, shapes and knobs of the very first step, and the pieces in its rows: to time a step with."""
        plan = self._plan(0)[: self.settings.accumulate]
        rows, shapes = next(self._blocks(plan))
        return rows, shapes, self._knobs(1)[0], sum(n_used(row, self._lengths) for row in plan)

    def run(self) -> Progress:
        """Go through the epochs that are left."""
        with self._signal:
            while self.progress.epoch < self.settings.epochs:
                self._run_epoch()
                if self.settings.patience and self.progress.waited >= self.settings.patience:
                    break
        return self.progress

    def save(self) -> None:
        """Write a checkpoint."""
        progress = self.progress
        progress.sums = [a + b for a, b in zip(progress.sums, self.steps.read_sums(), strict=True)]
        if self.place.leads:
            kept = {name: getattr(progress, name) for name in Progress.__slots__}
            save_checkpoint(self.folder, self.flat, kept, self.best)
        self._saved_at = time.monotonic()

    def _run_epoch(self) -> None:
        progress = self.progress
        plan = self._plan(progress.epoch)
        n_steps = len(plan) // self.settings.accumulate
        began, first = time.perf_counter(), progress.done_steps
        knobs = self._knobs(n_steps)
        per_step = self.settings.accumulate
        at = first
        for rows, shapes in self._blocks(plan[first * per_step :]):
            for start in range(0, len(shapes), per_step):
                self.steps.run(rows[start : start + per_step], shapes[start : start + per_step], knobs[at])
                at += 1
                progress.step += 1
                progress.done_steps = at
                self._after_step()
        self._end_epoch(plan[first * per_step :], began)

    def _after_step(self) -> None:
        if self.progress.step % _CHECK_STEPS == 0:
            self._refuse_nan(self.steps.sums.tolist())
        late = time.monotonic() - self._saved_at > 60 * self.settings.checkpoint_minutes
        if self._signal.asked or (late and self.settings.checkpoint_minutes):
            self._refuse_nan(self.steps.sums.tolist())
            self.save()
            if self._signal.asked:
                raise Interrupted

    def _end_epoch(self, plan: Sequence[Sequence[int]], began: float) -> None:
        progress = self.progress
        sums = [a + b for a, b in zip(progress.sums, self.steps.read_sums(), strict=True)]
        sums = self.place.add_up(sums)
        self._refuse_nan(sums)
        self._count_work(plan, time.perf_counter() - began)
        progress.epoch, progress.done_steps, progress.sums = progress.epoch + 1, 0, [0.0, 0.0, 0.0]
        decided = max(sums[1], 1.0)
        entry: dict[str, Any] = {
            "epoch": progress.epoch,
            "step": progress.step,
            "learning_rate": self._rate(progress.epoch / self.settings.epochs),
            "train": {"loss": sums[0] / decided, "accuracy": sums[2] / decided},
            "seconds": round(time.perf_counter() - began, 3),
        }
        last = progress.epoch == self.settings.epochs
        if self.validate is not None and (last or progress.epoch % self.settings.validate_every == 0):
            began = time.perf_counter()
            entry["validation"] = self._validate()
            entry["validation_seconds"] = round(time.perf_counter() - began, 3)
        progress.history.append(entry)
        if self.tell is not None and self.place.leads:
            self.tell(entry)

    def _count_work(self, plan: Sequence[Sequence[int]], seconds: float) -> None:
        speed = self.speed
        speed.steps += len(plan) // self.settings.accumulate
        speed.windows += sum(len(row) for row in plan)
        speed.pieces += sum(n_used(row, self._lengths) for row in plan)
        speed.seconds += seconds

    def _validate(self) -> dict[str, Any]:
        assert self.validate is not None
        average = self.flat.average
        if average is not None:
            self.flat.load_weights(average)
        found = self.validate()
        if average is not None:
            self.flat.restore()
        progress = self.progress
        score = found["f1"] if "f1" in found else -found["loss"]
        better = score is not None and (progress.best is None or score > progress.best)
        progress.waited = 0 if better else progress.waited + 1
        if better:
            progress.best, progress.best_epoch = score, progress.epoch
            if self.settings.keep == "best":
                self.best = (self.flat.master if average is None else average).clone()
        return found

    def _plan(self, epoch: int) -> list[list[int]]:
        """This process's rows of an epoch; empty ones make every step of every process whole."""
        order = shuffled(self.corpus.n_windows, self.settings.seed, epoch).tolist()
        plan = pack_windows(self._lengths, order, self.shape, deciding=self._deciding)
        whole = self.place.n_processes * self.settings.accumulate
        plan += [[] for _ in range(-len(plan) % whole)]
        return plan[self.place.rank :: self.place.n_processes]

    def _blocks(self, plan: Sequence[list[int]]) -> Iterator[tuple[Any, list[RowShape]]]:
        """Rows on the device, a few hundred at a time; on a CPU each row ends with its last window."""
        per_block = max(1, _BLOCK_ROWS // self.settings.accumulate) * self.settings.accumulate
        for start in range(0, len(plan), per_block):
            block = plan[start : start + per_block]
            if self.place.device.type != "cuda":
                shapes = [self._trimmed(row) for row in block]
                built = [
                    build_rows(self.corpus, [row], shape) for row, shape in zip(block, shapes, strict=True)
                ]
                yield [_tensor(rows[0]) for rows in built], shapes
            else:
                rows = _tensor(build_rows(self.corpus, block, self.shape)).pin_memory()
                yield rows.to(self.place.device, non_blocking=True), [self.shape] * len(block)

    def _trimmed(self, row: Sequence[int]) -> RowShape:
        used = n_used(row, self._lengths)
        size = used or min(8, self.shape.longest)
        return RowShape(size, max(len(row), 1), self.shape.longest, self.shape.first_position)

    def _knobs(self, n_steps: int) -> Any:
        progress, epochs = self.progress, self.settings.epochs
        started = progress.step - progress.done_steps
        knobs = [
            knobs_at(started + at + 1, self._rate((progress.epoch + (at + 0.5) / n_steps) / epochs))
            for at in range(n_steps)
        ]
        return _tensor(np.array(knobs, np.float32)).to(self.place.device)

    def _rate(self, share: float) -> float:
        return self.settings.learning_rate * rate_factor(share, self.settings.warmup, self.settings.schedule)

    def _refuse_nan(self, sums: Sequence[float]) -> None:
        if math.isfinite(sums[0]):
            return
        kept = (
            "the last checkpoint is kept"
            if (self.folder / "checkpoint.pt").exists()
            else "nothing was saved yet"
        )
        lower = self.settings.learning_rate / 3
        raise ModelError(
            f"the loss is not a number (epoch {self.progress.epoch + 1}, by step {self.progress.step}); "
            f"{kept}: go on with --resume {self.folder} --learning-rate {lower:.1g}"
        )


def describe_speed(loop: Loop, prepared: float) -> dict[str, Any]:
    """How fast a run went, its preparation (compiling, recording the graph) apart."""
    speed, n_pieces = loop.speed, loop.shape.n_pieces
    seconds = max(speed.seconds, 1e-9)
    whole = max(1, speed.steps * loop.settings.accumulate * n_pieces)
    return {
        "steps_per_second": round(speed.steps / seconds, 3),
        "samples_per_second": round(speed.windows / seconds, 2),
        "pieces_per_second": round(speed.pieces / seconds, 1),
        "pieces_per_row": n_pieces,
        "filler": round(1 - speed.pieces / whole, 4),
        "preparation_seconds": round(prepared, 2),
    }


def rate_factor(share: float, warmup: float, schedule: str) -> float:
    """The factor on the learning rate when `share` of the run is done."""
    if share < warmup:
        return share / warmup
    rest = (1.0 - share) / (1.0 - warmup) if warmup < 1 else 0.0
    if schedule == "cosine":
        return 0.5 * (1.0 + math.cos(math.pi * (1.0 - rest)))
    return 1.0 if schedule == "constant" else max(rest, 0.0)


def _tensor(array: Any) -> Any:
    return torch.from_numpy(array)
