"""When memory runs out: find the batch that fits, and say so."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from deidlab.encode.packing import RowShape, build_rows, choose_row_shape, pack_windows
from deidlab.encode.pieced import PiecedCorpus
from deidlab.errors import ModelError
from deidlab.train.flat import FlatParameters


@contextmanager
def name_fitting_batch(
    loss: nn.Module, flat: FlatParameters, corpus: PiecedCorpus, shape: RowShape, batch: int, folder: Any
) -> Iterator[None]:
    """Turns running out of memory into a line that names a batch that fits, found by trying."""
    ran_out = False
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not _is_memory(error):
            raise
        # The `with` holds on to the exception, and its frames to the memory of the step that failed.
        traceback.clear_frames(error.__traceback__)
        ran_out = True
    if ran_out:
        fits = _find_fitting(loss, flat, corpus, shape.first_position, batch)
        if not fits:
            raise ModelError(
                "out of memory even with one window a step: use a smaller model or a shorter --window"
            )
        more = f" --accumulate {-(-batch // fits)}" if batch > fits else ""
        raise ModelError(
            f"out of memory with {batch} windows a step; {fits} fit: go on with "
            f"--resume {folder} --batch {fits}{more}"
        )


def _find_fitting(
    loss: nn.Module, flat: FlatParameters, corpus: PiecedCorpus, first_position: int, batch: int
) -> int:
    """Halve the batch until a forward and backward pass go through; 0 where none does."""
    while batch > 1:
        batch //= 2
        _release()
        try:
            _try_batch(loss, flat, corpus, choose_row_shape(corpus, batch, first_position))
        except (MemoryError, RuntimeError) as error:
            if not _is_memory(error):
                raise
            traceback.clear_frames(error.__traceback__)
            continue
        _release()
        return batch
    return 0


def _try_batch(loss: nn.Module, flat: FlatParameters, corpus: PiecedCorpus, shape: RowShape) -> None:
    plan = pack_windows(corpus.lengths.tolist(), list(range(corpus.n_windows)), shape)
    row = torch.from_numpy(build_rows(corpus, plan[:1], shape)[0]).to(flat.master.device)
    value, _ = loss(row, shape)
    torch.autograd.grad(value, flat.parameters, allow_unused=True)
    if flat.master.is_cuda:
        torch.cuda.synchronize()


def _is_memory(error: Exception) -> bool:
    """Whether memory ran out: torch says so on a CPU only in words."""
    kinds = (torch.OutOfMemoryError, MemoryError)
    return isinstance(error, kinds) or "can't allocate memory" in str(error)


def _release() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
