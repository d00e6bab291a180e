"""Attention over packed windows as an operation that torch can differentiate and compile around.

Query, key and value come side by side as one linear layer makes them, [pieces, 3, heads, size], and gradients
go back in that form, so that nothing is copied between.
"""

# mypy: ignore-errors
from __future__ import annotations

import torch
import triton

from deidlab.train.kernels.backward import key_gradient, query_gradient
from deidlab.train.kernels.forward import forward

HEAD_SIZES = (16, 32, 64, 128)
_LOG2_E = 1.4426950408889634

# Sizes of blocks and warps, found by trying on an H200.
_FORWARD = {"BM": 128, "BN": 64, "num_warps": 4, "num_stages": 3}
_QUERY = {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2}
_KEY = {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2}


@torch.library.custom_op("deidlab::window_attention", mutates_args=())
def window_attention(
    qkv: torch.Tensor, edges: torch.Tensor, seed: torch.Tensor, longest: int, scale: float, dropout: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of each window to itself, [pieces, heads, size], and the logarithm of each row's sum.

    `edges` are the windows' starts and the end of the last; pieces outside every window are not written.
    """
    n_pieces, _, n_heads, size = qkv.shape
    out = qkv.new_empty((n_pieces, n_heads, size))
    lse = torch.empty((n_heads, n_pieces), dtype=torch.float32, device=qkv.device)
    grid = (triton.cdiv(longest, _FORWARD["BM"]), n_heads, len(edges) - 1)
    forward[grid](
        qkv, out, lse, edges, seed, n_heads, n_pieces, scale * _LOG2_E, _threshold(dropout),
        1 / (1 - dropout), D=size, DROP=dropout > 0, **_FORWARD,
    )  # fmt: skip
    return out, lse


@window_attention.register_fake
def _(qkv, edges, seed, longest, scale, dropout):
    n_pieces, _, n_heads, size = qkv.shape
    lse = torch.empty((n_heads, n_pieces), dtype=torch.float32, device=qkv.device)
    return qkv.new_empty((n_pieces, n_heads, size)), lse


@torch.library.custom_op("deidlab::window_attention_backward", mutates_args=())
def window_attention_backward(
    grad: torch.Tensor,
    qkv: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    edges: torch.Tensor,
    seed: torch.Tensor,
    longest: int,
    scale: float,
    dropout: float,
) -> torch.Tensor:
    """The gradient of query, key and value."""
    n_pieces, _, n_heads, size = qkv.shape
    grad = grad.contiguous()
    delta, gradient = torch.empty_like(lse), torch.empty_like(qkv)
    left = torch.empty_like(lse, dtype=torch.int32) if dropout else edges
    rest = (n_heads, n_pieces, scale * _LOG2_E, _threshold(dropout), 1 / (1 - dropout), scale)
    how = {"D": size, "DROP": dropout > 0}
    n_windows = len(edges) - 1
    query_gradient[(triton.cdiv(longest, _QUERY["BM"]), n_heads, n_windows)](
        qkv, out, grad, lse, delta, left, gradient, edges, seed, *rest, **how, **_QUERY
    )
    key_gradient[(triton.cdiv(longest, _KEY["BN"]), n_heads, n_windows)](
        qkv, grad, lse, delta, left, gradient, edges, seed, *rest, **how, **_KEY
    )
    return gradient


@window_attention_backward.register_fake
def _(grad, qkv, out, lse, edges, seed, longest, scale, dropout):
    return torch.empty_like(qkv)


def _remember(ctx, inputs, output):
    qkv, edges, seed, ctx.longest, ctx.scale, ctx.dropout = inputs
    out, lse = output
    ctx.save_for_backward(qkv, out, lse, edges, seed)
    ctx.mark_non_differentiable(lse)


def _backward(ctx, grad, _):
    qkv, out, lse, edges, seed = ctx.saved_tensors
    gradient = window_attention_backward(
        grad, qkv, out, lse, edges, seed, ctx.longest, ctx.scale, ctx.dropout
    )
    return gradient, None, None, None, None, None


window_attention.register_autograd(_backward, setup_context=_remember)


def _threshold(dropout: float) -> int:
    """Hashes below this are dropped."""
    return min(int(dropout * 2**32), 2**32 - 1)
