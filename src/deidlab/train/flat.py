"""A model's parameters as one vector: gradients, AdamW and averages are then a few large operations.

In half precision the vector that computes is bf16 and a master copy in fp32 takes the steps; in fp32 both
are the same. Parameters become views, so the model notices nothing.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from deidlab.train.settings import TrainSettings

_ALIGN = 64
_LAYER = re.compile(r"\.(?:layer|layers|albert_layer_groups)\.(\d+)\.")
_NEW = re.compile(r"^(?:shapes|steps)\b|^model\.(?:classifier|dropout|score|head|cls|lm_head|predictions)\b")
_BETAS = (0.9, 0.999)
_EPSILON = 1e-8


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the vector that shares its factor on the learning rate and its weight decay."""

    start: int
    end: int
    rate: float
    decay: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a segment holds of each vector; `weights` is None where the master is what computes."""

    master: torch.Tensor
    weights: torch.Tensor | None
    gradient: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor


class FlatParameters:
    """The vector, its gradient and the state of AdamW."""

    def __init__(
        self,
        model: nn.Module,
        settings: TrainSettings,
        dtype: torch.dtype = torch.float32,
        exact_gradients: bool = False,
    ) -> None:
        """Moves the model's parameters into the vector, on the device where they are."""
        named = [(name, each) for name, each in model.named_parameters() if each.requires_grad]
        device = named[0][1].device
        grouped = _group(named, settings)
        self.parameters: list[Any] = []
        places: list[tuple[int, int]] = []
        self.segments: list[Segment] = []
        end = 0
        for (rate, decay), members in grouped:
            start = end
            for _, parameter in members:
                self.parameters.append(parameter)
                places.append((end, end + parameter.numel()))
                end = -(-(end + parameter.numel()) // _ALIGN) * _ALIGN
            self.segments.append(Segment(start, end, rate, decay))
        self.master = torch.zeros(end, dtype=torch.float32, device=device)
        for parameter, (start, stop) in zip(self.parameters, places, strict=True):
            self.master[start:stop] = parameter.detach().reshape(-1).float()
        self.weights = self.master if dtype == torch.float32 else self.master.to(dtype)
        self.gradient = torch.zeros_like(self.master if exact_gradients else self.weights)
        self.first, self.second = torch.zeros_like(self.master), torch.zeros_like(self.master)
        self.average = self.master.clone() if settings.average else None
        self._decay_of_average, self._clip = settings.average, settings.clip
        self._places, self._slots = places, []
        for parameter, (start, stop) in zip(self.parameters, places, strict=True):
            parameter.data = self.weights[start:stop].view(parameter.shape)
            slot = self.gradient[start:stop].view(parameter.shape)
            self._slots.append(slot)
            # Whoever computes a gradient once a step may write it where it belongs.
            parameter.gradient_slot = None if exact_gradients else slot
        self._whole_scale = torch.ones((), dtype=torch.float32, device=device)

    def __len__(self) -> int:
        return int(self.master.numel())

    def collect(self, gradients: Sequence[torch.Tensor | None], first: bool) -> None:
        """Take in the gradients of one batch; `first` forgets those before it."""
        lacking = [slot for slot, each in zip(self._slots, gradients, strict=True) if each is None]
        if first and lacking:
            torch._foreach_zero_(lacking)
        taken = [
            (slot, each)
            for slot, each in zip(self._slots, gradients, strict=True)
            if each is not None and each.data_ptr() != slot.data_ptr()
        ]
        if taken:
            slots, found = [slot for slot, _ in taken], [each for _, each in taken]
            (torch._foreach_copy_ if first else torch._foreach_add_)(slots, found)

    def step(self, knobs: torch.Tensor) -> None:
        """One AdamW step; `knobs` holds the learning rate and the two corrections of its moments' bias."""
        scale = self._whole_scale
        if self._clip:
            norm = torch.linalg.vector_norm(self.gradient, dtype=torch.float32)
            scale = (self._clip / (norm + 1e-6)).clamp(max=1.0)
        for segment in self.segments:
            _adamw(self._stretch(segment), segment, scale, knobs)
        if self.average is not None:
            self.average.lerp_(self.master, 1.0 - self._decay_of_average)

    def _stretch(self, segment: Segment) -> Stretch:
        part = slice(segment.start, segment.end)
        weights = None if self.weights is self.master else self.weights[part]
        return Stretch(self.master[part], weights, self.gradient[part], self.first[part], self.second[part])

    def zero_state(self) -> None:
        """Forget every step: as before the first."""
        for vector in (self.first, self.second, self.gradient):
            vector.zero_()
        if self.average is not None:
            self.average.copy_(self.master)

    def load_weights(self, vector: torch.Tensor) -> None:
        """Compute with these weights until `restore`; the master stays."""
        if self.weights is self.master:
            self._aside = self.master.clone()
        self.weights.copy_(vector)

    def restore(self) -> None:
        """Compute with the master's weights again."""
        self.weights.copy_(self._aside if self.weights is self.master else self.master)
        self._aside = None

    def release(self, vector: torch.Tensor) -> None:
        """Make the model's parameters views of another vector: how a run ends."""
        for parameter, (start, stop) in zip(self.parameters, self._places, strict=True):
            parameter.data = vector[start:stop].view(parameter.shape)
            parameter.gradient_slot = None

    def state(self) -> dict[str, Any]:
        """What a checkpoint must hold."""
        state = {"master": self.master, "first": self.first, "second": self.second}
        return state if self.average is None else state | {"average": self.average}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        for name, vector in self.state().items():
            vector.copy_(state[name])
        if self.weights is not self.master:
            self.weights.copy_(self.master)


def knobs_at(step: int, rate: float) -> list[float]:
    """The knobs of a step (counted from 1) at a learning rate."""
    return [rate, 1.0 - _BETAS[0] ** step, 1.0 - _BETAS[1] ** step]


def _adamw(stretch: Stretch, segment: Segment, scale: torch.Tensor, knobs: torch.Tensor) -> None:
    master, weights = stretch.master, stretch.weights
    first, second = stretch.first, stretch.second
    rate, decay = segment.rate, segment.decay
    if master.is_cuda and _has_triton():
        from deidlab.detect.packed.kernels import adamw

        adamw(master, weights, stretch.gradient, first, second, scale, knobs, rate, decay, _BETAS, _EPSILON)
        return
    lr = knobs[0] * rate
    gradient = stretch.gradient.float() * scale
    first.lerp_(gradient, 1.0 - _BETAS[0])
    second.mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1.0 - _BETAS[1])
    spread = (second / knobs[2]).sqrt_().add_(_EPSILON)
    master.mul_(1.0 - lr * decay).sub_(first / spread * (lr / knobs[1]))
    if weights is not None:
        weights.copy_(master)


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def _group(
    named: Sequence[tuple[str, nn.Parameter]], settings: TrainSettings
) -> list[tuple[tuple[float, float], list[tuple[str, Any]]]]:
    layers = [int(match[1]) for name, _ in named if (match := _LAYER.search(name))]
    depth = max(layers, default=-1) + 1
    groups: dict[tuple[float, float], list[tuple[str, Any]]] = {}
    for name, parameter in named:
        layer = _LAYER.search(name)
        is_new = bool(_NEW.search(name))
        below = depth - int(layer[1]) if layer else (depth + 1 if "embed" in name else 0)
        rate = settings.head_rate if is_new else settings.layer_decay**below
        decays = parameter.ndim > 1 and name != "steps"
        groups.setdefault((rate, settings.weight_decay if decays else 0.0), []).append((name, parameter))
    return sorted(groups.items(), key=lambda item: item[0])
