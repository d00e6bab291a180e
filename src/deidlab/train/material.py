"""Notes, a request and settings in, what a training starts from out: labels, pieces, windows, a model.

Trainings of one process share what they can: notes are cut once a tokenizer, models built once a seed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deidlab.detect.packed.tagger import longest_window
from deidlab.encode.pieced import Cutting, PiecedCorpus, refuse_empty
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import LabelSet
from deidlab.train.canaries import Canary
from deidlab.train.checkpoint import seed_everything
from deidlab.train.cutting import CutNotes, piece_many
from deidlab.train.labelling import choose_labels
from deidlab.train.models import LEARN, ModelSource, build_model, load_config, load_pieces, name_tags
from deidlab.train.pretrain_settings import PretrainSettings
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.train.swapping import swap_mentions
from deidlab.train.vocabulary import learn_pieces
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class Material:
    """What one training starts from; `model` is its own.

    `corpus` holds the `n_notes` training notes and after them planted canaries and swapped copies, where
    there are any; `held_out` is None where there are no validation notes.
    """

    request: RunRequest
    labels: LabelSet
    pieces: WordPieces = field(repr=False)
    window: WindowShape
    model: Any = field(repr=False)
    corpus: PiecedCorpus = field(repr=False)
    held_out: PiecedCorpus | None = field(repr=False)
    n_notes: int
    canaries: Sequence[Canary] = field(default=(), repr=False)

    @property
    def notes(self) -> PiecedCorpus:
        """The training notes alone: what training figures are of, since nobody wrote canaries and copies."""
        return self.corpus.head(self.n_notes)


class Materials:
    """The notes of one or more trainings, and all that is made of them.

    What is `planted` is learned like training notes, and swapped with them, but no figure is of it. With
    `shared` models are kept for the next training with the same seed; alone, a model is handed over.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        validation: Sequence[Document],
        shared: bool = False,
        planted: Sequence[Document] = (),
        n_cutters: int = 1,
    ) -> None:
        self._notes = {"training": documents, "validation": validation}
        self._shared, self._planted, self._n_cutters = shared, planted, n_cutters
        self._pieces: dict[ModelSource, WordPieces] = {}
        self._cut: dict[tuple[Any, ...], PiecedCorpus] = {}
        self._built: tuple[tuple[Any, ...], Any] | None = None

    def prepare(
        self,
        request: RunRequest,
        settings: TrainSettings,
        check: Callable[[WordPieces, LabelSet], None] = lambda _pieces, _labels: None,
    ) -> Material:
        """Everything that a training needs before its first step; `check` may refuse before any is built."""
        documents, source = self._notes["training"], request.source
        labels = choose_labels(documents, request.labels, source)
        pieces = self.pieces(source)
        check(pieces, labels)
        model = self._model(source, labels, pieces, settings)
        window = window_for(model, pieces, settings)
        corpus = self._piece("training", source, pieces, window, labels, settings)
        held_out = None
        if self._notes["validation"]:
            held_out = self._piece("validation", source, pieces, window, labels, settings)
        return Material(request, labels, pieces, window, model, corpus, held_out, len(documents))

    def pieces(self, source: ModelSource) -> WordPieces:
        """A model's tokenizer, loaded, or learned from the training notes."""
        if source not in self._pieces:
            self._pieces[source] = find_pieces(source, self._notes["training"])
        return self._pieces[source]

    def _model(
        self, source: ModelSource, labels: LabelSet, pieces: WordPieces, settings: TrainSettings
    ) -> Any:
        key = (source, settings.seed, settings.dropout, labels.tags)
        if self._built is not None and self._built[0] == key:
            return copy.deepcopy(self._built[1])
        # One at a time: large models would fill the memory.
        self._built = None
        seed_everything(settings.seed)
        config = load_config(source)
        name_tags(config, labels)
        model = build_model(source, config, "TokenClassification", pieces, settings.dropout)
        if not self._shared:
            return model
        self._built = key, model
        return copy.deepcopy(model)

    def _piece(
        self,
        part: str,
        source: ModelSource,
        pieces: WordPieces,
        window: WindowShape,
        labels: LabelSet,
        settings: TrainSettings,
    ) -> PiecedCorpus:
        learns = part == "training"
        drawn = (settings.swaps, settings.seed) if learns and settings.swaps else ()
        all_pieces = settings.all_pieces and learns
        key = (part, source, window, labels.tags, settings.words, all_pieces, drawn)
        if key not in self._cut:
            # The pieces of one model at a time are enough: trainings come model by model.
            self._cut = {old: kept for old, kept in self._cut.items() if old[1] == source}
            notes = [*self._notes[part], *self._planted] if learns else self._notes[part]
            if drawn:
                notes = [*notes, *swap_mentions(notes, *drawn)]
            cutting = Cutting(pieces, window, settings.words)
            how = CutNotes(cutting, labels, all_pieces, as_gold=learns)
            cut = piece_many(notes, how, self._n_cutters)
            refuse_empty(cut, part)
            self._cut[key] = cut
        return self._cut[key]


def find_pieces(source: ModelSource, documents: Sequence[Document]) -> WordPieces:
    """The tokenizer of a model, or one learned from notes where that is requested."""
    if source.tokenizer != LEARN:
        return load_pieces(source)
    if not source.scratch:
        raise ConfigError("a tokenizer can be learned only for a model from scratch: add --from-scratch")
    config = load_config(source)
    return learn_pieces(documents, config.model_type, config.vocab_size)


def window_for(model: Any, pieces: WordPieces, settings: TrainSettings | PretrainSettings) -> WindowShape:
    """The windows that settings ask for; longer ones than the model has positions for are refused."""
    limit = longest_window(model)
    if limit is not None and settings.window > limit:
        raise ConfigError(
            f"the window ({settings.window}) is longer than this model's limit of {limit} pieces"
        )
    return WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
