"""Dropout whose mask is a hash of a seed and a place, for layers that are compiled on a GPU.

The library's generator takes longer for each value than the layer norm beside it; one multiplication does for
dropout. Nothing is stored for the backward pass: the mask is worked out again from the seed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

_MIX_ONE, _MIX_TWO = 0x7FEB352D, 0x846CA68B - 2**32
_COLUMN = 0x85EBCA77 - 2**32


class HashDropout(nn.Dropout):  # type: ignore[misc]
    """`nn.Dropout` for [..., rows, columns]; all modules of a model share the seed, each has its own salt."""

    def __init__(self, share: float, seed: torch.Tensor, salt: int) -> None:
        super().__init__(share)
        # Tensors rather than numbers: layers that differ in a number would each be compiled anew.
        self.register_buffer("seed", seed, persistent=False)
        self.register_buffer("salt", torch.tensor([salt], dtype=torch.int32, device=seed.device), False)

    def forward(self, values: torch.Tensor) -> Any:
        if not self.training or not self.p:
            return values
        keep = keep_mask(values.shape[-2], values.shape[-1], self.p, _mix(self.seed + self.salt))
        return torch.where(keep, values * (1.0 / (1.0 - self.p)), 0.0)


def keep_mask(n_rows: int, n_columns: int, share: float, key: torch.Tensor) -> Any:
    """[rows, columns]: which values stay. `key` is one int32."""
    rows = torch.arange(n_rows, dtype=torch.int32, device=key.device)
    columns = torch.arange(n_columns, dtype=torch.int32, device=key.device)
    mixed = (_mix(rows ^ key)[:, None] ^ (columns * _COLUMN + key)[None, :]) * _MIX_TWO
    return mixed >= int(share * 2**32) - 2**31


def hash_dropouts(model: nn.Module, modules: list[nn.Module]) -> int:
    """Put hashed dropout in place of the library's in modules of a model that run once a step; how many.

    Each forward pass of the model draws a new seed. Attention's own dropout, only a number, stays.
    """
    seed = torch.zeros(1, dtype=torch.int32, device=next(model.parameters()).device)
    count = 0
    for parent in (parent for module in modules for parent in module.modules()):
        if hasattr(parent, "attention_head_size"):
            continue
        for name, child in parent.named_children():
            if type(child) is nn.Dropout and child.p > 0:
                count += 1
                setattr(parent, name, HashDropout(child.p, seed, count * _COLUMN % 2**31))

    def draw(*_: Any) -> None:
        seed.random_()

    model.register_forward_pre_hook(draw)
    return count


def _mix(x: torch.Tensor) -> Any:
    """Spread every bit of an int32 over all of them; shifts are of the unsigned number."""
    x = (x ^ ((x >> 16) & 0xFFFF)) * _MIX_ONE
    x = (x ^ ((x >> 15) & 0x1FFFF)) * _MIX_TWO
    return x ^ ((x >> 16) & 0xFFFF)
