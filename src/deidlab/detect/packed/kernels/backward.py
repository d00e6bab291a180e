"""The backward pass: the gradient of the query by blocks of rows, of key and value by blocks of columns."""

# mypy: ignore-errors
# ruff: noqa: N803, N806
from __future__ import annotations

import triton
import triton.language as tl

from deidlab.detect.packed.kernels.dropout import call_key, column_part, is_kept, row_part
from deidlab.detect.packed.kernels.forward import asking_places, asking_rows


@triton.jit
def query_block(
    q, grad, lse, delta, base, first, length, left, key, threshold, acc, n_heads, scale,
    D: tl.constexpr, BN: tl.constexpr, DROP: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    stride = 3 * n_heads * D
    cols, along = first + tl.arange(0, BN), tl.arange(0, D)
    inside = cols < length
    at = base + cols[None, :] * stride + along[:, None]
    if WHOLE:
        k, v = tl.load(at + n_heads * D), tl.load(at + 2 * n_heads * D)
        p = tl.exp2(tl.dot(q, k) * scale - lse[:, None])
    else:
        k = tl.load(at + n_heads * D, mask=inside[None, :], other=0.0)
        v = tl.load(at + 2 * n_heads * D, mask=inside[None, :], other=0.0)
        p = tl.where(inside[None, :], tl.exp2(tl.dot(q, k) * scale - lse[:, None]), 0.0)
    dp = tl.dot(grad, v)
    if DROP:
        dp = tl.where(is_kept(left[:, None], column_part(key, cols)[None, :], threshold), dp, 0.0)
    ds = p * (dp - delta[:, None])
    return tl.dot(ds.to(k.dtype), tl.trans(k), acc)


@triton.jit
def query_gradient(
    QKV, Out, Grad, Lse, Delta, Left, DQKV, Parts, Edges, Places, Starts, Seed,
    n_heads, n_rows, scale, threshold, grow, soft,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    DROP: tl.constexpr, SUMS: tl.constexpr, CHOSEN: tl.constexpr,
):  # fmt: skip
    block, head, window = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start = tl.load(Edges + window)
    length = tl.load(Edges + window + 1) - start
    first_row, n_asking = asking_rows(Starts, window, start, length, CHOSEN)
    part = Parts + (window * tl.num_programs(0) + block) * n_heads * D + head * D + tl.arange(0, D)
    if block * BM >= n_asking:
        if SUMS:
            tl.store(part, tl.zeros((D,), tl.float32))
        return
    stride = 3 * n_heads * D
    rows, along = block * BM + tl.arange(0, BM), tl.arange(0, D)
    in_rows = rows < n_asking
    base = QKV + start.to(tl.int64) * stride + head * D
    asking = asking_places(Places, first_row, rows, in_rows, start, CHOSEN)
    to_q = asking[:, None] * stride + along[None, :]
    q = tl.load(base + to_q, mask=in_rows[:, None], other=0.0)
    flat = (first_row + rows)[:, None].to(tl.int64) * (n_heads * D) + head * D + along[None, :]
    grad = tl.load(Grad + flat, mask=in_rows[:, None], other=0.0)
    out = tl.load(Out + flat, mask=in_rows[:, None], other=0.0)
    # Before the factor of dropout, which the sums below are multiplied by only at their end.
    delta = tl.sum(grad.to(tl.float32) * out.to(tl.float32), 1) / grow
    places = head.to(tl.int64) * n_rows + first_row + rows
    tl.store(Delta + places, delta, mask=in_rows)
    lse = tl.load(Lse + places, mask=in_rows, other=0.0)
    acc = tl.zeros((BM, D), tl.float32)
    left = rows.to(tl.uint32)
    threshold = threshold.to(tl.uint32)
    key = call_key(tl.load(Seed), head, window)
    if DROP:
        left = row_part(key, rows)
        tl.store(Left + places, left.to(tl.int32, bitcast=True), mask=in_rows)
    whole = length // BN * BN
    for first in range(0, whole, BN):
        acc = query_block(
            q, grad, lse, delta, base, first, length, left, key, threshold, acc, n_heads, scale,
            D, BN, DROP, True,
        )  # fmt: skip
    if whole < length:
        acc = query_block(
            q, grad, lse, delta, base, whole, length, left, key, threshold, acc, n_heads, scale,
            D, BN, DROP, False,
        )  # fmt: skip
    acc *= soft * grow
    DQKV += start.to(tl.int64) * stride + head * D
    tl.store(DQKV + to_q, acc.to(DQKV.dtype.element_ty), mask=in_rows[:, None])
    if SUMS:
        # Rows past the last one have no gradient: nothing of them is in the sum.
        tl.store(part, tl.sum(acc, 0))


@triton.jit
def key_block(
    k, v, base, Places, Grad, Lse, Delta, Left, start, first_row, first, n_asking, right, threshold, dk, dv,
    n_heads, scale,
    D: tl.constexpr, BM: tl.constexpr, DROP: tl.constexpr, WHOLE: tl.constexpr, CHOSEN: tl.constexpr,
):  # fmt: skip
    rows, along = first + tl.arange(0, BM), tl.arange(0, D)
    inside = rows < n_asking
    asking = asking_places(Places, first_row, rows, inside, start, CHOSEN)
    to_q = base + asking[None, :] * (3 * n_heads * D) + along[:, None]
    to_grad = Grad + rows[:, None] * (n_heads * D) + along[None, :]
    if WHOLE:
        q, grad = tl.load(to_q), tl.load(to_grad)
        lse, delta = tl.load(Lse + rows), tl.load(Delta + rows)
    else:
        q = tl.load(to_q, mask=inside[None, :], other=0.0)
        grad = tl.load(to_grad, mask=inside[:, None], other=0.0)
        lse = tl.load(Lse + rows, mask=inside, other=float("inf"))
        delta = tl.load(Delta + rows, mask=inside, other=0.0)
    p = tl.exp2(tl.dot(k, q) * scale - lse[None, :])
    held = p
    if DROP:
        left = tl.load(Left + rows) if WHOLE else tl.load(Left + rows, mask=inside, other=0)
        held = tl.where(is_kept(right[:, None], left.to(tl.uint32, bitcast=True)[None, :], threshold), p, 0.0)
    dv = tl.dot(held.to(grad.dtype), grad, dv)
    ds = held * tl.dot(v, tl.trans(grad)) - p * delta[None, :]
    dk = tl.dot(ds.to(q.dtype), tl.trans(q), dk)
    return dk, dv


@triton.jit
def key_gradient(
    QKV, Grad, Lse, Delta, Left, DQKV, Parts, Edges, Places, Starts, Seed,
    n_heads, n_rows, scale, threshold, grow, soft,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    DROP: tl.constexpr, SUMS: tl.constexpr, CHOSEN: tl.constexpr,
):  # fmt: skip
    block, head, window = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start = tl.load(Edges + window)
    length = tl.load(Edges + window + 1) - start
    first_row, n_asking = asking_rows(Starts, window, start, length, CHOSEN)
    part = Parts + (window * tl.num_programs(0) + block) * n_heads * D + head * D + tl.arange(0, D)
    if block * BN >= length:
        if SUMS:
            tl.store(part, tl.zeros((D,), tl.float32))
        return
    stride = 3 * n_heads * D
    cols, along = block * BN + tl.arange(0, BN), tl.arange(0, D)
    in_cols = cols < length
    Grad += first_row.to(tl.int64) * (n_heads * D) + head * D
    Lse += head.to(tl.int64) * n_rows + first_row
    Delta += head.to(tl.int64) * n_rows + first_row
    Left += head.to(tl.int64) * n_rows + first_row
    base = QKV + start.to(tl.int64) * stride + head * D
    at = base + cols[:, None] * stride + along[None, :]
    k = tl.load(at + n_heads * D, mask=in_cols[:, None], other=0.0)
    v = tl.load(at + 2 * n_heads * D, mask=in_cols[:, None], other=0.0)
    dk = tl.zeros((BN, D), tl.float32)
    dv = tl.zeros((BN, D), tl.float32)
    threshold = threshold.to(tl.uint32)
    key = call_key(tl.load(Seed), head, window)
    right = cols.to(tl.uint32)
    if DROP:
        right = column_part(key, cols)
    whole = n_asking // BM * BM
    for first in range(0, whole, BM):
        dk, dv = key_block(
            k, v, base, Places, Grad, Lse, Delta, Left, start, first_row, first, n_asking, right, threshold,
            dk, dv, n_heads, scale, D, BM, DROP, True, CHOSEN,
        )  # fmt: skip
    if whole < n_asking:
        dk, dv = key_block(
            k, v, base, Places, Grad, Lse, Delta, Left, start, first_row, whole, n_asking, right, threshold,
            dk, dv, n_heads, scale, D, BM, DROP, False, CHOSEN,
        )  # fmt: skip
    dv *= grow
    to = DQKV + (start + cols)[:, None].to(tl.int64) * stride + head * D + along[None, :]
    tl.store(to + n_heads * D, (dk * (soft * grow)).to(DQKV.dtype.element_ty), mask=in_cols[:, None])
    tl.store(to + 2 * n_heads * D, dv.to(DQKV.dtype.element_ty), mask=in_cols[:, None])
    if SUMS:
        # Of the value alone: keys that all move alike change no weight, so that their sum is nothing.
        tl.store(part, tl.sum(tl.where(in_cols[:, None], dv, 0.0), 0))
