"""The forward pass of attention over packed windows: a block of rows of one head of one window at a time.

Where places are chosen, only those ask (`Places`, by window from `Starts`), and all are asked; the rows that
go out are then those places.
"""

# mypy: ignore-errors
# ruff: noqa: N803
from __future__ import annotations

import triton
import triton.language as tl

from deidlab.detect.packed.kernels.dropout import call_key, column_part, is_kept, row_part


@triton.jit
def asking_rows(Starts, window, start, length, CHOSEN: tl.constexpr):
    """The first of a window's rows that ask, and how many do."""
    if CHOSEN:
        first = tl.load(Starts + window)
        return first, tl.load(Starts + window + 1) - first
    return start, length


@triton.jit
def asking_places(Places, first_row, rows, in_rows, start, CHOSEN: tl.constexpr):
    """Where in the window they stand."""
    if CHOSEN:
        return tl.load(Places + first_row + rows, mask=in_rows, other=start) - start
    return rows


@triton.jit
def forward_block(
    q, base, first, length, left, key, threshold, top, total, acc, n_heads, scale,
    D: tl.constexpr, BN: tl.constexpr, DROP: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    """One block of columns; WHOLE says that all of them are inside the window."""
    stride = 3 * n_heads * D
    cols, along = first + tl.arange(0, BN), tl.arange(0, D)
    inside = cols < length
    to_k = base + n_heads * D + cols[None, :] * stride + along[:, None]
    to_v = base + 2 * n_heads * D + cols[:, None] * stride + along[None, :]
    if WHOLE:
        k, v = tl.load(to_k), tl.load(to_v)
        s = tl.dot(q, k)
    else:
        k = tl.load(to_k, mask=inside[None, :], other=0.0)
        v = tl.load(to_v, mask=inside[:, None], other=0.0)
        s = tl.where(inside[None, :], tl.dot(q, k), -float("inf"))
    new = tl.maximum(top, tl.max(s, 1) * scale)
    p = tl.exp2(s * scale - new[:, None])
    fade = tl.exp2(top - new)
    total = total * fade + tl.sum(p, 1)
    if DROP:
        p = tl.where(is_kept(left[:, None], column_part(key, cols)[None, :], threshold), p, 0.0)
    acc = tl.dot(p.to(v.dtype), v, acc * fade[:, None])
    return new, total, acc


@triton.jit
def forward(
    QKV, Out, Lse, Edges, Places, Starts, Seed, n_heads, n_rows, scale, threshold, grow,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, DROP: tl.constexpr, CHOSEN: tl.constexpr,
):  # fmt: skip
    block, head, window = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start = tl.load(Edges + window)
    length = tl.load(Edges + window + 1) - start
    first_row, n_asking = asking_rows(Starts, window, start, length, CHOSEN)
    if block * BM >= n_asking:
        return
    stride = 3 * n_heads * D
    rows, along = block * BM + tl.arange(0, BM), tl.arange(0, D)
    in_rows = rows < n_asking
    base = QKV + start.to(tl.int64) * stride + head * D
    asking = asking_places(Places, first_row, rows, in_rows, start, CHOSEN)
    q = tl.load(base + asking[:, None] * stride + along[None, :], mask=in_rows[:, None], other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    left = rows.to(tl.uint32)
    threshold = threshold.to(tl.uint32)
    key = call_key(tl.load(Seed), head, window)
    if DROP:
        left = row_part(key, rows)
    whole = length // BN * BN
    for first in range(0, whole, BN):
        top, total, acc = forward_block(
            q, base, first, length, left, key, threshold, top, total, acc, n_heads, scale, D, BN, DROP, True
        )
    if whole < length:
        top, total, acc = forward_block(
            q, base, whole, length, left, key, threshold, top, total, acc, n_heads, scale, D, BN, DROP, False
        )
    out = acc * (grow / total)[:, None]
    places = first_row + rows
    tl.store(
        Out + places[:, None].to(tl.int64) * (n_heads * D) + head * D + along[None, :],
        out.to(Out.dtype.element_ty),
        mask=in_rows[:, None],
    )
    tl.store(Lse + head.to(tl.int64) * n_rows + places, top + tl.log2(total), mask=in_rows)
