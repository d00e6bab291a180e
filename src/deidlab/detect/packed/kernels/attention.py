"""Attention over packed windows as an operation that torch can differentiate and compile around.

Query, key and value come side by side as one linear layer makes them, [pieces, 3, heads, size], and gradients
go back in that form, so that nothing is copied between.
"""

# mypy: ignore-errors
from __future__ import annotations

from typing import NamedTuple

import torch
import triton

from deidlab.detect.packed.kernels.backward import key_gradient, query_gradient
from deidlab.detect.packed.kernels.dropout import drop_below
from deidlab.detect.packed.kernels.forward import forward
from deidlab.detect.packed.kernels.sums import PartSums

HEAD_SIZES = (16, 32, 64, 128)
_LOG2_E = 1.4426950408889634

# Sizes of blocks and warps, found by trying on an H200.
_FORWARD = {"BM": 64, "BN": 32, "num_warps": 4, "num_stages": 3}
_QUERY = {"BM": 64, "BN": 32, "num_warps": 4, "num_stages": 3}
_KEY = {"BM": 32, "BN": 64, "num_warps": 4, "num_stages": 3}
_BACKWARD_SCHEMA = (
    "(Tensor grad, Tensor qkv, Tensor out, Tensor lse, Tensor edges, Tensor seed,"
    " int longest, float scale, float dropout) -> Tensor"
)


class Chosen(NamedTuple):
    """The places of a row that ask, in order, and where those of each window start among them (int32)."""

    places: torch.Tensor
    starts: torch.Tensor


def attend(
    qkv: torch.Tensor,
    edges: torch.Tensor,
    seed: torch.Tensor,
    longest: int,
    scale: float,
    dropout: float,
    chosen: Chosen | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of each window to itself, [pieces or places, heads, size], and the logarithm of row sums.

    `edges` are the windows' starts and the end of the last; pieces outside every window are not written.
    """
    n_pieces, _, n_heads, size = qkv.shape
    n_rows = n_pieces if chosen is None else len(chosen.places)
    out = qkv.new_empty((n_rows, n_heads, size))
    lse = torch.empty((n_heads, n_rows), dtype=torch.float32, device=qkv.device)
    grid = (triton.cdiv(longest, _FORWARD["BM"]), n_heads, len(edges) - 1)
    forward[grid](
        qkv, out, lse, edges, *(chosen or (edges, edges)), seed, n_heads, n_rows, scale * _LOG2_E,
        drop_below(dropout), 1 / (1 - dropout), D=size, DROP=dropout > 0, CHOSEN=chosen is not None,
        **_FORWARD,
    )  # fmt: skip
    return out, lse


def attend_gradient(
    grad: torch.Tensor,
    qkv: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    edges: torch.Tensor,
    seed: torch.Tensor,
    longest: int,
    scale: float,
    dropout: float,
    chosen: Chosen | None = None,
    sums: PartSums | None = None,
) -> torch.Tensor:
    """The gradient of query, key and value; leaves the sums of the query's and the value's over pieces."""
    _, _, n_heads, size = qkv.shape
    grad = grad.contiguous()
    delta, gradient = torch.empty_like(lse), torch.empty_like(qkv)
    if chosen is not None:
        gradient[:, 0].zero_()
    left = torch.empty_like(lse, dtype=torch.int32) if dropout else edges
    who = (edges, *(chosen or (edges, edges)), seed, n_heads, lse.shape[1], scale * _LOG2_E)
    rest = (drop_below(dropout), 1 / (1 - dropout), scale)
    how = {"D": size, "DROP": dropout > 0, "SUMS": sums is not None, "CHOSEN": chosen is not None}
    n_windows, width = len(edges) - 1, n_heads * size
    n_rows, n_columns = triton.cdiv(longest, _QUERY["BM"]), triton.cdiv(longest, _KEY["BN"])
    parts = delta if sums is None else sums.room(n_windows * n_rows, width)
    query_gradient[(n_rows, n_heads, n_windows)](
        qkv, out, grad, lse, delta, left, gradient, parts, *who, *rest, **how, **_QUERY
    )
    parts = delta if sums is None else sums.room(n_windows * n_columns, width)
    key_gradient[(n_columns, n_heads, n_windows)](
        qkv, grad, lse, delta, left, gradient, parts, *who, *rest, **how, **_KEY
    )
    return gradient


@torch.library.custom_op("deidlab::window_attention", mutates_args=())
def window_attention(
    qkv: torch.Tensor, edges: torch.Tensor, seed: torch.Tensor, longest: int, scale: float, dropout: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """`attend` as an operation."""
    return attend(qkv, edges, seed, longest, scale, dropout)


@window_attention.register_fake
def _(qkv, edges, seed, longest, scale, dropout):
    n_pieces, _, n_heads, size = qkv.shape
    lse = torch.empty((n_heads, n_pieces), dtype=torch.float32, device=qkv.device)
    return qkv.new_empty((n_pieces, n_heads, size)), lse


@torch.library.custom_op("deidlab::window_attention_backward", mutates_args=(), schema=_BACKWARD_SCHEMA)
def window_attention_backward(*given):
    """`attend_gradient` as an operation."""
    return attend_gradient(*given)


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
