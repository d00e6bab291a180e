"""A network, its loss and notes in windows in, a training ready to run out: rows, optimizer, steps, loop.

The one assembly of a training. `train`, `pretrain`, the runs of a study and the timing of its plan all come
through here, so that the same settings give the same weights whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import nn

from deidlab.detect.packed.attention import can_pack
from deidlab.detect.packed.tagger import Tagger, first_position
from deidlab.encode.packing import RowShape, choose_row_shape
from deidlab.encode.pieced import PiecedCorpus
from deidlab.train.compiling import compile_layers, is_worth_compiling
from deidlab.train.flat import FlatParameters
from deidlab.train.launch import Bookkeeping
from deidlab.train.loop import Loop
from deidlab.train.memory import name_fitting_batch
from deidlab.train.processes import Place
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps

_GPU_STEP = 64


class Session:
    """The parts of one training, put together.

    `network` is a `Tagger`, or a masked-language model as it is; it computes on the place's device, and
    `loss` takes rows of `lessons`, whose labels it understands.
    """

    def __init__(
        self,
        network: nn.Module,
        loss: nn.Module,
        lessons: PiecedCorpus,
        settings: TrainSettings,
        place: Place,
        kept: Bookkeeping,
    ) -> None:
        self.settings, self.place, self._folder = settings, place, kept.folder
        self._loss, self._lessons = loss, lessons
        on_gpu = place.device.type == "cuda"
        tags = isinstance(network, Tagger)
        model = network.model if tags else network
        network.train()
        self.graphed = on_gpu and can_pack(model)
        self.half = settings.precision == "bf16" or (settings.precision == "auto" and on_gpu)
        self.shape = plan_rows(network, lessons, settings, self.half and self.graphed, place.n_processes)
        worth = tags and self.graphed and is_worth_compiling(model, lessons, settings, self.half)
        self.compiled = worth and compile_layers(model, self.shape.n_pieces, self.half) > 0
        self.flat = make_flat(network, settings, self.half, place.n_processes)
        self.steps = TrainSteps(loss, self.flat, settings.accumulate, place.n_processes)
        self.loop = Loop(lessons, self.shape, self.steps, settings, place, kept)

    def describe(self) -> dict[str, Any]:
        """How it computes, for the record."""
        return {
            "precision": "bf16" if self.half else "fp32",
            "compiled": self.compiled,
            "graph": self.graphed,
        }

    def prepare(self, resume: bool) -> float:
        """Make ready for the first step, or for the next one of a checkpoint; the seconds that it took."""
        return self.loop.prepare(self.graphed, resume)

    def naming_fitting_batch(self) -> AbstractContextManager[None]:
        """Within it, running out of memory is a line that names a batch that fits."""
        return name_fitting_batch(
            self._loss, self.flat, self._lessons, self.shape, self.settings.batch, self._folder
        )

    def weights_to_keep(self) -> Any:
        """The best weights so far where these are to be kept, else the present ones or their average."""
        if self.loop.best is not None:
            return self.loop.best
        flat = self.flat
        return (flat.master if flat.average is None else flat.average).clone()

    def rehearse(self) -> tuple[Callable[[], None], int]:
        """What takes a training step over the first rows at each call, and how many pieces these hold."""
        rows, shapes, knobs, n_pieces = self.loop.first_step()
        return lambda: self.steps.run(rows, shapes, knobs), n_pieces


def plan_rows(
    network: nn.Module, corpus: PiecedCorpus, settings: TrainSettings, on_kernels: bool, n_processes: int
) -> RowShape:
    """The sizes of a run's rows; on a GPU in half precision finer ones, that may tell which pieces decide."""
    batch = settings.batch / n_processes
    if not isinstance(network, Tagger):
        return choose_row_shape(corpus, batch, first_position(network))
    first = first_position(network.model)
    if not on_kernels:
        return choose_row_shape(corpus, batch, first)
    return choose_row_shape(corpus, batch, first, network.can_choose, step=_GPU_STEP)


def make_flat(model: nn.Module, settings: TrainSettings, half: bool, n_processes: int) -> FlatParameters:
    """A model's parameters as one vector, with the optimizer that the settings ask for."""
    return FlatParameters(
        model,
        settings,
        dtype=torch.bfloat16 if half else torch.float32,
        exact_gradients=settings.accumulate > 1 or n_processes > 1,
    )
