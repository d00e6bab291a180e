"""How much arithmetic training takes: matrix products only, as shares of a chip's peak are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


def flop_per_piece(model: nn.Module, mean_context: float) -> float:
    """Floating-point operations of forward and backward for one piece that sees `mean_context` pieces.

    Embeddings are looked up, not multiplied, and do not count; ALBERT's shared layers count at each use.
    """
    import torch

    config = model.config
    repeats = config.num_hidden_layers // getattr(config, "num_hidden_groups", config.num_hidden_layers)
    products = 0.0
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear) and "pooler" not in name:
            products += module.weight.numel() * (repeats if "albert_layer_groups" in name else 1)
    attention = 2.0 * config.num_hidden_layers * config.hidden_size * mean_context
    return float(6.0 * (products + attention))
