"""A model and a batch in, pieces a second on this machine out: a few real training steps, timed.

Rows are as long as the study's own: the training notes that a plan gives as a sample are cut by the model's
tokenizer. How long it takes until the first step is over, with compiling and recording, is told apart.

A large model on a CPU would take minutes a step; there one layer of BERT-base is timed, once, and the speed
of the whole is reckoned from the arithmetic that it takes.
"""

from __future__ import annotations

import functools
import gc
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from deidlab.encode.decoding import TagGrammar
from deidlab.encode.pieces import WordPieces
from deidlab.encode.tags import tags_to_spans
from deidlab.encode.words import find_words
from deidlab.errors import DeidError, ModelError
from deidlab.labels import auto_label_set
from deidlab.study.grid import Run, run_from
from deidlab.study.measuring import measure_found
from deidlab.study.reckoning import PIECES_PER_WORD, count_windows
from deidlab.study.training import describe_failure
from deidlab.study.workshop import Workshop
from deidlab.train.attention import PACKED, register_attention
from deidlab.train.fit import make_flat
from deidlab.train.flat import knobs_at
from deidlab.train.flops import flop_per_piece
from deidlab.train.fusing import fuse_layers
from deidlab.train.losses import TagLoss
from deidlab.train.models import ModelSource, load_config
from deidlab.train.packing import RowShape
from deidlab.train.pieced import count_labels, tags_of_words
from deidlab.train.predicting import choose_tags
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.train.tagger import Tagger, first_position, longest_window
from deidlab.types import Document, Word
from deidlab.zoo.configs import find_model

# On a CPU: pieces in a timed step, in a window of the layer that stands for large models, and what is large.
_CPU_PIECES, _FEW_PIECES = 1024, 256
_LARGE_FLOP = 2e8
_STEPS = {"cpu": 2, "cuda": 12}
_TAGS = 41
Words = tuple[Word, ...]


