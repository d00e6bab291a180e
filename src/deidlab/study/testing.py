"""The selected runs in, what they find in every part out: here, and not before, the test notes are opened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deidlab.detect.folder import read_tagger
from deidlab.detect.probabilities import tag_probabilities
from deidlab.encode.decoding import Scores, TagGrammar
from deidlab.encode.pieces import WordPieces
from deidlab.encode.tags import tags_to_spans
from deidlab.encode.windows import WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import LabelSet
from deidlab.study.combining import combine_probabilities
from deidlab.study.completing import weights_of
from deidlab.study.folder import RUNS, now
from deidlab.study.measuring import measure_found
from deidlab.study.notes import read_cross
from deidlab.study.predictions import write_predictions
from deidlab.study.records import Choice, Selection, cross_path, predictions_path
from deidlab.study.testrecords import write_test
from deidlab.study.workshop import Workshop
from deidlab.train.pieced import PiecedCorpus, piece_corpus
from deidlab.train.predicting import WordScorer, choose_tags, split_by_note
from deidlab.train.tagger import SHAPES_KEY, STEPS_KEY, Tagger
from deidlab.types import Document, Span

Found = list[tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one model says of one part: spans with certainties, each note's [words, tags] probabilities."""

    spans: Found = field(repr=False)
    probabilities: list[Scores] = field(repr=False)
    prediction: dict[str, Any] = field(default_factory=dict, repr=False)


class LoadedRun:
    """A selected run, ready to predict."""

    def __init__(self, folder: Path, device: Any) -> None:
        from deidlab.train.models import ModelSource, build_model, load_config

        self.facts = read_tagger(folder)
        self._device = device
        self._pieces = WordPieces.from_file(folder / "tokenizer.json")
        source = ModelSource(str(folder))
        model = build_model(source, load_config(source), "TokenClassification", self._pieces, None)
        self._tagger = Tagger(model, self.facts.shapes, self.facts.decoding == "crf")
        _load_extras(self._tagger, folder)
        self._tagger.to(
            device=device, dtype=torch.bfloat16 if device.type == "cuda" else torch.float32
        ).eval()
        self._labels = _label_set(self.facts.tags)
        self.grammar = TagGrammar.of(self.facts.tags)
        self._window = WindowShape(
            self.facts.window, self.facts.stride, self._pieces.prefix, self._pieces.suffix
        )

    def predict(self, documents: Sequence[Document], timed: bool = False) -> Answer:
        """What is found in the notes; with `timed` also how fast, from text to spans."""
        began = time.perf_counter()
        bare = [Document(id=each.id, patient=each.patient, text=each.text) for each in documents]
        cut = piece_corpus(bare, self._pieces, self._window, self._labels, self.facts.words, as_gold=False)
        cutting = time.perf_counter() - began
        scorer = WordScorer(self._tagger, cut, self._device)
        began = time.perf_counter()
        scores = split_by_note(scorer.score(), cut)
        scoring = time.perf_counter() - began
        began = time.perf_counter()
        tags = choose_tags(scores, self.grammar, self.facts.decoding, scorer.steps())
        steps = scorer.steps() if self.facts.decoding == "crf" else None
        probabilities = [tag_probabilities(note, self.grammar, steps) for note in scores]
        spans = spans_of(cut.words, tags, probabilities, self.facts.tags)
        deciding = time.perf_counter() - began
        speed = {}
        if timed:
            parts = {"cutting_seconds": cutting, "deciding_seconds": deciding}
            speed["all_windows"] = parts | self._time(cut, scorer, len(documents), scoring)
            first = first_windows(cut)
            speed["first_window_only"] = self._time(first, None, len(documents), None)
        return Answer(spans, probabilities, speed)

    def _time(
        self, cut: PiecedCorpus, scorer: WordScorer | None, n_notes: int, first: float | None
    ) -> dict[str, Any]:
        """Counts, and the seconds of a scoring that is warm: graphs recorded, memory in place."""
        if scorer is None:
            scorer = WordScorer(self._tagger, cut, self._device)
            began = time.perf_counter()
            scorer.score()
            first = time.perf_counter() - began
        began = time.perf_counter()
        scorer.score()
        seconds = time.perf_counter() - began
        n_rows = scorer.n_rows
        found = {"notes": n_notes, "windows": cut.n_windows, "pieces": cut.n_pieces, "steps": n_rows}
        return found | {"seconds": seconds, "first_seconds": first}


def _label_set(tags: Sequence[str]) -> LabelSet:
    labels = tuple(dict.fromkeys(tag.partition("-")[2] for tag in tags if "-" in tag))
    return LabelSet("run", labels, tuple(tags))


def _load_extras(tagger: Tagger, folder: Path) -> None:
    from safetensors.torch import load_file

    tensors = load_file(folder / "model.safetensors")
    with torch.no_grad():
        if tagger.shapes is not None:
            tagger.shapes.weight.copy_(tensors[SHAPES_KEY])
        if tagger.steps is not None:
            tagger.steps.copy_(tensors[STEPS_KEY])


