"""A script, not a test: the GPU kernels in Triton's interpreter, on a CPU, against plain sums."""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

from typing import Any

import numpy as np
import torch

from deidlab.train.flat import _adamw as plain_adamw
from deidlab.train.kernels import adamw, window_attention
from deidlab.train.kernels.attention import _threshold

ONES = 0xFFFFFFFF
SEED = 12345


def mix(x: Any) -> Any:
    x = x & ONES
    x ^= x >> 16
    x = (x * 0x7FEB352D) & ONES
    x ^= x >> 15
    x = (x * 0x846CA68B) & ONES
    return x ^ (x >> 16)


def kept(head: int, window: int, length: int, dropout: float) -> Any:
    """Which weights the kernel keeps, by its hash."""
    key = mix((SEED + mix((head * 0x9E3779B1 + window) & ONES)) & ONES)
    along = np.arange(length, dtype=np.uint64)
    left, right = mix(along ^ np.uint64(key)), (along * 0x85EBCA77 + key) & ONES
    return torch.from_numpy(((left[:, None] ^ right[None, :]) * 0x846CA68B & ONES) >= _threshold(dropout))


def plain(qkv: Any, lengths: tuple[int, ...], dropout: float) -> Any:
    done, at = [], 0
    size = qkv.shape[-1]
    for window, length in enumerate(lengths):
        heads = []
        for head in range(qkv.shape[2]):
            query, key, value = (qkv[at : at + length, part, head] for part in range(3))
            weights = torch.softmax(query @ key.T * size**-0.5, -1)
            if dropout:
                weights = weights * kept(head, window, length, dropout) / (1 - dropout)
            heads.append(weights @ value)
        done.append(torch.stack(heads, 1))
        at += length
    return torch.cat(done)


def check_attention(lengths: tuple[int, ...], size: int, n_heads: int, dropout: float) -> None:
    n_pieces = sum(lengths)
    edges = torch.tensor([0, *np.cumsum(lengths), n_pieces, n_pieces], dtype=torch.int32)
    qkv = torch.randn(n_pieces, 3, n_heads, size, requires_grad=True)
    wanted = plain(qkv, lengths, dropout)
    grad = torch.randn_like(wanted)
    (wanted_gradient,) = torch.autograd.grad(wanted, qkv, grad)
    seed = torch.tensor([SEED], dtype=torch.int32)
    found, _ = window_attention(qkv, edges, seed, 256, size**-0.5, dropout)
    (gradient,) = torch.autograd.grad(found, qkv, grad)
    assert torch.allclose(found, wanted, atol=1e-5)
    assert torch.allclose(gradient, wanted_gradient, atol=1e-5)


def check_adamw() -> None:
    ours = [torch.randn(3000), torch.randn(3000), torch.randn(3000), torch.rand(3000)]
    theirs = [each.clone() for each in ours]
    knobs, scale = torch.tensor([1e-2, 0.1, 0.001]), torch.tensor(0.5)
    adamw(ours[0], None, *ours[1:], scale, knobs, 0.9, 0.01, (0.9, 0.999), 1e-8)
    plain_adamw(theirs[0], None, *theirs[1:], scale, knobs, 0.9, 0.01)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(ours, theirs, strict=True))


torch.manual_seed(0)
for dropout in (0.0, 0.2):
    check_attention((70, 3, 130), 16, 2, dropout)
check_adamw()