def measure_speed(workshop: Workshop, table: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `TimedSpeed`, of training with a run's settings; or why there are none, as `error`."""
    run = run_from(table)
    try:
        return _measure(workshop, run)
    except (DeidError, MemoryError, torch.OutOfMemoryError) as error:
        return {"error": describe_failure(error, run)}


def _measure(workshop: Workshop, run: Run) -> dict[str, Any]:
    settings, device = run.settings, workshop.place.device
    source = workshop.source(workshop.find(run.model))
    sample = workshop.notes("train", "plan")
    n_words = [len(find_words(note.text)) for note in sample]
    words = [tuple(find_words(note.text, settings.words)) for note in sample]
    pieces, why = _load_pieces(workshop, run.model, source, sample)
    cut = [pieces.of_words(note.text, own) for note, own in zip(sample, words, strict=True)] if pieces else []
    per_word = sum(len(word) for note in cut for word in note) / max(1, sum(n_words)) or None
    found = {
        "device": device.type,
        "per_word": per_word,
        "why": why,
        "note_seconds": _time_deciding(sample, words, settings) / len(sample),
    }
    config = _plain_config(source)
    outline = _build(config, on_meta=True)
    whole = flop_per_piece(outline, float(settings.window))
    if device.type == "cpu" and whole > _LARGE_FLOP:
        rate = _flop_a_second() / whole
        return found | {"pieces_per_second": rate, "how": "reckoned from one timed layer of BERT-base"}
    n_windows, n_pieces = count_windows(n_words, per_word or PIECES_PER_WORD, settings)
    mean = math.ceil(n_pieces / max(1, n_windows))
    window = min(max(mean, 3), longest_window(outline) or mean, _CPU_PIECES if device.type == "cpu" else mean)
    at_once = max(1, min(settings.batch, _CPU_PIECES // window)) if device.type == "cpu" else settings.batch
    cold, warm, step = _time_training(config, settings, at_once, window, device)
    return found | {
        "pieces_per_second": at_once * window / step,
        "how": "timed steps",
        "first_seconds": max(0.0, cold - warm),
        "job_seconds": warm,
    }


def _plain_config(source: ModelSource) -> Any:
    if not source.is_folder and find_model(source.name):
        # Its sizes are known here: no weights are needed to time it.
        source = ModelSource(source.name, scratch=True)
    config = load_config(source)
    config.num_labels = _TAGS
    return config


def _load_pieces(
    workshop: Workshop, model: str, source: ModelSource, sample: Sequence[Document]
) -> tuple[WordPieces | None, str]:
    """The model's tokenizer; where it cannot be had, None, and why."""
    try:
        return workshop.pieces(workshop.find(model), source, sample), ""
    except ModelError as error:
        return None, str(error)


def _time_deciding(sample: Sequence[Document], words: Sequence[Words], settings: TrainSettings) -> float:
    """Seconds from the scores of the notes' words to the figures of a validation."""
    labels = auto_label_set(count_labels(sample))
    grammar, tag_ids = TagGrammar.of(labels.tags), labels.tag_ids()
    n_tags = len(labels.tags)
    scores = []
    for note, own in zip(sample, words, strict=True):
        gold = [tag_ids[tag] for tag in tags_of_words(note, own, labels)]
        scores.append(np.eye(n_tags, dtype=np.float32)[gold])
    began = time.perf_counter()
    tags = choose_tags(scores, grammar, settings.decoding, np.zeros((n_tags, n_tags), np.float32))
    named = ([grammar.tags[tag] for tag in note.tolist()] for note in tags)
    found = [tags_to_spans(own, each) for own, each in zip(words, named, strict=True)]
    measure_found(sample, found, settings.words)
    return time.perf_counter() - began


@functools.cache
def _flop_a_second() -> float:
    """What this CPU reaches in training, optimizer included."""
    import transformers

    config = transformers.BertConfig(num_hidden_layers=1, vocab_size=1000, num_labels=_TAGS)
    layer = _build(config, on_meta=True)
    *_, seconds = _time_training(config, TrainSettings(), 2, _FEW_PIECES, torch.device("cpu"))
    return 2 * _FEW_PIECES / seconds * flop_per_piece(layer, float(_FEW_PIECES))


def _build(config: Any, on_meta: bool = False) -> Any:
    import transformers

    register_attention()
    auto = transformers.AutoModelForTokenClassification
    packs = getattr(auto._model_mapping[type(config)], "_supports_attention_backend", False)
    how = {"attn_implementation": PACKED} if packs else {}
    if on_meta:
        with torch.device("meta"):
            return auto.from_config(config, **how)
    model = auto.from_config(config, **how)
    fuse_layers(model)
    return model


def _time_training(
    config: Any, settings: TrainSettings, n_windows: int, window: int, device: Any
) -> tuple[float, float, float]:
    """Seconds until the first step is over, of a process's first training and of a later one, and of a step.

    A GPU is timed without compiling, and with all pieces asking, so hours are not too few.
    """
    how = (config, settings, n_windows, window, device)
    # Two of a large model at once may not fit: nothing of the first is kept.
    cold = _start_training(*how)[1]
    gc.collect()
    step, warm = _start_training(*how)
    began = time.perf_counter()
    for _ in range(_STEPS[device.type]):
        step()
    _wait(device)
    return cold, warm, (time.perf_counter() - began) / _STEPS[device.type]


def _start_training(
    config: Any, settings: TrainSettings, n_windows: int, window: int, device: Any
) -> tuple[Callable[[], None], float]:
    """What makes one step with a model of random weights, and how long its first took, from nothing."""
    began = time.perf_counter()
    model = _build(config)
    tagger = Tagger(model, settings.shapes, settings.decoding == "crf").to(device)
    tagger.train()
    flat = make_flat(tagger, settings, device.type == "cuda", 1)
    shape = RowShape(n_windows * window, n_windows, window, first_position(model))
    row = _make_row(shape, window, model.config.vocab_size).to(device)
    steps = TrainSteps(TagLoss(tagger).to(device), flat)
    knobs = torch.tensor(knobs_at(1, 1e-6), device=device)
    if device.type == "cuda" and tagger.packs:
        steps.capture([row], shape)
    steps.run([row], [shape], knobs)
    _wait(device)
    return lambda: steps.run([row], [shape], knobs), time.perf_counter() - began


def _make_row(shape: RowShape, window: int, n_vocabulary: int) -> Any:
    """Windows of one length, filled at random."""
    row = torch.zeros(shape.width, dtype=torch.int32)
    row[shape.field(0)] = torch.randint(5, n_vocabulary, (shape.n_pieces,), dtype=torch.int32)
    row[shape.field(1)] = torch.arange(shape.n_pieces, dtype=torch.int32) % window + shape.first_position
    row[shape.edges] = torch.arange(0, shape.n_pieces + 1, window, dtype=torch.int32)
    return row


def _wait(device: Any) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
