"""A job in, completion records out: one training, measured at the end of each of its runs.

The weights of a run are written only where it is the best of its model so far. A checkpoint stays until the
job is complete, so that a process that was killed loses little.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable
from typing import Any

import torch

from deidlab.errors import DeidError
from deidlab.study.completing import Timing, best_so_far, complete_run, is_better, write_progress
from deidlab.study.folder import RUNS
from deidlab.study.grid import Run
from deidlab.study.jobs import Job
from deidlab.study.measuring import measure_found
from deidlab.study.preparing import prepare_run
from deidlab.study.workshop import Workshop
from deidlab.train.checkpoint import CHECKPOINT, remove_checkpoint
from deidlab.train.folder import describe_parts, save_tagger, start_record
from deidlab.train.record import describe_environment, peak_memory_bytes
from deidlab.train.request import write_request
from deidlab.train.stopping import Interrupted
from deidlab.train.tag_session import TagSession
from deidlab.train.validating import Validation

Record = dict[str, Any]


def train_job(workshop: Workshop, job: Job, tell: Callable[[Run, Record], None] | None = None) -> None:
    """Train a job and write the completion of each of its runs; a failure is written too, and not raised."""
    timing = Timing.start(workshop.out, job.id)
    training: _JobTraining | None = None
    try:
        training = _JobTraining(workshop, job, timing, tell)
        training.run()
    except Exception as error:
        # Where the device itself fails, it is lost to this process; a fresh one can go on.
        if isinstance(error, getattr(torch, "AcceleratorError", ())):
            raise
        left = job.runs if training is None else training.left
        for run in left:
            complete_run(workshop.out, run, timing, error=describe_failure(error, run))
        remove_checkpoint(workshop.run_folder(job.id))
    finally:
        training = None
        gc.collect()
        if workshop.place.device.type == "cuda":
            torch.cuda.empty_cache()


def describe_failure(error: BaseException, run: Run) -> str:
    """One line, without a word of the notes."""
    from deidlab.execute.tasks import describe

    if isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error):
        return f"out of memory with {run.settings.batch} windows a step: set a smaller batch, and accumulate"
    if isinstance(error, DeidError):
        return " ".join(str(error).partition("; nothing was saved")[0].partition(": go on with")[0].split())
    return describe(error)


class _JobTraining:
    """A job's training: that of `deidlab train`, watched so that each of its runs is completed in time."""

    def __init__(
        self, workshop: Workshop, job: Job, timing: Timing, tell: Callable[[Run, Record], None] | None
    ) -> None:
        self.left = list(job.runs)
        self._workshop, self._job, self._timing, self._tell = workshop, job, timing, tell
        self._settings = settings = job.runs[-1].settings
        self._place = place = workshop.place
        self._material = prepare_run(workshop, workshop.find(job.model), settings)
        self._folder = workshop.run_folder(job.id)
        self._folder.mkdir(parents=True, exist_ok=True)
        if place.device.type == "cuda":
            timing.take_gpu()
            torch.cuda.reset_peak_memory_stats(place.device)
        self._details: dict[int, Record] = {}
        self._training = TagSession(
            self._material, settings, place, self._folder, self._after, self._validate
        )  # fmt: skip
        self._session, self._loop = self._training.session, self._training.session.loop

    def run(self) -> None:
        _take_over(self._workshop, self._job)
        self._session.prepare(resume=True)
        self._loop.run()
        # A checkpoint taken at a run's very end leaves no epoch to go through.
        if self.left:
            self._complete(self.left[0])
        if self._job.runs[-1].final or not _goes_on(self._job.runs[-1]):
            remove_checkpoint(self._folder)
        else:
            self._loop.save()
        if not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _validate(self, validation: Validation) -> Record:
        """The study's figures on the validation notes, of the weights as they are."""
        notes = self._workshop.notes("validation")
        figures = measure_found(notes, validation.find(), self._settings.words)
        self._details[self._loop.progress.epoch] = figures
        return {key: value for key, value in figures.items() if key != "by_label"}

    def _after(self, entry: Record) -> None:
        """At the end of an epoch: tell, complete the run that is this long, and stop where nobody waits."""
        if self._timing.abandoned():
            raise Interrupted
        self._timing.lap()
        run = self.left[0]
        write_progress(self._workshop.out, self._job, run, entry["epoch"], self._timing)
        if self._tell is not None:
            self._tell(run, entry)
        if entry["epoch"] == run.settings.epochs:
            self._complete(run)
            if self.left:
                self._loop.save()

    def _complete(self, run: Run) -> None:
        progress = self._loop.progress
        epoch = (progress.best_epoch if self._settings.keep == "best" else 0) or progress.epoch
        figures, weights = self._details.get(epoch), self._session.weights_to_keep()
        if figures is None:
            # Taken up from a checkpoint: the figures of an earlier epoch are not in this process.
            assert self._training.validation is not None
            self._session.flat.load_weights(weights)
            self._validate(self._training.validation)
            figures = self._details[progress.epoch]
            self._session.flat.restore()
        record = self._describe(epoch, figures)
        if run.final and self._is_worth_keeping(run, figures["f1"]):
            self._save(run, weights, record)
        complete_run(self._workshop.out, run, self._timing, record, shares=self._shares(run))
        self.left.pop(0)

    def _shares(self, run: Run) -> str | None:
        return None if len(self._job.runs) == 1 or run is self._job.runs[-1] else self._job.id

    def _is_worth_keeping(self, run: Run, f1: float | None) -> bool:
        if self._workshop.spec.run.keep != "best":
            return self._workshop.spec.run.keep == "all"
        return is_better(f1, run.settings.epochs, best_so_far(self._workshop.folder, run.model))

    def _describe(self, epoch: int, validation: Record) -> Record:
        history, speed, how = self._loop.progress.history, self._loop.speed, self._session.describe()
        seconds = max(speed.seconds, 1e-9)
        n_notes = len(self._workshop.notes("train"))
        return {
            "validation": validation,
            "train": history[-1]["train"],
            "epochs": list(history),
            "best_epoch": epoch,
            "kept": self._settings.keep,
            "n_parameters": sum(each.numel() for each in self._training.tagger.parameters()),
            "peak_memory_bytes": peak_memory_bytes(self._place.device),
            "precision": how["precision"],
            "compiled": how["compiled"],
            "environment": describe_environment(self._place.device),
            "config": _plain_config(self._material.model.config),
            "labels": list(self._material.labels.labels),
            "corpora": self._workshop.describe_parts(),
            "speed": {
                "train": {
                    "notes_per_second": n_notes * speed.windows / self._material.corpus.n_windows / seconds,
                    "windows_per_second": speed.windows / seconds,
                    "pieces_per_second": speed.pieces / seconds,
                    "steps_per_second": speed.steps / seconds,
                    "pieces_per_row": self._session.shape.n_pieces,
                    "seconds": speed.seconds,
                }
            },
        }

    def _save(self, run: Run, weights: Any, record: Record) -> None:
        """The run folder as `deidlab train` leaves it, so that every other command can use it."""
        material, workshop, settings = self._material, self._workshop, run.settings
        folder = workshop.run_folder(run.id)
        folder.mkdir(parents=True, exist_ok=True)
        own = start_record(material.request, settings, material.labels, self._place.device, 1)
        parts = workshop.notes("train"), workshop.notes("validation")
        own |= describe_parts(material, *parts, workshop.digest("train"), workshop.digest("validation"))
        own["teachers"] = []
        own |= {
            key: record[key] for key in ("best_epoch", "kept", "epochs", "peak_memory_bytes", "precision")
        }
        own |= {"seconds": round(self._timing.seconds, 2), "speed": dict(record["speed"]["train"])}
        own["speed"]["samples_per_second"] = own["speed"]["windows_per_second"]
        flat = self._session.flat
        flat.load_weights(weights)
        own |= self._training.measure()
        flat.restore()
        write_request(folder, material.request, settings)
        flat.release(weights)
        tagger = self._training.tagger
        try:
            save_tagger(folder, tagger, material, settings, own)
        finally:
            flat.release(flat.weights)


def _goes_on(run: Run) -> bool:
    """Whether the next rung can take up this run's checkpoint: where the rate does not depend on length."""
    return run.settings.schedule == "constant" and run.settings.patience == 0


def _take_over(workshop: Workshop, job: Job) -> None:
    """The checkpoint of the rung below, where the job can go on from it."""
    run = job.runs[-1]
    if run.before is None or not _goes_on(run):
        return
    below = workshop.folder / RUNS / run.before / CHECKPOINT
    own = workshop.run_folder(run.id) / CHECKPOINT
    if below.is_file() and not own.is_file():
        partial = own.with_name(f".{own.name}.{os.getpid()}.partial")
        shutil.copyfile(below, partial)
        partial.replace(own)


def _plain_config(config: Any) -> Record:
    kept = ("model_type", "hidden_size", "embedding_size", "num_hidden_layers", "num_attention_heads",
            "intermediate_size", "vocab_size", "max_position_embeddings", "hidden_dropout_prob", "hidden_act",
            "num_hidden_groups")  # fmt: skip
    found = config.to_dict()
    return {key: found[key] for key in kept if found.get(key) is not None}
