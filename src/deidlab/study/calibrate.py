"""A model and a batch in, pieces a second on this machine out: a few real training steps, timed.

Rows are as long as the study's own: a sample of the training notes is cut by the model's tokenizer. How long
it takes until the first step is over, with compiling and recording, is told apart.

A large model on a CPU would take minutes a step; there one layer of BERT-base is timed, once, and the speed
of the whole is reckoned from the arithmetic that it takes.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence
from typing import Any

import torch

from deidlab.encode.words import find_words
from deidlab.errors import ModelError
from deidlab.study.grid import run_from
from deidlab.study.reckoning import PIECES_PER_WORD, count_windows
from deidlab.study.spec import ModelSpec
from deidlab.study.workshop import Workshop
from deidlab.train.attention import PACKED, register_attention
from deidlab.train.fit import make_flat
from deidlab.train.flat import knobs_at
from deidlab.train.flops import flop_per_piece
from deidlab.train.fusing import fuse_layers
from deidlab.train.losses import TagLoss
from deidlab.train.models import LEARN, ModelSource, load_config, load_pieces
from deidlab.train.packing import RowShape
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.train.tagger import Tagger, first_position, longest_window
from deidlab.types import Document
from deidlab.zoo.configs import find_model

# On a CPU: pieces in a timed step, in a window of the layer that stands for large models, and what is large.
_CPU_PIECES, _FEW_PIECES = 1024, 256
_LARGE_FLOP = 2e8
_STEPS = {"cpu": 2, "cuda": 12}
_TAGS = 41
# Notes that tell how many pieces a word has.
_SAMPLE = 200


def measure_speed(workshop: Workshop, table: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Speed`: of training with a run's settings."""
    run = run_from(table)
    settings, model = run.settings, workshop.find(run.model)
    source = workshop.source(model)
    sample = spread_out(workshop.notes("train", "plan"), _SAMPLE)
    per_word = _pieces_per_word(workshop, model, source, sample)
    if not source.is_folder and find_model(source.name):
        # Its sizes are known here: no weights are needed to time it.
        source = ModelSource(source.name, scratch=True)
    config = load_config(source)
    config.num_labels = _TAGS
    on_gpu = workshop.place.device.type == "cuda"
    outline = _build(config, on_meta=True)
    whole = flop_per_piece(outline, float(settings.window))
    start = 0.0
    if not on_gpu and whole > _LARGE_FLOP:
        rate, how = _flop_a_second() / whole, "reckoned from one timed layer of BERT-base"
    else:
        words = [len(find_words(note.text)) for note in sample]
        n_windows, n_pieces = count_windows(words, per_word or PIECES_PER_WORD, settings)
        mean = math.ceil(n_pieces / n_windows)
        window = min(mean, longest_window(outline) or mean, mean if on_gpu else _CPU_PIECES)
        at_once = settings.batch if on_gpu else max(1, min(settings.batch, _CPU_PIECES // window))
        start, seconds = _time_steps(config, settings, at_once, window, workshop.place.device)
        rate, how = at_once * window / seconds, "timed steps"
    return {
        "pieces_per_second": rate,
        "how": how,
        "device": workshop.place.device.type,
        "per_word": per_word,
        "start_seconds": start if on_gpu else 0.0,
    }


def spread_out(notes: Sequence[Document], most: int) -> list[Document]:
    """So many notes at most, evenly from first to last: corpora are often in some order."""
    n_taken = min(most, len(notes))
    return [notes[place * len(notes) // n_taken] for place in range(n_taken)]


def _pieces_per_word(
    workshop: Workshop, model: ModelSpec, source: ModelSource, sample: Sequence[Document]
) -> float | None:
    """What the model's tokenizer makes of the notes; None where it is not at hand: nothing is downloaded."""
    try:
        learned = source.tokenizer == LEARN
        pieces = workshop.pieces(model, source, sample) if learned else load_pieces(source, at_hand=True)
    except ModelError:
        return None
    words = [find_words(note.text) for note in sample]
    cut = [pieces.of_words(note.text, each) for note, each in zip(sample, words, strict=True)]
    n_words = sum(len(each) for each in words)
    return sum(len(word) for note in cut for word in note) / n_words if n_words else None


@functools.cache
def _flop_a_second() -> float:
    """What this CPU reaches in training, optimizer included."""
    import transformers

    config = transformers.BertConfig(num_hidden_layers=1, vocab_size=1000, num_labels=_TAGS)
    layer = _build(config, on_meta=True)
    _, seconds = _time_steps(config, TrainSettings(), 2, _FEW_PIECES, torch.device("cpu"))
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


def _time_steps(
    config: Any, settings: TrainSettings, n_windows: int, window: int, device: Any
) -> tuple[float, float]:
    """Seconds until the first step is over, and of each after it.

    A GPU is timed without compiling, and with all pieces asking, so hours are not too few.
    """
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
    started = time.perf_counter()
    for _ in range(_STEPS[device.type]):
        steps.run([row], [shape], knobs)
    _wait(device)
    return started - began, (time.perf_counter() - started) / _STEPS[device.type]


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
