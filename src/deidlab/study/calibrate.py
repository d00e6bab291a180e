"""A model and a batch in, pieces a second on this machine out: a few real training steps, timed.

A large model on a CPU would take minutes a step; there one layer of BERT-base is timed, once, and the speed
of the whole is reckoned from the arithmetic that it takes.
"""

from __future__ import annotations

import functools
import time
from typing import Any

import torch

from deidlab.study.grid import run_from
from deidlab.study.workshop import Workshop
from deidlab.train.attention import PACKED, register_attention
from deidlab.train.fit import make_flat
from deidlab.train.flat import knobs_at
from deidlab.train.flops import flop_per_piece
from deidlab.train.fusing import fuse_layers
from deidlab.train.losses import TagLoss
from deidlab.train.models import ModelSource, load_config
from deidlab.train.packing import RowShape
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.train.tagger import Tagger, first_position
from deidlab.zoo.configs import find_model

# On a CPU: pieces in a timed step, in a window of the layer that stands for large models, and what is large.
_CPU_PIECES, _FEW_PIECES = 1024, 256
_LARGE_FLOP = 2e8
_STEPS = {"cpu": 2, "cuda": 12}
_TAGS = 41


def measure_speed(workshop: Workshop, table: dict[str, Any]) -> dict[str, Any]:
    """Pieces a second of training with a run's settings, and how it was found."""
    run = run_from(table)
    model = workshop.find(run.model)
    source = workshop.source(model)
    if not source.is_folder and find_model(source.name):
        # Its sizes are known here: no weights are needed to time it.
        source = ModelSource(source.name, scratch=True)
    config = load_config(source)
    config.num_labels = _TAGS
    on_gpu = workshop.place.device.type == "cuda"
    whole = flop_per_piece(_build(config, on_meta=True), float(run.settings.window))
    if not on_gpu and whole > _LARGE_FLOP:
        rate, how = _flop_a_second() / whole, "reckoned from one timed layer of BERT-base"
    else:
        most = run.settings.batch * run.settings.window if on_gpu else _CPU_PIECES
        window = min(run.settings.window, config.max_position_embeddings - 2, most)
        n_windows = max(1, min(run.settings.batch, most // window))
        seconds = _time_steps(_build(config), run.settings, n_windows, window, workshop.place.device)
        rate, how = n_windows * window / seconds, "timed steps"
    return {"pieces_per_second": rate, "how": how, "device": workshop.place.device.type}


@functools.cache
def _flop_a_second() -> float:
    """What this CPU reaches in training, optimizer included."""
    import transformers

    layer = _build(transformers.BertConfig(num_hidden_layers=1, vocab_size=1000, num_labels=_TAGS))
    seconds = _time_steps(layer, TrainSettings(), 2, _FEW_PIECES, torch.device("cpu"))
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


def _time_steps(model: Any, settings: TrainSettings, n_windows: int, window: int, device: Any) -> float:
    """Seconds a step, the first left out; a GPU is timed without compiling, so hours are not too few."""
    tagger = Tagger(model, settings.shapes, settings.decoding == "crf").to(device)
    tagger.train()
    flat = make_flat(tagger, settings, device.type == "cuda", 1)
    shape = RowShape(n_windows * window, n_windows, window, first_position(model))
    row = torch.zeros(shape.width, dtype=torch.int32)
    row[shape.field(0)] = torch.randint(5, model.config.vocab_size, (shape.n_pieces,), dtype=torch.int32)
    row[shape.field(1)] = torch.arange(shape.n_pieces, dtype=torch.int32) % window + shape.first_position
    row[shape.edges] = torch.arange(0, shape.n_pieces + 1, window, dtype=torch.int32)
    row = row.to(device)
    steps = TrainSteps(TagLoss(tagger).to(device), flat)
    knobs = torch.tensor(knobs_at(1, 1e-6), device=device)
    if device.type == "cuda" and tagger.packs:
        steps.capture([row], shape)
    steps.run([row], [shape], knobs)
    _wait(device)
    began = time.perf_counter()
    for _ in range(_STEPS[device.type]):
        steps.run([row], [shape], knobs)
    _wait(device)
    return (time.perf_counter() - began) / _STEPS[device.type]


def _wait(device: Any) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
