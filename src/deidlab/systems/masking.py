"""A system's name in, a detector that masks with it out: whatever can be compared can mask.

`load_detector` takes what `deidlab.detect.load_detector` takes, and systems beside: `hf:FOLDER`, `presidio`,
`command:"…"` and the others. What such a system finds is in the native labels; a label that no map knows is
masked as OTHER, and a note that it fails on fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deidlab import detect
from deidlab.detect.answers import Answer, Model
from deidlab.detect.detector import Detector, make_detector
from deidlab.detect.embedded import language_of as language_of_model
from deidlab.detect.settings import USUAL, DetectorSettings
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError, ModelError
from deidlab.labels import load_label_set
from deidlab.systems.asking import ask_text
from deidlab.systems.contract import SystemFailure
from deidlab.systems.members import Member
from deidlab.systems.naming import NATIVE
from deidlab.systems.opening import System, make_system
from deidlab.systems.process import Limits
from deidlab.systems.recorded import RecordedSystem
from deidlab.systems.specification import KINDS, SystemSpec, read_specs
from deidlab.systems.together import name_natively, native_names
from deidlab.types import Document, Span

_UNKNOWN = "OTHER"
# These are models of ours by another name.
_SAME = ("embedded", "run")


def is_system(model: str | None) -> bool:
    """Whether a model's name is that of a system: a kind, or a kind and a colon; a folder of such a name is a
    folder."""
    if model is None or Path(model).is_dir():
        return False
    kind = model.partition(":")[0]
    return kind in KINDS or (kind == "https" and ":" in model)


def plain_name(model: str | None) -> str | None:
    """The name under which `deidlab.detect` knows a model of ours; any other name as it is."""
    kind, _, argument = (model or "").partition(":")
    return argument if is_system(model) and kind in _SAME and argument else model


def language_of(model: str | None) -> str:
    """The language of the notes that a model is for; empty where it does not say."""
    name = plain_name(model)
    if name is not None and is_system(name):
        kind, _, argument = name.partition(":")
        return argument if kind == "rules" else ""
    return language_of_model(name)


def language_of_members(members: Sequence[Member]) -> str:
    """The one language that systems tell; empty where none does."""
    told = {language_of(f"{each.spec.kind}:{each.spec.argument}") for each in members} - {""}
    if len(told) > 1:
        raise ConfigError(
            f"the systems are for {' and '.join(sorted(told))}: say with --language what the notes are in"
        )
    return next(iter(told), "")


def folder_of(model: str | None) -> Path | None:
    """The folder that a system's name points to, where it is one of this machine."""
    name = plain_name(model)
    if name is None or not is_system(name):
        return None
    folder = Path(name.partition(":")[2])
    return folder if folder.is_dir() else None


def load_detector(
    model: str | None = None, settings: DetectorSettings = USUAL, device: str = "cpu"
) -> Detector:
    """The detector of a model of ours, or of a system."""
    name = None if settings.rules == "only" else plain_name(model)
    if name is None or not is_system(name):
        return detect.load_detector(name, settings, device)
    kind, _, argument = name.partition(":")
    if kind == "rules":
        language = settings.language or argument
        return detect.load_detector(None, replace(settings, rules="only", language=language))
    if device != "cpu":
        raise ConfigError(f"{kind}: systems are computed by processors here")
    tagger = open_tagger(name)
    detector = make_detector(tagger, settings)
    # A system without probabilities of words cannot say what a rule's finding is worth: rules stand alone.
    return detector if isinstance(tagger, RenamedModel) else replace(detector, backing=0.0)


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
