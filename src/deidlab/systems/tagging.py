"""A system's name in; a model out that answers as ours do.

What such a system finds is in the native labels; a label that no map knows is masked as OTHER, and a note
that it fails on fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deidlab.detect.answers import Answer, Model
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError, ModelError
from deidlab.labels import load_label_set
from deidlab.systems.asking import ask_text
from deidlab.systems.contract import SystemFailure
from deidlab.systems.naming import NATIVE
from deidlab.systems.opening import System, make_system
from deidlab.systems.process import Limits
from deidlab.systems.recorded import RecordedSystem
from deidlab.systems.specification import SystemSpec, read_specs
from deidlab.systems.together import name_natively, native_names
from deidlab.types import Document, Span

_UNKNOWN = "OTHER"


def open_tagger(name: str) -> Model:
    """The system as a model that answers in native labels."""
    (spec,) = read_specs([name])
    if spec.kind == "corpus":
        raise ConfigError("corpus: has answers to its own notes alone, and masks nothing")
    if spec.kind == "hf":
        from deidlab.systems.classifier import load_classifier_folder

        found = load_classifier_folder(spec.argument)
        return RenamedModel(found.model, native_names(found.labels))
    system = make_system(spec, Limits())
    assert not isinstance(system, RecordedSystem)
    return SystemModel(spec, system)


def _native_tags() -> tuple[str, ...]:
    return load_label_set(NATIVE).tags


def _renamed(spans: Sequence[Span], names: dict[str, str]) -> list[Span]:
    return [
        Span(each.start, each.end, label, each.score, each.source)
        for each in spans
        if (label := names.get(each.label, _UNKNOWN))
    ]


@dataclass(frozen=True, slots=True)
class RenamedModel:
    """A tagger whose labels become native ones; its words' probabilities stay."""

    model: Model
    names: dict[str, str]
    language: str = ""
    own_threshold: float | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        return _native_tags()

    def predict(self, documents: Sequence[Document]) -> list[Answer]:
        return [(_renamed(spans, self.names), words) for spans, words in self.model.predict(documents)]


@dataclass(slots=True)
class SystemModel:
    """A system that answers as models do; a word that it marks is PHI for certain, any other is not known."""

    spec: SystemSpec
    system: System
    language: str = ""
    own_threshold: float | None = None
    _is_open: bool = False

    @property
    def tags(self) -> tuple[str, ...]:
        return _native_tags()

    def predict(self, documents: Sequence[Document]) -> list[Answer]:
        if not self._is_open:
            self.system.open()
            self._is_open = True
        return [self._answer(document) for document in documents]

    def _answer(self, document: Document) -> Answer:
        try:
            found = ask_text(self.system, document.text).spans
        except SystemFailure as failure:
            raise ModelError(f"{self.spec.name} {failure.reason}") from None
        spans = [replace(each, source="model") for each in name_natively(found, self.system.facts, {})]
        return spans, [(start, end, _covered(start, end, spans)) for start, end in find_words(document.text)]


def _covered(start: int, end: int, spans: Sequence[Span]) -> float:
    """The certainty of the surest span over a word; 0 where there is none."""
    over = (
        1.0 if each.score is None else each.score for each in spans if each.start < end and start < each.end
    )
    return max(over, default=0.0)
