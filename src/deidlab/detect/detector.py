"""Documents in, detections out: candidates of every source, and the clean spans they resolve to.

A note's detection is made of that note alone, so that it cannot depend on the batch it came in.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from deidlab.detect.echo import find_echoes
from deidlab.detect.ensemble import HOW, combine
from deidlab.detect.eponyms import drop_eponyms
from deidlab.detect.known import KnownTable
from deidlab.detect.lexicon import check_terms, find_allowed, find_denied, outside
from deidlab.detect.resolve import resolve
from deidlab.detect.rules import BY_LANGUAGE, Rule, rules_beside
from deidlab.detect.trimming import trim_spans
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError, ModelError, UnknownNameError
from deidlab.labels import guess_label_set, known_maps, load_label_set, load_map, split_tag
from deidlab.types import Document, Span

RULES = ("on", "off", "only")
DEFAULT_THRESHOLD = 0.5
NATIVE_LABELS = "i2b2-2014"
OWN_LABELS = "own"
"""Stands for a model's own labels, those of the corpus that it learned from."""
# Rules that go by words and lists. A model knows better whether such a word is a name in this place.
_BY_WORDS = ("date", "name", "name-list", "place-list", "organisation", "profession", "street", "age")
WORDY = frozenset(f"rules:{name}" for name in _BY_WORDS)
CERTAIN = 0.9
BACKING = 0.12
WordScore = tuple[int, int, float]
Answer = tuple[Sequence[Span], Sequence[WordScore]]


class Model(Protocol):
    """What a model adds: each document's spans with certainties, and every word's PHI probability."""

    @property
    def tags(self) -> tuple[str, ...]: ...

    @property
    def language(self) -> str: ...

    @property
    def own_threshold(self) -> float | None: ...

    def predict(self, documents: Sequence[Document]) -> Sequence[Answer]: ...


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
    language: str = ""
    yields: bool = False
    """Whether rules speak only where the model found nothing."""
    backing: float = 0.0
    """How likely the model must find what a rule about words is not quite sure of, for that to count."""

    def detect(self, documents: Sequence[Document], with_words: bool = True) -> list[Detection]:
        """One detection a document, in order; `with_words=False` leaves `words` empty, and saves memory."""
        if self.model is None:
            return [self._detect_one(document, None, with_words) for document in documents]
        answers = self.model.predict(documents)
        return [
            self._detect_one(document, answer, with_words)
            for document, answer in zip(documents, answers, strict=True)
        ]

    def _detect_one(
        self,
        document: Document,
        answer: Answer | None,
        with_words: bool,
    ) -> Detection:
        if self.labels == OWN_LABELS and answer is not None:
            own = tuple(filter(self._is_sure, answer[0]))
            return Detection(own, tuple(answer[0]), tuple(answer[1]) if with_words else ())
        text = document.text
        members = [self._by_rules(text, answer)] if self.rules else []
        if answer is not None:
            members.append(list(_rename(answer[0], self.model_labels)))
        certain = [*find_denied(text, self.deny), *(self.known.find(document) if self.known else ())]
        proposed: list[Span] = trim_spans(text, combine(members, self.how)) if members else []
        if answer is not None and self.threshold is not None:
            proposed += _further_words(answer, self.threshold)
        allowed = find_allowed(text, self.allow)
        usable = [*certain, *outside(drop_eponyms(text, proposed), allowed)]
        first = resolve(text, filter(self._is_sure, usable), 0.0)
        echoes = outside(drop_eponyms(text, find_echoes(text, first, self.language)), allowed)
        sure = [span for span in (*usable, *echoes) if self._is_sure(span)]
        spans = resolve(text, sure, 0.0) if echoes else first
        everything = {*certain, *echoes, *proposed, *(span for member in members for span in member)}
        words = _word_scores(text, [*usable, *echoes], answer[1] if answer else ()) if with_words else ()
        return Detection(*self._renamed(spans, tuple(sorted(everything, key=_reading_order))), words)

    def _by_rules(self, text: str, answer: Answer | None) -> list[Span]:
        found = [span for rule in self.rules for span in rule.find(text)]
        if answer is None:
            return found
        if self.backing:
            found = _backed(text, found, answer[1], self.backing)
        if not self.yields:
            return found
        # A span whose label is dropped (a word for a relative) covers nothing, nor does a doubtful one.
        sure = [span for span in answer[0] if _certainty(span) >= DEFAULT_THRESHOLD]
        kept = _rename(sure, self.model_labels)
        return outside(found, sorted((span.start, span.end) for span in kept))

    def _is_sure(self, span: Span) -> bool:
        """Whether a candidate counts; without a threshold, what a model decoded counts as it is."""
        if self.threshold is None and span.source == "model":
            return True
        return (1.0 if span.score is None else span.score) >= (
            DEFAULT_THRESHOLD if self.threshold is None else self.threshold
        )

    def _renamed(
        self, spans: tuple[Span, ...], candidates: tuple[Span, ...]
    ) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        if self.labels == NATIVE_LABELS:
            return spans, candidates
        names = load_map(f"{NATIVE_LABELS}--{self.labels}")
        return tuple(_rename(spans, names)), tuple(_rename(candidates, names))


