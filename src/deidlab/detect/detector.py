"""Documents in, detections out: candidates of every source, and the clean spans they resolve to.

A note's detection is made of that note alone, so that it cannot depend on the batch it came in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab import languages
from deidlab.detect.answers import (
    BACKING,
    DEFAULT_THRESHOLD,
    Answer,
    Model,
    ask_model,
    certainty,
    find_likely_words,
    keep_backed,
    score_words,
)
from deidlab.detect.echo import find_echoes
from deidlab.detect.ensemble import combine
from deidlab.detect.fields import beside_fields, find_repeated, has_text, keep_in_place, typed_fields
from deidlab.detect.known import KnownTable
from deidlab.detect.lexicon import find_allowed, find_denied, outside, overlaps
from deidlab.detect.naming import (
    NATIVE_LABELS,
    OWN_LABELS,
    check_labels,
    from_native,
    labels_of,
    own_set,
    rename,
    to_native,
)
from deidlab.detect.resolve import resolve
from deidlab.detect.settings import USUAL, DetectorSettings
from deidlab.detect.trimming import trim_spans
from deidlab.detect.vetoes import VETO_NAMES, VETOES, Veto, drop_vetoed, running_vetoes
from deidlab.errors import ConfigError, ModelError
from deidlab.languages.language import Language, check_rules
from deidlab.rules import Rule
from deidlab.rules.readings import WordScore, find_in_readings, is_plain
from deidlab.types import Document, Span


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found in one note.

    `spans` are clean and in order; `candidates` are all that was proposed, what gave way and what fell below
    the threshold included; `words` has every word's start, end and PHI probability.
    """

    spans: tuple[Span, ...]
    candidates: tuple[Span, ...]
    words: tuple[WordScore, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Detector:
    """Rules, lists and known identifiers, a model, or both. Build one with `load_detector`."""

    rules: tuple[Rule, ...] = ()
    model: Model | None = None
    known: KnownTable | None = None
    allow: frozenset[str] = field(default=frozenset(), repr=False)
    deny: frozenset[str] = field(default=frozenset(), repr=False)
    threshold: float | None = None
    how: str = "union"
    labels: str = NATIVE_LABELS
    model_labels: Mapping[str, str] = field(default_factory=dict)
    own_names: Mapping[str, str] = field(default_factory=dict)
    """How the model's own scheme calls what others find, where the answer is in its labels."""
    language: str = ""
    """That of the notes; where these are codes of several, each note is found with the rules of its own."""
    model_first: bool = False
    """Whether rules speak only where the model found nothing."""
    backing: float = 0.0
    """How likely the model must find what a rule about words is not quite sure of, for that to count."""
    without_rules: tuple[str, ...] = ()
    vetoes: tuple[Veto, ...] = VETOES
    final: bool = False
    """Whether what the model says of a note as it is stands: read once, with nothing trimmed or vetoed."""
    _speaking: dict[str, Detector] = field(default_factory=dict, repr=False, compare=False)

    def detect(self, documents: Sequence[Document], with_words: bool = True) -> list[Detection]:
        """One detection a document, in order; `with_words=False` leaves `words` empty, and saves memory."""
        searched = iter(self._search([each for each in documents if has_text(each)], with_words))
        return [
            next(searched) if has_text(each) else Detection(keep_in_place((), each), ()) for each in documents
        ]

    def _search(self, documents: Sequence[Document], with_words: bool) -> list[Detection]:
        if self.model is None:
            return [self.for_note(each.text)._detect_one(each, None, with_words) for each in documents]
        answers = self.model.predict(documents) if self.final else ask_model(self.model, documents)
        return [
            self.for_note(document.text)._detect_one(document, answer, with_words)
            for document, answer in zip(documents, answers, strict=True)
        ]

    def for_note(self, text: str) -> Detector:
        """This detector with the rules of the note's own language, of those that it serves."""
        if languages.JOINT not in self.language:
            return self
        spoken = languages.in_note(self.language, text)
        if spoken.code not in self._speaking:
            parts = _parts_of_language(spoken, self.without_rules, self.model is not None)
            self._speaking[spoken.code] = replace(self, **parts if self.rules else {**parts, "rules": ()})
        return self._speaking[spoken.code]

    def _detect_one(self, document: Document, answer: Answer | None, with_words: bool) -> Detection:
        found = self._find(document, answer, with_words)
        if document.container is None:
            return found
        return replace(found, spans=keep_in_place(found.spans, document))

    def _find(self, document: Document, answer: Answer | None, with_words: bool) -> Detection:
        if self.final and answer is not None:
            return self._as_said(document, answer[0], with_words)
        if self.labels != OWN_LABELS or answer is None:
            return self._in_native(document, answer, with_words)
        own = self._own_labels(document.text, answer, with_words)
        if self.alone:
            return own
        # What the model says stands in its own labels; what others find beside it is named like these.
        native = self._in_native(document, answer, with_words)
        taken = [(span.start, span.end) for span in own.spans]
        beside = [span for span in native.spans if not overlaps(span, taken)]
        spans = sorted((*own.spans, *rename(beside, self.own_names)), key=_reading_order)
        candidates = {*answer[0], *rename(native.candidates, self.own_names)}
        return Detection(tuple(spans), tuple(sorted(candidates, key=_reading_order)), native.words)

    def _in_native(self, document: Document, answer: Answer | None, with_words: bool) -> Detection:
        text = document.text
        members = [self._by_rules(text, answer)] if self.rules else []
        if answer is not None:
            members.append(list(rename(answer[0], self.model_labels)))
        fields = typed_fields(document)
        certain = self._find_certain(document, fields)
        proposed: list[Span] = trim_spans(text, combine(members, self.how)) if members else []
        if answer is not None and self.threshold is not None:
            proposed += find_likely_words(answer, self.threshold)
        allowed = find_allowed(text, self.allow)
        beside = beside_fields(proposed, fields)
        usable = [*certain, *outside(self._unvetoed(text, beside, self.vetoes), allowed)]
        first = resolve(text, filter(self._is_sure, usable), 0.0)
        echoes = outside(
            self._unvetoed(text, find_echoes(text, first, self.language), self._echo_vetoes), allowed
        )
        sure = [span for span in (*usable, *echoes) if self._is_sure(span)]
        spans = resolve(text, sure, 0.0) if echoes else first
        everything = {*certain, *echoes, *proposed, *(span for member in members for span in member)}
        words = score_words(text, [*usable, *echoes], answer[1] if answer else ()) if with_words else ()
        return Detection(*self._renamed(spans, tuple(sorted(everything, key=_reading_order))), words)

    def _find_certain(self, document: Document, fields: Sequence[Span]) -> list[Span]:
        """What lists, the patient's table and typed fields say."""
        known = self.known.find(document) if self.known else ()
        return [*find_denied(document.text, self.deny), *known, *fields, *find_repeated(document, fields)]

    def _as_said(self, document: Document, said: Sequence[Span], with_words: bool) -> Detection:
        """The model's own spans, with what is certain and without what is allowed."""
        text, certain = document.text, self._find_certain(document, typed_fields(document))
        kept = outside(said, find_allowed(text, self.allow))
        spans = resolve(text, [*certain, *kept], 0.0) if certain else tuple(kept)
        everything = tuple(sorted({*certain, *said}, key=_reading_order))
        words = score_words(text, [*certain, *kept], ()) if with_words else ()
        return Detection(*self._renamed(spans, everything), words)

    def _own_labels(self, text: str, answer: Answer, with_words: bool) -> Detection:
        """What the model alone found; what it found in several readings is made one."""
        spans, words = tuple(filter(self._is_sure, answer[0])), tuple(answer[1]) if with_words else ()
        if not is_plain(text):
            spans = resolve(text, spans, 0.0)
            words = score_words(text, (), answer[1]) if with_words else ()
        return Detection(spans, tuple(answer[0]), words)

    def _by_rules(self, text: str, answer: Answer | None) -> list[Span]:
        found = find_in_readings(
            text, lambda plain: [span for rule in self.rules for span in rule.find(plain)]
        )
        if answer is None:
            return found
        if self.backing:
            found = keep_backed(text, found, answer[1], self.backing)
        if not self.model_first:
            return found
        # A span whose label is dropped (a word for a relative) covers nothing, nor does a doubtful one.
        sure = [span for span in answer[0] if certainty(span) >= DEFAULT_THRESHOLD]
        kept = rename(sure, self.model_labels)
        return outside(found, sorted((span.start, span.end) for span in kept))

    def _unvetoed(self, text: str, spans: Sequence[Span], vetoes: tuple[Veto, ...]) -> list[Span]:
        return drop_vetoed(text, spans, vetoes, self._is_sure)

    @property
    def _echo_vetoes(self) -> tuple[Veto, ...]:
        """Vetoes that hear echoes too."""
        return tuple(veto for veto in self.vetoes if veto.echoes)

    @property
    def alone(self) -> bool:
        """Whether a model has nothing beside it."""
        return not self.rules and self.known is None and not self.deny

    def _is_sure(self, span: Span) -> bool:
        """Whether a candidate counts; without a threshold, what a model decoded counts as it is."""
        if span.score is None:
            return True
        if self.threshold is None:
            return span.source == "model" or span.score >= DEFAULT_THRESHOLD
        return span.score >= self.threshold

    def _renamed(
        self, spans: tuple[Span, ...], candidates: tuple[Span, ...]
    ) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        if self.labels in (NATIVE_LABELS, OWN_LABELS):
            return spans, candidates
        names = from_native(self.labels)
        return tuple(rename(spans, names)), tuple(rename(candidates, names))


def _reading_order(span: Span) -> tuple[int, int, str, str]:
    return (span.start, span.end, span.label, span.source)


def load_detector(
    model: str | None = None, settings: DetectorSettings = USUAL, device: str = "cpu"
) -> Detector:
    """A detector: `model` is an embedded one's name or an exported model's folder, or None for rules alone.

    On the `device` cuda torch computes the model, an exported one with weights rebuilt from its own.
    """
    if model is None and settings.model_alone:
        raise ConfigError("nothing to detect with: rules are off and no model was named")
    tagger = None if settings.rules == "only" or model is None else _load_model(model, device)
    return make_detector(tagger, settings)


def make_detector(tagger: Model | None, settings: DetectorSettings = USUAL) -> Detector:
    """The same of a model that is loaded."""
    native = {} if tagger is None else to_native(tagger.tags)
    if tagger is not None and not any(native.get(label, label) for label in labels_of(tagger.tags)):
        raise ModelError("none of the model's labels means PHI here, so it could mask nothing")
    alone, threshold, language = settings.model_alone, settings.threshold, settings.language
    labels = check_labels(settings.labels, None if tagger is None else tagger.tags, alone)
    if tagger is not None and labels == OWN_LABELS and alone and threshold is None:
        threshold = tagger.own_threshold
    beside = tagger is not None and labels == OWN_LABELS and not alone
    spoken = languages.find(language) if language else languages.of("" if tagger is None else tagger.language)
    check_rules((name for name in settings.without_rules if name not in VETO_NAMES), spoken)
    parts = _parts_of_language(spoken, settings.without_rules, tagger is not None)
    return Detector(
        **parts if settings.rules != "off" else {**parts, "rules": ()},
        model=tagger,
        model_labels=native,
        own_names=from_native(own_set(tagger.tags)) if tagger is not None and beside else {},
        known=settings.known,
        allow=settings.allow,
        deny=settings.deny,
        threshold=threshold,
        how=settings.how,
        labels=labels,
    )


def _parts_of_language(spoken: Language, without_rules: tuple[str, ...], has_model: bool) -> dict[str, Any]:
    """What of a detector is its language's."""
    return {
        "rules": tuple(rule for rule in spoken.rules if rule.name not in without_rules),
        "language": spoken.code,
        "model_first": spoken.model_first,
        "backing": BACKING if has_model and spoken.rules_need_backing else 0.0,
        "without_rules": without_rules,
        "vetoes": running_vetoes(without_rules, spoken.code),
    }


def _load_model(name: str, device: str) -> Model:
    # Imported here: numpy and the tokenizers are not needed for rules alone.
    from deidlab.detect.embedded import EMBEDDED, embedded_folder
    from deidlab.detect.folder import is_committee
    from deidlab.detect.model import load_model

    if name in EMBEDDED:
        return load_model(embedded_folder(name), device=device)
    if is_committee(Path(name)):
        from deidlab.detect.committee import load_committee

        return load_committee(Path(name), device)
    if not Path(name).is_dir():
        raise ModelError(f"{name}: no such model folder; embedded are {', '.join(EMBEDDED)}")
    return load_model(name, device=device)
