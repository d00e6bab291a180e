"""Dropout from a hash of a seed, head, window, row and column: the same in the forward and backward pass."""

# mypy: ignore-errors
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def mix(x):
    x = x.to(tl.uint32)
    x ^= x >> 16
    x *= 0x7FEB352D
    x ^= x >> 15
    x *= 0x846CA68B
    x ^= x >> 16
    return x


@triton.jit
def call_key(seed, head, window):
    """A number of this call, head and window, that both parts of the hash start from."""
    return mix(seed.to(tl.uint32) + mix(head.to(tl.uint32) * 0x9E3779B1 + window.to(tl.uint32)))


@triton.jit
def row_part(key, rows):
    return mix(rows.to(tl.uint32) ^ key)


@triton.jit
def column_part(key, cols):
    return cols.to(tl.uint32) * 0x85EBCA77 + key


@triton.jit
def is_kept(left, right, threshold):
    # The row's part is well mixed: one multiplication carries every bit of both into the highest ones.
    return (left ^ right) * 0x846CA68B >= threshold


def drop_below(dropout: float) -> int:
    """Hashes below this are dropped."""
    return min(int(dropout * 2**32), 2**32 - 1)