def _backed(text: str, found: Iterable[Span], words: Sequence[WordScore], least: float) -> list[Span]:
    """What the rules found; of names, places, dates and the like only what the model sees something in.

    A rule that goes by words is believed without where it is certain, unless all is in capitals, which tell
    nothing then. Words at the edges of a doubtful span that the model sees nothing in are cut off.
    """
    likely = [word for word in words if word[2] >= least]
    starts = [word[0] for word in likely]
    backed = []
    for span in found:
        sure = _certainty(span) >= CERTAIN and not text[span.start : span.end].isupper()
        if span.source not in WORDY or sure:
            backed.append(span)
            continue
        first = max(bisect_left(starts, span.start) - 1, 0)
        inside = [word for word in likely[first : first + 60] if word[0] < span.end and span.start < word[1]]
        if inside:
            start, end = max(inside[0][0], span.start), min(inside[-1][1], span.end)
            backed.append(Span(start, end, span.label, span.score, span.source))
    return backed


def _certainty(span: Span) -> float:
    return 1.0 if span.score is None else span.score


def _further_words(answer: Answer, threshold: float) -> list[Span]:
    """Words that a model finds likelier than a lower threshold, though it gave them no label."""
    if threshold >= DEFAULT_THRESHOLD:
        return []
    likely = [Span(*word[:2], "OTHER", word[2], "model:word") for word in answer[1] if word[2] >= threshold]
    # A span that falls short of the threshold itself does not speak for its words.
    sure = [span for span in answer[0] if span.score is None or span.score >= threshold]
    return outside(likely, sorted((span.start, span.end) for span in sure))


def _to_native(tags: Sequence[str]) -> dict[str, str]:
    """How a model's labels are called here, where it was trained on another scheme that can be mapped."""
    name = f"{_own_set(tags)}--{NATIVE_LABELS}"
    return load_map(name) if name in known_maps() else {}


def _own_set(tags: Sequence[str]) -> str:
    """The name of the label set that a model learned."""
    labels = {split_tag(tag)[1] for tag in tags} - {""}
    return guess_label_set(dict.fromkeys(labels, 1)).name


def _rename(spans: Iterable[Span], names: Mapping[str, str]) -> Iterable[Span]:
    for span in spans:
        label = names.get(span.label, span.label)
        if label:
            yield Span(span.start, span.end, label, span.score, span.source)


def _reading_order(span: Span) -> tuple[int, int, str, str]:
    return (span.start, span.end, span.label, span.source)


