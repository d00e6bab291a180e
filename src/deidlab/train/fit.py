"""One setting in, one run folder out: a model fine-tuned to tag PHI, with the record of how it came about."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.pieces import WordPieces
from deidlab.labels import LabelSet
from deidlab.train.canaries import plant_canaries
from deidlab.train.canary_mentions import make_mentions
from deidlab.train.checkpoint import remove_checkpoint
from deidlab.train.folder import (
    describe_parts,
    open_folder,
    refuse_finished,
    save_tagger,
    start_record,
    take_up_record,
)
from deidlab.train.launch import Launch, Tell
from deidlab.train.loop import describe_speed
from deidlab.train.material import Material, Materials
from deidlab.train.processes import Place, find_place
from deidlab.train.record import RECORD, digest_corpus, peak_memory_bytes, write_json
from deidlab.train.request import RunRequest, write_request
from deidlab.train.settings import TrainSettings
from deidlab.train.surrogates import put_surrogates
from deidlab.train.tag_session import TagSession
from deidlab.train.teaching import check_teachers, describe_teachers
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its folder, and what its record says."""

    folder: Path
    record: dict[str, Any] = field(repr=False)

    @property
    def f1(self) -> float | None:
        """Strict F1 on the validation notes of the weights that were kept."""
        validation = self.record.get("validation")
        return validation["f1"] if validation else None


def fit(
    documents: Sequence[Document],
    validation: Sequence[Document],
    request: RunRequest,
    settings: TrainSettings,
    launch: Launch,
    tell: Tell | None = None,
) -> Run:
    """Fine-tune a model on documents and leave a run folder.

    `validation` may be empty: the last weights are kept then.
    """
    place = find_place(launch.device)
    digest = digest_corpus(documents)
    canaries = make_mentions(documents, request.canaries, settings.seed)
    planted = plant_canaries(canaries)
    if request.surrogates:
        documents = [put_surrogates(document, settings.seed) for document in documents]
        planted = [put_surrogates(note, settings.seed) for note in planted]

    def check(pieces: WordPieces, labels: LabelSet) -> None:
        check_teachers(request.teachers, pieces, labels.tags, settings)

    # Each process of a training on several GPUs cuts for itself: together they have this machine's cores.
    n_cutters = launch.n_cutters // place.n_processes
    materials = Materials(documents, validation, planted=planted, n_cutters=n_cutters)
    material = materials.prepare(request, settings, check)
    material = replace(material, canaries=canaries)
    record = start_record(request, settings, material.labels, place.device, place.n_processes)
    record["teachers"] = describe_teachers(request.teachers)
    record |= describe_parts(material, documents, validation, digest, digest_corpus(validation))
    _open(launch, request, settings, record, place)
    tagger = _train(material, settings, place, launch, record, tell)
    if place.leads:
        save_tagger(launch.folder, tagger, material, settings, record)
        remove_checkpoint(launch.folder)
    place.wait()
    return Run(launch.folder, record)


def _open(
    launch: Launch, request: RunRequest, settings: TrainSettings, record: dict[str, Any], place: Place
) -> None:
    folder = launch.folder
    if place.leads:
        open_folder(folder, launch.resume, launch.overwrite)
        if launch.resume:
            refuse_finished(folder, record["corpus"]["digest"])
            take_up_record(record, folder, settings)
        write_request(folder, request, settings)
        write_json(folder / RECORD, record)
    place.wait()


def _train(
    material: Material,
    settings: TrainSettings,
    place: Place,
    launch: Launch,
    record: dict[str, Any],
    tell: Tell | None,
) -> Tagger:
    """Train, put the figures into the record; the tagger, with the weights to keep, in fp32."""

    def after(entry: dict[str, Any]) -> None:
        record["epochs"] = loop.progress.history
        write_json(launch.folder / RECORD, record)
        if tell is not None:
            tell(entry)

    training = TagSession(material, settings, place, launch.folder, after)
    session, loop, canaries = training.session, training.session.loop, material.canaries
    record |= session.describe()
    if canaries:
        planted = sum(canary.times for canary in canaries)
        record["canaries"] = {"planted_notes": planted, "before": training.expose(canaries)}
    began = time.perf_counter()
    with session.naming_fitting_batch():
        prepared = session.prepare(launch.resume)
        progress = loop.run()
    final = session.weights_to_keep()
    session.flat.load_weights(final)
    record |= {
        "epochs": progress.history,
        "best_epoch": progress.best_epoch or progress.epoch,
        "kept": "last" if loop.best is None else "best",
        "speed": describe_speed(loop, prepared),
        "seconds": round(time.perf_counter() - began, 2),
        "peak_memory_bytes": peak_memory_bytes(place.device),
    }
    record |= training.measure()
    if canaries:
        record["canaries"]["after"] = training.expose(canaries)
        record["canaries"]["after_elsewhere"] = training.expose(canaries, elsewhere=True)
    session.flat.release(final)
    return training.tagger
