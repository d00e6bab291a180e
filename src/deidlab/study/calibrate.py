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
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deidlab.detect.packed.tagger import Tagger, longest_window
from deidlab.encode.decoding import TagGrammar
from deidlab.encode.pieced import PiecedCorpus, count_labels, tags_of_words
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
from deidlab.train.flops import flop_per_piece
from deidlab.train.launch import Bookkeeping
from deidlab.train.losses import TagLoss
from deidlab.train.material import find_pieces
from deidlab.train.models import ModelSource, load_config, new_model
from deidlab.train.predicting import choose_tags
from deidlab.train.processes import Place
from deidlab.train.session import Session
from deidlab.train.settings import TrainSettings
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
    pieces, why = _load_pieces(source, sample)
    cut = [pieces.of_words(note.text, own) for note, own in zip(sample, words, strict=True)] if pieces else []
    per_word = sum(len(word) for note in cut for word in note) / max(1, sum(n_words)) or None
    found = {
        "device": device.type,
        "per_word": per_word,
        "why": why,
        "note_seconds": _time_deciding(sample, words, settings) / len(sample),
    }
    config = _plain_config(source)
    outline = _outline(config)
    whole = flop_per_piece(outline, float(settings.window))
    if device.type == "cpu" and whole > _LARGE_FLOP:
        rate = _flop_a_second() / whole
        return found | {"pieces_per_second": rate, "how": "reckoned from one timed layer of BERT-base"}
    n_windows, n_pieces = count_windows(n_words, per_word or PIECES_PER_WORD, settings)
    mean = math.ceil(n_pieces / max(1, n_windows))
    window = min(max(mean, 3), longest_window(outline) or mean, _CPU_PIECES if device.type == "cpu" else mean)
    at_once = max(1, min(settings.batch, _CPU_PIECES // window)) if device.type == "cpu" else settings.batch
    cold, warm, rate = _time_training(config, settings, at_once, window, device)
    return found | {
        "pieces_per_second": rate,
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


def _load_pieces(source: ModelSource, sample: Sequence[Document]) -> tuple[WordPieces | None, str]:
    """The model's tokenizer; where it cannot be had, None, and why."""
    try:
        return find_pieces(source, sample), ""
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
    layer = _outline(config)
    *_, rate = _time_training(config, TrainSettings(), 2, _FEW_PIECES, torch.device("cpu"))
    return rate * flop_per_piece(layer, float(_FEW_PIECES))


def _outline(config: Any) -> Any:
    """The model without weights, to count with."""
    with torch.device("meta"):
        return new_model(config, "TokenClassification")


def _time_training(
    config: Any, settings: TrainSettings, n_windows: int, window: int, device: Any
) -> tuple[float, float, float]:
    """Seconds until the first step is over, of a process's first training and of a later; pieces a second.

    A GPU is timed without compiling, and with all pieces asking, so hours are not too few.
    """
    settings = settings.changed(compile="off", batch=n_windows, accumulate=1)
    # Two of a large model at once may not fit: nothing of the first is kept.
    cold = _start_training(config, settings, window, device)[2]
    gc.collect()
    step, n_pieces, warm = _start_training(config, settings, window, device)
    began = time.perf_counter()
    for _ in range(_STEPS[device.type]):
        step()
    _wait(device)
    return cold, warm, n_pieces * _STEPS[device.type] / (time.perf_counter() - began)


def _start_training(
    config: Any, settings: TrainSettings, window: int, device: Any
) -> tuple[Callable[[], None], int, float]:
    """What takes a step with random weights, its pieces, and how long the first one took, from nothing."""
    began = time.perf_counter()
    model = new_model(config, "TokenClassification")
    tagger = Tagger(model, settings.shapes, settings.decoding == "crf").to(device)
    windows = _make_windows(settings.batch, window, model.config.vocab_size)
    kept = Bookkeeping(Path())
    session = Session(tagger, TagLoss(tagger).to(device), windows, settings, Place(device), kept)
    session.prepare(resume=False)
    step, n_pieces = session.rehearse()
    step()
    _wait(device)
    return step, n_pieces, time.perf_counter() - began


def _make_windows(n_windows: int, length: int, n_vocabulary: int) -> PiecedCorpus:
    """Windows of one length, filled at random, in which every piece decides."""
    n_pieces = n_windows * length
    return PiecedCorpus(
        ids=np.random.default_rng(0).integers(5, n_vocabulary, n_pieces).astype(np.int32),
        labels=np.zeros(n_pieces, np.int32),
        shapes=np.zeros(n_pieces, np.int32),
        starts=np.arange(0, n_pieces + 1, length, dtype=np.int64),
        deciding=np.arange(n_pieces, dtype=np.int64),
        words=(),
        spans=(),
    )


def _wait(device: Any) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