def _word_scores(
    text: str, candidates: Iterable[Span], model_words: Sequence[WordScore]
) -> tuple[WordScore, ...]:
    """Each word's highest certainty among what covers it and what the model says of it."""
    words = find_words(text)
    ends = [end for _, end in words]
    scores = [0.0] * len(words)
    covers = [(span.start, span.end, 1.0 if span.score is None else span.score) for span in candidates]
    for start, end, score in (*covers, *model_words):
        index = bisect_left(ends, start + 1)
        while index < len(words) and words[index][0] < end:
            scores[index] = max(scores[index], score)
            index += 1
    return tuple((start, end, score) for (start, end), score in zip(words, scores, strict=True))


def load_detector(
    model: str | None = None,
    rules: str = "on",
    known: KnownTable | None = None,
    allow: frozenset[str] = frozenset(),
    deny: frozenset[str] = frozenset(),
    threshold: float | None = None,
    labels: str = NATIVE_LABELS,
    how: str = "union",
    device: str = "cpu",
) -> Detector:
    """A detector: `model` is `en`, `es` or an exported model's folder, or None for rules alone.

    `rules` switches the rules on or off, or leaves the model out (`only`). Spans below `threshold` stay
    mere candidates; without one, rules need 0.5 and a model's spans count as it decoded them; below 0.5,
    words that the model finds likelier than the threshold count too. `how` brings rules and model
    together; `labels` names the label set of the answer. `own`, or the name of the set that the model has
    learned, leaves its labels as they are, for a model alone, with a threshold that suits the measure of its
    corpus where the model has one.
    On the `device` cuda a run's own folder can be computed; exported models are for processors.
    """
    if rules not in RULES:
        raise UnknownNameError("setting of rules", rules, RULES)
    if how not in HOW:
        raise UnknownNameError("ensemble", how, HOW)
    if threshold is not None and not 0.0 <= threshold <= 1.0:
        raise ConfigError(f"a threshold of {threshold} is impossible: it lies between 0 and 1")
    if rules == "off" and model is None and known is None and not deny:
        raise ConfigError("nothing to detect with: rules are off and no model was named")
    for terms in (allow, deny):
        check_terms(terms)
    tagger = None if rules == "only" or model is None else _load_model(model, device)
    labels = _check_labels(labels, tagger, alone=rules == "off" and known is None and not deny)
    if labels == OWN_LABELS and tagger is not None and threshold is None:
        threshold = tagger.own_threshold
    language = "" if tagger is None else tagger.language
    return Detector(
        rules=() if rules == "off" else rules_beside(language),
        language=language,
        yields=language in BY_LANGUAGE,
        backing=0.0 if tagger is None or language in BY_LANGUAGE else BACKING,
        model=tagger,
        model_labels=_to_native(tagger.tags) if tagger is not None else {},
        known=known,
        allow=allow,
        deny=deny,
        threshold=threshold,
        how=how,
        labels=labels,
    )


def _check_labels(labels: str, model: Model | None, alone: bool) -> str:
    """The label set of the answer, `own` where it is named that the model has learned; or a refusal."""
    if model is not None and labels == _own_set(model.tags) != NATIVE_LABELS:
        labels = OWN_LABELS
    if labels == OWN_LABELS:
        if model is None or not alone:
            raise ConfigError("own labels are those of a model alone: --rules off, no lists, no --known")
    elif labels != NATIVE_LABELS:
        load_label_set(labels)
        load_map(f"{NATIVE_LABELS}--{labels}")
    return labels


def _load_model(name: str, device: str) -> Model:
    # Imported here: numpy and the tokenizers are not needed for rules alone.
    from deidlab.detect.embedded import EMBEDDED, embedded_folder
    from deidlab.detect.model import load_model

    if name in EMBEDDED:
        return load_model(embedded_folder(name), device=device)
    if not Path(name).is_dir():
        raise ModelError(f"{name}: no such model folder; embedded are {', '.join(EMBEDDED)}")
    return load_model(name, device=device)
