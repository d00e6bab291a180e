"""One optimizer step at a time: plainly on a CPU, as a captured graph on a GPU.

A GPU replays the whole step (forward, backward, AdamW) as one graph, so that nothing waits for kernels to be
launched one by one; rows of constant size make that possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from deidlab.encode.packing import RowShape
from deidlab.train.flat import FlatParameters

N_SUMS = 3
_WARM_UPS = 3


class TrainSteps:
    """Takes optimizer steps for a loss; `sums` adds up what the loss reports until it is read."""

    def __init__(self, loss: nn.Module, flat: FlatParameters, n_rows: int = 1, n_processes: int = 1) -> None:
        device = flat.master.device
        self._loss = loss
        self.flat, self._n_rows, self._n_processes = flat, n_rows, n_processes
        self.sums = torch.zeros(N_SUMS, dtype=torch.float64, device=device)
        self._knobs = torch.zeros(3, dtype=torch.float32, device=device)
        self._graph: Any = None
        self._rows: Any = None
        self._shape: RowShape | None = None

    def run(self, rows: Sequence[torch.Tensor], shapes: list[RowShape], knobs: torch.Tensor) -> None:
        """One step from `n_rows` rows."""
        self._knobs.copy_(knobs)
        if self._graph is not None:
            self._rows.copy_(rows[0] if self._n_rows == 1 else torch.stack(list(rows)))
            self._graph.replay()
        else:
            self._backward(rows, shapes)
        if self._n_processes > 1:
            _average_over_processes(self.flat.gradient, self._n_processes)
        if self._graph is None or self._n_processes > 1:
            self.flat.step(self._knobs)

    def capture(self, rows: Sequence[torch.Tensor], shape: RowShape) -> None:
        """Record the step as a graph, with `rows` to try it on; weights and state are left as they were."""
        self._shape = shape
        self._rows = torch.zeros((self._n_rows, shape.width), dtype=torch.int32, device=self.sums.device)
        self._rows.copy_(torch.stack(list(rows)))
        self._knobs.copy_(torch.tensor([0.0, 1.0, 1.0]))
        master = self.flat.master.clone()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_WARM_UPS):
                self._whole()
        torch.cuda.current_stream().wait_stream(aside)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._whole()
        self.flat.master.copy_(master)
        if self.flat.weights is not self.flat.master:
            self.flat.weights.copy_(master)
        self.flat.zero_state()
        self.sums.zero_()

    def read_sums(self) -> list[float]:
        """The sums since the last reading."""
        sums: list[float] = self.sums.tolist()
        self.sums.zero_()
        return sums

    def _whole(self) -> None:
        assert self._shape is not None
        self._backward(list(self._rows), [self._shape] * self._n_rows)
        if self._n_processes == 1:
            self.flat.step(self._knobs)

    def _backward(self, rows: Sequence[torch.Tensor], shapes: list[RowShape]) -> None:
        for index, (row, shape) in enumerate(zip(rows, shapes, strict=True)):
            loss, sums = self._loss(row, shape)
            scaled = loss if len(shapes) == 1 else loss / len(shapes)
            gradients = torch.autograd.grad(scaled, self.flat.parameters, allow_unused=True)
            self.flat.collect(gradients, first=index == 0)
            self.sums += sums


def _average_over_processes(gradient: torch.Tensor, n_processes: int) -> None:
    torch.distributed.all_reduce(gradient)
    gradient /= n_processes
