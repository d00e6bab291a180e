"""Material and settings in, a tagger's training and its figures out: for `train` and for a study's runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from deidlab.detect.packed.scoring import WordScorer
from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.decoding import TagGrammar
from deidlab.encode.pieced import Cutting, PiecedCorpus
from deidlab.encode.windows import IGNORED
from deidlab.train.canaries import Canary, measure_exposure, summarise_exposure
from deidlab.train.canary_mentions import certainty_of_mentions
from deidlab.train.launch import Bookkeeping
from deidlab.train.losses import TagLoss, TaughtLoss, weigh_tags
from deidlab.train.material import Material
from deidlab.train.membership import tell_members
from deidlab.train.models import load_shapes
from deidlab.train.processes import Place
from deidlab.train.session import Session
from deidlab.train.settings import TrainSettings
from deidlab.train.teaching import make_targets, number_pieces
from deidlab.train.validating import Validation

Record = dict[str, Any]
Measure = Callable[[Validation], Record]
_MOST_MEASURED = 20_000
"""Training notes that the training figures are of at most: scores of all of them would fill the memory."""


class TagSession:
    """A session that trains a tagger, and what is measured of it.

    `measure` takes the figures of an epoch from the validation notes; strict scores over spans unless given.
    """

    def __init__(
        self,
        material: Material,
        settings: TrainSettings,
        place: Place,
        folder: Path,
        after: Callable[[Record], None] | None = None,
        measure: Measure = Validation.measure,
    ) -> None:
        self.material, self.settings, self._device = material, settings, place.device
        self.tagger = Tagger(material.model, settings.shapes, settings.decoding == "crf")
        if self.tagger.shapes is not None and (known := load_shapes(material.request.source)) is not None:
            with torch.no_grad():
                self.tagger.shapes.weight.copy_(known)
        self.tagger.to(place.device)
        self._grammar = TagGrammar.of(material.labels.tags)
        loss, lessons = _make_loss(self.tagger, material, settings, place.device)
        held_out = material.held_out
        self.validation = None if held_out is None else self._validation_on(held_out)
        validation = self.validation
        validate = None if validation is None else lambda: measure(validation)
        kept = Bookkeeping(folder, validate, after)
        self.session = Session(self.tagger, loss, lessons, settings, place, kept)

    def measure(self) -> Record:
        """Figures of the weights as they are on the validation notes, where there are some, and on the
        training notes; canaries and swapped copies are no notes that anybody wrote, and play no part. Of a
        very large corpus the first training notes are enough, and the figures say of how many they are. How
        surely the two are told apart is not asked of notes with surrogates: they differ by these alone."""
        notes = self.material.notes
        few = notes.head(_MOST_MEASURED)
        own, losses = self._validation_on(few).measure_notes()
        if len(few.words) < len(notes.words):
            own["of_notes"] = len(few.words)
        if self.validation is None:
            return {"train": own}
        found, others = self.validation.measure_notes()
        figures = {"validation": found, "train": own}
        if not self.material.request.surrogates:
            figures["membership"] = tell_members(losses, others, self.settings.seed)
        return figures

    def expose(self, canaries: Sequence[Canary], elsewhere: bool = False) -> Record:
        """How well the weights as they are know the canaries."""
        material = self.material
        cutting = Cutting(material.pieces, material.window, self.settings.words)
        how_sure = certainty_of_mentions(self.tagger, cutting, material.labels, self._device)
        return summarise_exposure(measure_exposure(canaries, how_sure, elsewhere), self.settings.seed)

    def _validation_on(self, corpus: PiecedCorpus) -> Validation:
        scorer = WordScorer(self.tagger, corpus, self._device)
        return Validation(scorer, corpus, self._grammar, self.settings.decoding)


def _make_loss(
    tagger: Tagger, material: Material, settings: TrainSettings, device: torch.device
) -> tuple[Any, PiecedCorpus]:
    """The loss, and the corpus with what it takes for labels: gold tags, or numbers of targets."""
    corpus, tags = material.corpus, material.labels.tags
    hides = (settings.hide_pieces, material.pieces.hidden)
    teachers: Sequence[str] = material.request.teachers
    if teachers:
        targets = make_targets(teachers, corpus, tags, settings, device)
        return TaughtLoss(tagger, targets, *hides).to(device), number_pieces(corpus)
    decided = torch.from_numpy(corpus.labels[corpus.labels != IGNORED]).long()
    weights = weigh_tags(decided.bincount(minlength=len(tags)), settings.class_weights)
    return TagLoss(tagger, settings.label_smoothing, weights, *hides).to(device), corpus