def first_windows(corpus: PiecedCorpus) -> PiecedCorpus:
    """Only the first window of each note, as where notes are cut off at the length limit."""
    edges = np.cumsum([0, *(len(words) for words in corpus.words)])[:-1]
    filled = [edge for edge, words in zip(edges.tolist(), corpus.words, strict=True) if words]
    kept = np.searchsorted(corpus.starts, corpus.deciding[filled], side="right") - 1
    stretches = [(int(corpus.starts[window]), int(corpus.starts[window + 1])) for window in kept]
    starts = np.cumsum([0, *(end - start for start, end in stretches)]).astype(np.int64)
    deciding, words = [], []
    for (start, end), at in zip(stretches, starts.tolist(), strict=False):
        first, last = np.searchsorted(corpus.deciding, (start, end))
        deciding.append(corpus.deciding[first:last] - start + at)
        words.append(tuple((place, place + 1) for place in range(int(last - first))))
    return PiecedCorpus(
        ids=np.concatenate([corpus.ids[start:end] for start, end in stretches]),
        labels=np.concatenate([corpus.labels[start:end] for start, end in stretches]),
        shapes=np.concatenate([corpus.shapes[start:end] for start, end in stretches]),
        starts=starts,
        deciding=np.concatenate(deciding),
        words=tuple(words),
        spans=((),) * len(words),
    )


def spans_of(words: Any, tags: Any, probabilities: Sequence[Scores], names: Sequence[str]) -> Found:
    """The spans that tags spell; a span's score is the mean, over its words, of its label's probability."""
    by_label: dict[str, list[int]] = {}
    for place, tag in enumerate(names):
        by_label.setdefault(tag.partition("-")[2], []).append(place)
    found: Found = []
    for own, chosen, sure in zip(words, tags, probabilities, strict=True):
        starts = {start: place for place, (start, _) in enumerate(own)}
        spans = []
        for span in tags_to_spans(own, [names[tag] for tag in chosen.tolist()]):
            first = end = starts[span.start]
            while end < len(own) and own[end][1] <= span.end:
                end += 1
            score = float(sure[first:end, by_label[span.label]].sum(axis=1).mean())
            spans.append(Span(span.start, span.end, span.label, min(1.0, max(0.0, score)), "model"))
        found.append(tuple(spans))
    return found


def predict_selected(workshop: Workshop, selection: Selection) -> None:
    """Predictions and figures of every selected model, and of ensembles of them."""
    spec, folder = workshop.spec, workshop.folder
    for choice in selection.choices.values():
        if not weights_of(folder, choice.run).is_file():
            raise ConfigError(
                f"{folder}: the weights of {choice.run} are gone, so it cannot be tested; remove "
                f"selection.json and completions/{choice.run}.json to train it again"
            )
    opened = now()
    parts = [part for part in ("train", "validation", "test") if part != "train" or spec.run.predict_train]
    kept: dict[str, dict[str, Answer]] = {}
    loaded: dict[str, LoadedRun] = {}
    for name, choice in selection.choices.items():
        run = LoadedRun(folder / RUNS / choice.run, workshop.place.device)
        answers = {part: run.predict(workshop.notes(part, "test"), timed=part == "test") for part in parts}
        cross = _cross(workshop, name, run)
        _write(workshop, name, "model", (), choice, opened, answers, run.facts.words, cross)
        kept[name] = {part: answers[part] for part in ("validation", "test")}
        loaded[name] = run
    for how in spec.ensembles:
        _combine(workshop, how, kept, loaded, opened)


def _cross(workshop: Workshop, name: str, run: LoadedRun) -> tuple[str, ...]:
    for cross in workshop.spec.cross:
        documents = read_cross(cross, workshop.folder, workshop.out)
        answer = run.predict(documents)
        path = cross_path(workshop.out, name, cross.name)
        write_predictions(path, documents, answer.spans, run.facts.words)
    return tuple(cross.name for cross in workshop.spec.cross)


def _combine(
    workshop: Workshop,
    how: str,
    kept: dict[str, dict[str, Answer]],
    loaded: dict[str, LoadedRun],
    opened: str,
) -> None:
    members = tuple(kept)
    name, runs = f"ensemble-{how}", list(loaded.values())
    same = len({(run.facts.tags, run.facts.words) for run in runs}) == 1
    if len(members) < 2 or not same:
        why = "fewer than two models" if len(members) < 2 else "the models do not share words and tags"
        _write(workshop, name, "ensemble", members, None, opened, {}, "runs", (), f"left out: {why}")
        return
    grammar, answers = runs[0].grammar, {}
    for part in ("validation", "test"):
        own = [kept[member][part].probabilities for member in members]
        tags = combine_probabilities(own, grammar, how)
        mean = [np.mean(np.stack(notes), axis=0) for notes in zip(*own, strict=True)]
        words = [_words(workshop, part, place, runs[0].facts.words) for place in range(len(mean))]
        answers[part] = Answer(spans_of(words, tags, mean, grammar.tags), mean)
    _write(workshop, name, "ensemble", members, None, opened, answers, runs[0].facts.words, ())


def _words(workshop: Workshop, part: str, place: int, style: str) -> list[tuple[int, int]]:
    from deidlab.encode.words import find_words

    return find_words(workshop.notes(part)[place].text, style)


def _write(
    workshop: Workshop,
    name: str,
    kind: str,
    members: tuple[str, ...],
    choice: Choice | None,
    opened: str,
    answers: dict[str, Answer],
    style: str,
    cross: tuple[str, ...],
    note: str = "",
) -> None:
    scores = {}
    for part, answer in answers.items():
        documents = workshop.notes(part)
        write_predictions(predictions_path(workshop.out, name, part), documents, answer.spans, style)
        scores[part] = measure_found(documents, answer.spans, style)
    tests = answers.get("test")
    write_test(
        workshop.out,
        name,
        {
            "kind": kind,
            "members": list(members),
            "run": None if choice is None else choice.run,
            "opened_at": opened,
            "test_digest": workshop.digest("test"),
            "scores": scores,
            "prediction": {} if tests is None else tests.prediction,
            "cross": list(cross),
            "note": note,
        },
    )
