"""What all runs of one process share: notes read once, pieced once a tokenizer, models built once a seed.

Many short runs in one process cost little more than their steps: nothing is read, cut or compiled again.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import LabelSet
from deidlab.study.folder import RUNS, check_digest
from deidlab.study.notes import Parts, read_part
from deidlab.study.opening import write_config
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.train.checkpoint import seed_everything
from deidlab.train.labelling import choose_labels
from deidlab.train.models import LEARN, ModelSource, build_model, load_config, load_pieces, name_tags
from deidlab.train.pieced import PiecedCorpus, piece_corpus, refuse_empty
from deidlab.train.processes import Place, find_place
from deidlab.train.record import digest_corpus
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.train.swapping import swap_mentions
from deidlab.train.tagger import longest_window
from deidlab.train.vocabulary import learn_pieces
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class Material:
    """What one run starts from; `corpus` and `held_out` are shared, `model` is the run's own copy."""

    model: Any = field(repr=False)
    pieces: WordPieces = field(repr=False)
    labels: LabelSet
    window: WindowShape
    corpus: PiecedCorpus = field(repr=False)
    held_out: PiecedCorpus = field(repr=False)
    request: RunRequest


class Workshop:
    """The notes of a study and everything made of them that runs can share."""

    def __init__(self, spec: StudySpec, parts: Parts, folder: Path, device: str = "auto") -> None:
        self.spec, self.folder = spec, folder
        self.out = folder
        """Where runs are written; far workers write into folders of their own, see `attempts`."""
        self._parts = parts
        self.place: Place = find_place(device)
        self._notes: dict[str, list[Document]] = {}
        self._digests: dict[str, str] = {}
        self._pieces: dict[str, WordPieces] = {}
        self._cut: dict[tuple[Any, ...], PiecedCorpus] = {}
        self._built: tuple[tuple[Any, ...], Any] | None = None

    def notes(self, part: str, step: str = "train") -> list[Document]:
        """A part's notes, read at the first asking."""
        if part not in self._notes:
            self._notes[part] = read_part(self._parts, part, self.folder, step, self.out)
        return self._notes[part]

    def digest(self, part: str) -> str:
        if part not in self._digests:
            self._digests[part] = digest_corpus(self.notes(part))
            check_digest(self.folder, part, self._digests[part])
        return self._digests[part]

    def describe_parts(self) -> dict[str, dict[str, Any]]:
        """Digest and size of the parts that runs see."""
        return {
            part: {"digest": self.digest(part), "documents": len(self.notes(part))}
            for part in ("train", "validation")
        }

    def find(self, name: str) -> ModelSpec:
        return next(model for model in self.spec.models if model.name == name)

    def source(self, model: ModelSpec) -> ModelSource:
        """Where a model comes from; an architecture described in the study becomes a folder of its own."""
        if not model.config:
            return ModelSource(model.model, model.scratch, model.tokenizer)
        return ModelSource(str(write_config(self.folder, model)), True, model.tokenizer or LEARN)

    def prepare(self, model: ModelSpec, settings: TrainSettings) -> Material:
        """Everything that a run needs before its first step."""
        train, source = self.notes("train"), self.source(model)
        self.describe_parts()
        labels = choose_labels(train, self.spec.labels, source)
        pieces = self.pieces(model, source, train)
        built = self._model(model, source, labels, pieces, settings)
        limit = longest_window(built)
        if limit is not None and settings.window > limit:
            raise ConfigError(
                f"the window ({settings.window}) is longer than this model's limit of {limit} pieces"
            )
        window = WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
        corpus = self._piece("train", model, pieces, window, labels, settings, as_gold=True)
        held_out = self._piece("validation", model, pieces, window, labels, settings, as_gold=False)
        request = RunRequest(
            source.name, labels=self.spec.labels, tokenizer=source.tokenizer, scratch=source.scratch
        )
        return Material(built, pieces, labels, window, corpus, held_out, request)

    def pieces(self, model: ModelSpec, source: ModelSource, train: Sequence[Document]) -> WordPieces:
        """A model's tokenizer, loaded or learned once."""
        if model.name not in self._pieces:
            if source.tokenizer == LEARN:
                if not source.scratch:
                    raise ConfigError(f"model {model.name}: a tokenizer can be learned only from scratch")
                config = load_config(source)
                self._pieces[model.name] = learn_pieces(train, config.model_type, config.vocab_size)
            else:
                self._pieces[model.name] = load_pieces(source)
        return self._pieces[model.name]

    def _model(
        self,
        model: ModelSpec,
        source: ModelSource,
        labels: LabelSet,
        pieces: WordPieces,
        settings: TrainSettings,
    ) -> Any:
        key = (model.name, settings.seed, settings.dropout, labels.tags)
        if self._built is None or self._built[0] != key:
            # One at a time: large models would fill the memory.
            self._built = None
            seed_everything(settings.seed)
            config = load_config(source)
            name_tags(config, labels)
            self._built = key, build_model(source, config, "TokenClassification", pieces, settings.dropout)
        return copy.deepcopy(self._built[1])

    def _piece(
        self,
        part: str,
        model: ModelSpec,
        pieces: WordPieces,
        window: WindowShape,
        labels: LabelSet,
        settings: TrainSettings,
        as_gold: bool,
    ) -> PiecedCorpus:
        all_pieces, swaps = settings.all_pieces and as_gold, settings.swaps if as_gold else 0
        drawn = (swaps, settings.seed) if swaps else ()
        key = (part, model.name, window, labels.tags, settings.words, all_pieces, as_gold, drawn)
        if key not in self._cut:
            # The pieces of one model at a time are enough: runs come model by model.
            self._cut = {old: kept for old, kept in self._cut.items() if old[1] == model.name}
            notes = self.notes(part)
            if swaps:
                notes = [*notes, *swap_mentions(notes, swaps, settings.seed)]
            cut = piece_corpus(notes, pieces, window, labels, settings.words, all_pieces, as_gold=as_gold)
            refuse_empty(cut, part)
            self._cut[key] = cut
        return self._cut[key]

    def run_folder(self, run: str) -> Path:
        return self.out / RUNS / run
