"""Sums over the rows of matrices, in two stages: many blocks add up a stretch each, then their sums meet.

The first stage is part of the kernels that make the rows; the second is one kernel for all sums of a layer.
"""

# mypy: ignore-errors
# ruff: noqa: N803, N806
from __future__ import annotations

import torch
import triton
import triton.language as tl

_MOST = 5
# As many blocks for a stretch as every multiprocessor of a large GPU can have at once.
_BLOCKS = 528


class PartSums:
    """Up to five sets of sums, each left in parts by a kernel and added up with the others at the end."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._parts: list[torch.Tensor] = []

    def room(self, n_parts: int, n_columns: int) -> torch.Tensor:
        """Where a kernel leaves its parts."""
        parts = torch.empty((n_parts, n_columns), dtype=torch.float32, device=self._device)
        self._parts.append(parts)
        return parts

    def add_up(self, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
        """The sums, in the order in which room was asked for."""
        sizes = [parts.shape[1] for parts in self._parts]
        sums = torch.empty(sum(sizes), dtype=dtype, device=self._device)
        missing = _MOST - len(self._parts)
        parts = [*self._parts, *[self._parts[0]] * missing]
        counts = [len(each) for each in parts]
        n_blocks = sum(triton.cdiv(size, 64) for size in sizes)
        _add_up[(n_blocks,)](
            *parts, sums, *counts, *sizes, *[0] * missing, ROWS=64, COLUMNS=64, num_warps=8
        )  # fmt: skip
        return sums.split(sizes)


@triton.jit
def _add_block(Parts, Sums, block, n_parts, n_columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, cols = tl.arange(0, ROWS), block * COLUMNS + tl.arange(0, COLUMNS)
    inside = (cols < n_columns)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, n_parts, ROWS):
        at = (first + rows)[:, None] * n_columns + cols[None, :]
        total += tl.load(Parts + at, mask=inside & (first + rows < n_parts)[:, None], other=0.0)
    tl.store(Sums + cols, tl.sum(total, 0).to(Sums.dtype.element_ty), mask=cols < n_columns)


@triton.jit
def _add_up(
    First, Second, Third, Fourth, Fifth, Sums, n_first, n_second, n_third, n_fourth, n_fifth,
    first_columns, second_columns, third_columns, fourth_columns, fifth_columns,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(0)
    to_second = tl.cdiv(first_columns, COLUMNS)
    to_third = to_second + tl.cdiv(second_columns, COLUMNS)
    to_fourth = to_third + tl.cdiv(third_columns, COLUMNS)
    to_fifth = to_fourth + tl.cdiv(fourth_columns, COLUMNS)
    if block < to_second:
        _add_block(First, Sums, block, n_first, first_columns, ROWS, COLUMNS)
    elif block < to_third:
        Sums += first_columns
        _add_block(Second, Sums, block - to_second, n_second, second_columns, ROWS, COLUMNS)
    elif block < to_fourth:
        Sums += first_columns + second_columns
        _add_block(Third, Sums, block - to_third, n_third, third_columns, ROWS, COLUMNS)
    elif block < to_fifth:
        Sums += first_columns + second_columns + third_columns
        _add_block(Fourth, Sums, block - to_fourth, n_fourth, fourth_columns, ROWS, COLUMNS)
    else:
        Sums += first_columns + second_columns + third_columns + fourth_columns
        _add_block(Fifth, Sums, block - to_fifth, n_fifth, fifth_columns, ROWS, COLUMNS)


def cut_rows(n_rows: int, n_columns: int, rows: int, columns: int) -> tuple[tuple[int, int], int]:
    """A grid of blocks of columns and stretches of rows, and how many rows a stretch has."""
    across = triton.cdiv(n_columns, columns)
    each = rows * max(1, triton.cdiv(n_rows * across, rows * _BLOCKS))
    return (across, triton.cdiv(n_rows, each)), each
