"""One setting in, one run folder out: a model fine-tuned to tag PHI, with the record of how it came about."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from deidlab.encode.decoding import TagGrammar
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import IGNORED, WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import LabelSet
from deidlab.train.checkpoint import remove_checkpoint, seed_everything
from deidlab.train.compiling import compile_layers, is_worth_compiling
from deidlab.train.flat import FlatParameters
from deidlab.train.folder import (
    describe_corpus,
    open_folder,
    refuse_finished,
    save_tagger,
    start_record,
    take_up_record,
)
from deidlab.train.labelling import choose_labels, unseen_labels
from deidlab.train.loop import Loop, describe_speed
from deidlab.train.losses import TagLoss, TaughtLoss, weigh_tags
from deidlab.train.memory import name_fitting_batch
from deidlab.train.models import LEARN, ModelSource, build_model, load_config, load_pieces, name_tags
from deidlab.train.packing import RowShape, choose_row_shape
from deidlab.train.pieced import PiecedCorpus, piece_corpus, refuse_empty
from deidlab.train.predicting import WordScorer
from deidlab.train.processes import Place, find_place
from deidlab.train.record import RECORD, digest_corpus, peak_memory_bytes, write_json
from deidlab.train.request import RunRequest, write_request
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.train.surrogates import put_surrogates
from deidlab.train.swapping import swap_mentions
from deidlab.train.tagger import Tagger, first_position, longest_window
from deidlab.train.teaching import check_teachers, describe_teachers, make_targets, number_pieces
from deidlab.train.validating import Validation
from deidlab.train.vocabulary import learn_pieces
from deidlab.types import Document

_GPU_STEP = 64

Tell = Callable[[dict[str, Any]], None]


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
    folder: Path | str,
    resume: bool = False,
    overwrite: bool = False,
    device: str = "auto",
    tell: Tell | None = None,
) -> Run:
    """Fine-tune a model on documents and leave a run folder.

    `resume` goes on from the folder's checkpoint; on a CPU the result is then the same as without the
    interruption. `validation` may be empty: the last weights are kept then.
    """
    place = find_place(device)
    source = ModelSource(request.model, request.scratch, request.tokenizer)
    labels = choose_labels(documents, request.labels, source)
    digest = digest_corpus(documents)
    if request.surrogates:
        documents = [put_surrogates(document, settings.seed) for document in documents]
    if settings.swaps:
        documents = [*documents, *swap_mentions(documents, settings.swaps, settings.seed)]
    seed_everything(settings.seed)
    config = load_config(source)
    name_tags(config, labels)
    pieces = _find_pieces(source, documents, config)
    check_teachers(request.teachers, pieces, labels.tags, settings)
    model = build_model(source, config, "TokenClassification", pieces, settings.dropout)
    corpus, held_out, window = _piece_all(documents, validation, pieces, labels, settings, model)
    record = start_record(request, settings, labels, place.device, place.n_processes)
    record["teachers"] = describe_teachers(request.teachers)
    record["corpus"] = describe_corpus(documents, corpus, digest)
    if held_out is not None:
        record["validation_corpus"] = describe_corpus(validation, held_out, digest_corpus(validation))
    record["unseen_labels"] = unseen_labels(validation, labels)
    folder = _open(Path(folder), request, settings, record, resume, overwrite, place)
    training = _Training(
        model, pieces, corpus, held_out, labels, settings, place, folder, record, tell, request.teachers
    )  # fmt: skip
    training.run(resume)
    if place.leads:
        save_tagger(folder, training.tagger, pieces, labels, window, settings, record)
        remove_checkpoint(folder)
    place.wait()
    return Run(folder, record)


def _find_pieces(source: ModelSource, documents: Sequence[Document], config: Any) -> WordPieces:
    if source.tokenizer != LEARN:
        return load_pieces(source)
    if not source.scratch:
        raise ConfigError("a tokenizer can be learned only for a model from scratch: add --from-scratch")
    return learn_pieces(documents, config.model_type, config.vocab_size)


def _open(
    folder: Path,
    request: RunRequest,
    settings: TrainSettings,
    record: dict[str, Any],
    resume: bool,
    overwrite: bool,
    place: Place,
) -> Path:
    if place.leads:
        open_folder(folder, resume, overwrite)
        if resume:
            refuse_finished(folder, record["corpus"]["digest"])
            take_up_record(record, folder, settings)
        write_request(folder, request, settings)
        write_json(folder / RECORD, record)
    place.wait()
    return folder


def _piece_all(
    documents: Sequence[Document],
    validation: Sequence[Document],
    pieces: WordPieces,
    labels: LabelSet,
    settings: TrainSettings,
    model: Any,
) -> tuple[PiecedCorpus, PiecedCorpus | None, WindowShape]:
    limit = longest_window(model)
    if limit is not None and settings.window > limit:
        raise ConfigError(
            f"the window ({settings.window}) is longer than this model's limit of {limit} pieces"
        )
    window = WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
    corpus = piece_corpus(documents, pieces, window, labels, settings.words, settings.all_pieces)
    refuse_empty(corpus, "training")
    held_out = None
    if validation:
        held_out = piece_corpus(validation, pieces, window, labels, settings.words, as_gold=False)
        refuse_empty(held_out, "validation")
    return corpus, held_out, window


class _Training:
    """The parts of one fine-tuning, put together."""

    def __init__(
        self,
        model: Any,
        pieces: WordPieces,
        corpus: PiecedCorpus,
        held_out: PiecedCorpus | None,
        labels: LabelSet,
        settings: TrainSettings,
        place: Place,
        folder: Path,
        record: dict[str, Any],
        tell: Tell | None,
        teachers: Sequence[str] = (),
    ) -> None:
        self._corpus, self._settings, self._place = corpus, settings, place
        self._folder, self._record, self._tell = folder, record, tell
        on_gpu = place.device.type == "cuda"
        crf = settings.decoding == "crf"
        self.tagger = Tagger(model, settings.shapes, crf).to(place.device)
        self.tagger.train()
        self._graphed = on_gpu and self.tagger.packs
        half = settings.precision == "bf16" or (settings.precision == "auto" and on_gpu)
        self._shape = plan_rows(self.tagger, corpus, settings, half and self._graphed, place.n_processes)
        worth = self._graphed and is_worth_compiling(model, corpus, settings, half)
        compiled = worth and compile_layers(model, self._shape.n_pieces, half) > 0
        self._flat = make_flat(self.tagger, settings, half, place.n_processes)
        self._loss, self._lessons = self._make_loss(pieces, labels, teachers)
        self._steps = TrainSteps(self._loss, self._flat, settings.accumulate, place.n_processes)
        self._grammar = TagGrammar.of(labels.tags)
        self._validation = None if held_out is None else self._validation_on(held_out)
        record |= {"precision": "bf16" if half else "fp32", "compiled": compiled, "graph": self._graphed}

    def run(self, resume: bool) -> None:
        """Train, put the figures into the record, and leave the tagger with the weights to keep, in fp32."""
        measure = None if self._validation is None else self._validation.measure
        self._loop = loop = Loop(
            self._lessons, self._shape, self._flat, self._steps, self._settings, self._place, self._folder,
            measure, self._after_epoch,
        )  # fmt: skip
        began = time.perf_counter()
        with name_fitting_batch(
            self._loss, self._flat, self._corpus, self._shape, self._settings.batch, self._folder
        ):
            prepared = loop.prepare(self._graphed, resume)
            progress = loop.run()
        final = self._final_weights()
        self._flat.load_weights(final)
        self._record |= {
            "epochs": progress.history,
            "best_epoch": progress.best_epoch or progress.epoch,
            "kept": "last" if loop.best is None else "best",
            "speed": describe_speed(loop, prepared),
            "seconds": round(time.perf_counter() - began, 2),
            "peak_memory_bytes": peak_memory_bytes(self._place.device),
        }
        if self._validation is not None:
            self._record["validation"] = self._validation.measure(by_label=True)
        # Copies with exchanged PHI are no notes that anybody wrote: figures are those of the notes alone.
        own = self._corpus.head(len(self._corpus.words) // (1 + self._settings.swaps))
        self._record["train"] = self._validation_on(own).measure(by_label=True)
        self._flat.release(final)

    def _make_loss(
        self, pieces: WordPieces, labels: LabelSet, teachers: Sequence[str]
    ) -> tuple[Any, PiecedCorpus]:
        """The loss, and the corpus with what it takes for labels: gold tags, or numbers of targets."""
        corpus, settings, device = self._corpus, self._settings, self._place.device
        hides = (settings.hide_pieces, pieces.hidden)
        if teachers:
            targets = make_targets(teachers, corpus, labels.tags, settings, device)
            return TaughtLoss(self.tagger, targets, *hides).to(device), number_pieces(corpus)
        decided = torch.from_numpy(corpus.labels[corpus.labels != IGNORED]).long()
        weights = weigh_tags(decided.bincount(minlength=len(labels.tags)), settings.class_weights)
        return TagLoss(self.tagger, settings.label_smoothing, weights, *hides).to(device), corpus

    def _validation_on(self, corpus: PiecedCorpus) -> Validation:
        scorer = WordScorer(self.tagger, corpus, self._place.device)
        return Validation(scorer, corpus, self._grammar, self._settings.decoding)

    def _final_weights(self) -> Any:
        if self._loop.best is not None:
            return self._loop.best
        flat = self._flat
        return (flat.master if flat.average is None else flat.average).clone()

    def _after_epoch(self, entry: dict[str, Any]) -> None:
        self._record["epochs"] = self._loop.progress.history
        write_json(self._folder / RECORD, self._record)
        if self._tell is not None:
            self._tell(entry)


def plan_rows(
    tagger: Tagger, corpus: PiecedCorpus, settings: TrainSettings, on_kernels: bool, n_processes: int
) -> RowShape:
    """The sizes of a run's rows; on a GPU in half precision finer ones, that may tell which pieces decide."""
    batch, first = settings.batch / n_processes, first_position(tagger.model)
    if not on_kernels:
        return choose_row_shape(corpus, batch, first)
    return choose_row_shape(corpus, batch, first, tagger.can_choose, step=_GPU_STEP)


def make_flat(model: Any, settings: TrainSettings, half: bool, n_processes: int) -> FlatParameters:
    """A model's parameters as one vector, with the optimizer that the settings ask for."""
    return FlatParameters(
        model,
        dtype=torch.bfloat16 if half else torch.float32,
        weight_decay=settings.weight_decay,
        layer_decay=settings.layer_decay,
        head_rate=settings.head_rate,
        clip=settings.clip,
        average=settings.average,
        exact_gradients=settings.accumulate > 1 or n_processes > 1,
    )
