"""Notes without tags in, a model that knows their language better out: masked-language modelling.

The same loop, rows and steps as fine-tuning; the folder it leaves can be given to `deidlab train --model`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.encode.pieced import Cutting, PiecedCorpus, piece_texts, refuse_empty
from deidlab.encode.pieces import WordPieces
from deidlab.train.canaries import Canary, measure_exposure, plant_canaries, summarise_exposure
from deidlab.train.canary_codes import likelihood_of_codes, make_codes
from deidlab.train.checkpoint import remove_checkpoint, seed_everything
from deidlab.train.folder import describe_corpus, open_folder, refuse_finished, save_weights
from deidlab.train.launch import Bookkeeping, Launch, Tell
from deidlab.train.loop import describe_speed
from deidlab.train.masking import MaskLoss, hide_for_good, score_hidden
from deidlab.train.material import find_pieces, window_for
from deidlab.train.models import build_model, load_config
from deidlab.train.pretrain_card import write_pretrain_card
from deidlab.train.pretrain_settings import PretrainRequest, PretrainSettings
from deidlab.train.processes import find_place
from deidlab.train.record import (
    RECORD,
    SETTINGS,
    describe_environment,
    digest_corpus,
    now,
    peak_memory_bytes,
    write_file,
    write_json,
)
from deidlab.train.session import Session
from deidlab.types import Document

if TYPE_CHECKING:
    import torch
    from torch import nn

    from deidlab.train.processes import Place


@dataclass(frozen=True, slots=True)
class PretrainRun:
    """A finished pretraining: its folder, and what its record says."""

    folder: Path
    record: dict[str, Any]


def pretrain(
    documents: Sequence[Document],
    request: PretrainRequest,
    settings: PretrainSettings,
    launch: Launch,
    tell: Tell | None = None,
) -> PretrainRun:
    """Go on pretraining a model on notes; spans that the notes may have are not looked at."""
    from deidlab.train.corpora import hold_out

    place = find_place(launch.device)
    folder, digest = launch.folder, digest_corpus(documents)
    seed_everything(settings.seed)
    source = request.source
    pieces = find_pieces(source, documents)
    model = build_model(source, load_config(source), "MaskedLM", pieces, settings.dropout)
    window = window_for(model, pieces, settings)
    kept: list[Document] = list(documents)
    held: list[Document] = []
    if settings.validation_share:
        kept, held = hold_out(documents, settings.validation_share, settings.seed)
    canaries, cutting = (
        make_codes(settings.canaries, settings.seed),
        Cutting(pieces, window, settings.words),
    )
    corpus = piece_texts([*kept, *plant_canaries(canaries)], cutting)
    refuse_empty(corpus, "training")
    reading = _Reading(cutting, corpus, piece_texts(held, cutting) if held else None, canaries)
    record = _start_record(request, settings, place.device)
    record["corpus"] = describe_corpus(documents, corpus, digest)
    if place.leads:
        open_folder(folder, launch.resume, launch.overwrite)
        if launch.resume:
            refuse_finished(folder, digest)
        write_json(folder / SETTINGS, {"request": asdict(request), "settings": asdict(settings)})
        write_json(folder / RECORD, record)
    place.wait()
    model.to(place.device)
    _Work(model, reading, settings, place, record, Bookkeeping(folder, tell=tell)).run(launch.resume)
    if place.leads:
        _save(folder, model, pieces, record)
    place.wait()
    return PretrainRun(folder, record)


def _start_record(
    request: PretrainRequest, settings: PretrainSettings, device: torch.device
) -> dict[str, Any]:
    return {
        "record": 1,
        "kind": "pretraining",
        "started": now(),
        "model": request.model,
        "from_scratch": request.scratch,
        "tokenizer": request.tokenizer or request.model,
        "settings": asdict(settings),
        "environment": describe_environment(device),
    }


def _save(folder: Path, model: nn.Module, pieces: WordPieces, record: dict[str, Any]) -> None:
    save_weights(folder, model, {})
    write_file(folder / "tokenizer.json", pieces.to_json().encode())
    record["finished"] = now()
    write_file(folder / "README.md", write_pretrain_card(record).encode())
    write_json(folder / RECORD, record)
    remove_checkpoint(folder)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a model reads: the notes to learn from, those held out, and the secrets that were planted."""

    cutting: Cutting
    corpus: PiecedCorpus
    held_out: PiecedCorpus | None
    canaries: Sequence[Canary] = field(repr=False)


class _Work:
    """The parts of one pretraining, put together."""

    def __init__(
        self,
        model: nn.Module,
        reading: _Reading,
        settings: PretrainSettings,
        place: Place,
        record: dict[str, Any],
        kept: Bookkeeping,
    ) -> None:
        self._model, self._cutting, self._canaries = model, reading.cutting, reading.canaries
        self._settings, self._place, self._record = settings, place, record
        self._hidden, pieces = None, reading.cutting.pieces
        if reading.held_out is not None:
            self._hidden = hide_for_good(reading.held_out, settings.mask_share, pieces, settings.seed)
            kept = replace(kept, validate=self._measure)
        loss = MaskLoss(model, settings.mask_share, pieces.hidden)
        self._session = Session(model, loss, reading.corpus, settings.as_train(), place, kept)
        record |= {key: value for key, value in self._session.describe().items() if key != "compiled"}

    def run(self, resume: bool) -> None:
        """Pretrain, put the figures into the record, and leave the model with its last weights, in fp32."""
        session, before = self._session, self._expose()
        if self._hidden is not None:
            self._record["validation_before"] = self._measure()
        began = time.perf_counter()
        with session.naming_fitting_batch():
            prepared = session.prepare(resume)
            progress = session.loop.run()
        self._record |= {
            "epochs": progress.history,
            "speed": describe_speed(session.loop, prepared),
            "seconds": round(time.perf_counter() - began, 2),
            "peak_memory_bytes": peak_memory_bytes(self._place.device),
        }
        session.flat.release(session.weights_to_keep())
        if self._canaries:
            self._record["canaries"] = {"before": before, "after": self._expose()}

    def _measure(self) -> dict[str, Any]:
        assert self._hidden is not None
        chances, first = score_hidden(self._model, self._hidden, self._place.device)
        return {"loss": float(-chances.mean()), "accuracy": float(first.mean())}

    def _expose(self) -> dict[str, Any] | None:
        if not self._canaries:
            return None
        how_sure = likelihood_of_codes(self._model, self._cutting, self._place.device)
        return summarise_exposure(measure_exposure(self._canaries, how_sure), self._settings.seed)
