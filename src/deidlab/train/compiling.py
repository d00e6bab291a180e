"""Compiling what runs often on a GPU and has no kernels of its own."""

from __future__ import annotations

import contextlib
import math

import torch
from torch import nn

from deidlab.detect.packed.fusing import is_fused
from deidlab.encode.pieced import PiecedCorpus
from deidlab.train.dropout import hash_dropouts
from deidlab.train.flops import flop_per_piece
from deidlab.train.settings import TrainSettings

# A run shorter than this on a fast GPU would spend longer compiling than it could win; where layers have
# kernels of their own, compiling the embeddings wins 1.6% of a step and takes some fifteen seconds.
_WORTH_COMPILING_FLOP = {"layers": 3e16, "embeddings": 3e17}
# Blocks that keep every multiprocessor of a large GPU at work.
_BUSY_BLOCKS = 240


def is_worth_compiling(model: nn.Module, corpus: PiecedCorpus, settings: TrainSettings, half: bool) -> bool:
    """Whether a run is to be compiled: as its settings say, or where it is long enough."""
    if settings.compile != "auto":
        return settings.compile == "on"
    per_piece = flop_per_piece(model, float(corpus.lengths.mean()))
    what = "embeddings" if half and any(is_fused(module) for module in model.modules()) else "layers"
    return per_piece * corpus.n_pieces * settings.epochs > _WORTH_COMPILING_FLOP[what]


def compile_layers(model: nn.Module, n_pieces: int, half: bool = False) -> int:
    """Compile the embeddings and the encoder's layers for rows of `n_pieces`; how many parts that are.

    Layers share their code, so that compiling one serves for all. Those that run as one operation in `half`
    precision need no compiling.
    """
    _size_gradient_sums(n_pieces)
    n_layers = model.config.num_hidden_layers
    counts = {n_layers, getattr(model.config, "num_hidden_groups", n_layers)}
    lists = (module for module in model.modules() if isinstance(module, torch.nn.ModuleList))
    layers = next((list(each) for each in lists if len(each) in counts), [])
    # A layer that runs twice a step would drop the same values twice.
    runs_once = len(layers) == n_layers
    parts = [
        module
        for name, module in model.named_modules()
        if name.endswith("embeddings") and hasattr(module, "word_embeddings")
    ]
    parts += [layer for layer in layers if not (half and is_fused(layer))]
    if runs_once:
        hash_dropouts(model, parts)
    for module in parts:
        module.compile(dynamic=False)
    return len(parts)


def _size_gradient_sums(n_pieces: int) -> None:
    """Let each block of a layer norm's gradient add up as many rows as keeps the chip busy, and no fewer.

    What the blocks leave is added up by a slow kernel: left alone, a long row costs 3% of a step there.
    """
    from torch._inductor import config

    rows = 2 ** int(math.log2(max(n_pieces, 1) / _BUSY_BLOCKS)) if n_pieces > _BUSY_BLOCKS else 1
    with contextlib.suppress(AttributeError):  # a setting of newer versions
        config.triton.mix_order_reduction_split_size = min(max(rows, 16), 128)
