"""Dropout, the sum with what went before, and layer norm, as one kernel each way."""

# mypy: ignore-errors
# ruff: noqa: N803
from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

from deidlab.detect.packed.kernels.dropout import call_key, column_part, drop_below, is_kept, row_part
from deidlab.detect.packed.kernels.sums import PartSums

_FORWARD = {"ROWS": 2, "num_warps": 4}
_BACKWARD = {"ROWS": 4, "STAGES": 3, "num_warps": 4}
_BLOCKS = 264


class Normed(NamedTuple):
    """What goes in once dropped and added, and each row's mean and factor: what the gradient needs."""

    summed: torch.Tensor
    mean: torch.Tensor
    factor: torch.Tensor


@triton.jit
def kept_places(Seed, rows, cols, threshold):
    key = call_key(tl.load(Seed), tl.zeros((), tl.int32), tl.zeros((), tl.int32))
    return is_kept(row_part(key, rows)[:, None], column_part(key, cols)[None, :], threshold.to(tl.uint32))


@triton.jit
def _norm(
    X, Before, Weight, Bias, Seed, Summed, Mean, Factor, Y, n_rows, n_columns, epsilon, threshold, grow,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DROP: tl.constexpr,
):  # fmt: skip
    rows, cols = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    in_cols = (cols < n_columns)[None, :]
    inside = (rows < n_rows)[:, None] & in_cols
    at = rows[:, None].to(tl.int64) * n_columns + cols[None, :]
    x = tl.load(X + at, mask=inside, other=0.0).to(tl.float32)
    before = tl.load(Before + at, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(Weight + cols, mask=cols < n_columns, other=0.0).to(tl.float32)
    bias = tl.load(Bias + cols, mask=cols < n_columns, other=0.0).to(tl.float32)
    if DROP:
        x = tl.where(kept_places(Seed, rows, cols, threshold), x * grow, 0.0)
    rounded = (x + before).to(Summed.dtype.element_ty)
    tl.store(Summed + at, rounded, mask=inside)
    # From the rounded sum, as the gradient will read it.
    summed = rounded.to(tl.float32)
    mean = tl.sum(summed, 1) / n_columns
    apart = tl.where(in_cols, summed - mean[:, None], 0.0)
    factor = 1.0 / tl.sqrt(tl.sum(apart * apart, 1) / n_columns + epsilon)
    y = apart * factor[:, None] * weight[None, :] + bias[None, :]
    tl.store(Y + at, y.to(Y.dtype.element_ty), mask=inside)
    tl.store(Mean + rows, mean, mask=rows < n_rows)
    tl.store(Factor + rows, factor, mask=rows < n_rows)


@triton.jit
def _norm_gradient(
    Grad, Summed, Mean, Factor, Weight, Seed, DX, DBefore, Parts, n_rows, n_columns, n_each, threshold, grow,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DROP: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    stretch, cols = tl.program_id(0), tl.arange(0, COLUMNS)
    in_cols = (cols < n_columns)[None, :]
    weight = tl.load(Weight + cols, mask=cols < n_columns, other=0.0).to(tl.float32)[None, :]
    of_weight = tl.zeros((ROWS, COLUMNS), tl.float32)
    of_bias = tl.zeros((ROWS, COLUMNS), tl.float32)
    of_x = tl.zeros((ROWS, COLUMNS), tl.float32)
    end = tl.minimum((stretch + 1) * n_each, n_rows)
    for first in tl.range(stretch * n_each, end, ROWS, num_stages=STAGES):
        rows = first + tl.arange(0, ROWS)
        in_rows = rows < end
        inside = in_rows[:, None] & in_cols
        at = rows[:, None].to(tl.int64) * n_columns + cols[None, :]
        grad = tl.load(Grad + at, mask=inside, other=0.0).to(tl.float32)
        summed = tl.load(Summed + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.load(Mean + rows, mask=in_rows, other=0.0)[:, None]
        factor = tl.load(Factor + rows, mask=in_rows, other=0.0)[:, None]
        normal = tl.where(in_cols, (summed - mean) * factor, 0.0)
        of_weight += grad * normal
        of_bias += grad
        pulled = grad * weight
        along = tl.sum(pulled * normal, 1)[:, None] / n_columns
        level = tl.sum(pulled, 1)[:, None] / n_columns
        dx = (pulled - level - normal * along) * factor
        tl.store(DBefore + at, dx.to(DBefore.dtype.element_ty), mask=inside)
        if DROP:
            dx = tl.where(kept_places(Seed, rows, cols, threshold), dx * grow, 0.0)
        of_x += tl.where(inside, dx, 0.0)
        tl.store(DX + at, dx.to(DX.dtype.element_ty), mask=inside)
    to = Parts + stretch * 3 * n_columns + cols
    tl.store(to, tl.sum(of_weight, 0), mask=cols < n_columns)
    tl.store(to + n_columns, tl.sum(of_bias, 0), mask=cols < n_columns)
    tl.store(to + 2 * n_columns, tl.sum(of_x, 0), mask=cols < n_columns)


def add_and_norm(
    x: torch.Tensor,
    before: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    seed: torch.Tensor,
    epsilon: float,
    dropout: float,
) -> tuple[torch.Tensor, Normed]:
    """Layer norm of x, some of it dropped, plus what went before."""
    n_rows, n_columns = x.shape
    y, summed = torch.empty_like(x), torch.empty_like(x)
    mean, factor = torch.empty((2, n_rows), dtype=torch.float32, device=x.device)
    _norm[(triton.cdiv(n_rows, _FORWARD["ROWS"]),)](
        x, before, weight, bias, seed, summed, mean, factor, y, n_rows, n_columns, epsilon,
        drop_below(dropout), 1 / (1 - dropout), COLUMNS=triton.next_power_of_2(n_columns), DROP=dropout > 0,
        **_FORWARD,
    )  # fmt: skip
    return y, Normed(summed, mean, factor)


def add_and_norm_gradient(
    grad: torch.Tensor,
    normed: Normed,
    weight: torch.Tensor,
    seed: torch.Tensor,
    dropout: float,
    sums: PartSums,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of x and of what went before; leaves those of weight and bias and the sum of x's in a row."""
    n_rows, n_columns = grad.shape
    dx, before = torch.empty_like(grad), torch.empty_like(grad)
    rows = _BACKWARD["ROWS"]
    each = rows * max(1, triton.cdiv(n_rows, rows * _BLOCKS))
    n_blocks = triton.cdiv(n_rows, each)
    _norm_gradient[(n_blocks,)](
        grad, normed.summed, normed.mean, normed.factor, weight, seed, dx, before,
        sums.room(n_blocks, 3 * n_columns), n_rows, n_columns,
        each, drop_below(dropout), 1 / (1 - dropout), COLUMNS=triton.next_power_of_2(n_columns),
        DROP=dropout > 0, **_BACKWARD,
    )  # fmt: skip
    return dx, before
