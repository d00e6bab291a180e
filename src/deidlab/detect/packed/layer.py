"""An encoder layer of BERT's form as one operation with a gradient of its own, for a GPU in half precision.

Left to a library, a layer is some thirty small operations each way, and most of them only move memory: sums
of gradients, masks of dropout, copies. Here they are part of the few kernels that have to be there anyway. In
the last layer only those pieces ask, and go on from there, that decide anything.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from deidlab.detect.packed.attention import find_kernels

# Pieces in a row from which on products aside pay.
_LONG_ROW = 8192


class _Weights(NamedTuple):
    """A layer's weights and biases in the order in which they come in, query, key and value joined."""

    asked: Any
    asked_bias: Any
    mixed: Any
    mixed_bias: Any
    first_norm: Any
    first_norm_bias: Any
    inner: Any
    inner_bias: Any
    outer: Any
    outer_bias: Any
    second_norm: Any
    second_norm_bias: Any


@dataclass(frozen=True, slots=True)
class LayerWork:
    """What a layer is to do, besides its weights."""

    edges: Any
    longest: int
    seeds: Any
    scale: float
    head_size: int
    epsilons: tuple[float, float]
    dropouts: tuple[float, float, float]
    places: Any = None
    chosen: Any = None

    def attention(self) -> tuple[Any, Any, int, float, float]:
        return self.edges, self.seeds[:1], self.longest, self.scale, self.dropouts[0]

    def norm(self, index: int) -> tuple[Any, float, float]:
        return self.seeds[index : index + 1], self.epsilons[index - 1], self.dropouts[index]

    def dropping(self, index: int) -> tuple[Any, float]:
        return self.seeds[index : index + 1], self.dropouts[index]


class EncoderLayer(torch.autograd.Function):  # type: ignore[misc]
    """[pieces, width] in, [pieces or chosen places, width] out.

    Parameters are weight and bias of query, key, value, the product after attention and its norm, the two
    products of the inner part and its norm.
    """

    @staticmethod
    def forward(ctx: Any, hidden: Any, work: LayerWork, *parameters: Any) -> Any:
        kernels = find_kernels()
        weights = _join(parameters)
        qkv = torch.addmm(weights.asked_bias, hidden, weights.asked.t())
        qkv = qkv.view(len(qkv), 3, -1, work.head_size)
        seen, lse = kernels.attend(qkv, *work.attention(), work.chosen)
        before = hidden if work.places is None else hidden.index_select(0, work.places)
        mixed = torch.addmm(weights.mixed_bias, seen.flatten(1), weights.mixed.t())
        attended, first = kernels.add_and_norm(
            mixed, before, weights.first_norm, weights.first_norm_bias, *work.norm(1)
        )
        inner = torch.addmm(weights.inner_bias, attended, weights.inner.t())
        active = kernels.gelu(inner)
        outer = torch.addmm(weights.outer_bias, active, weights.outer.t())
        out, second = kernels.add_and_norm(
            outer, attended, weights.second_norm, weights.second_norm_bias, *work.norm(2)
        )
        ctx.work, ctx.slots = work, _slots(parameters)
        ctx.save_for_backward(*weights, hidden, qkv, seen, lse, attended, inner, active, *first, *second)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
        kernels, work, slots = find_kernels(), ctx.work, ctx.slots
        saved = ctx.saved_tensors
        weights = _Weights(*saved[:12])
        hidden, qkv, seen, lse, attended, inner, active = saved[12:19]
        first, second = kernels.Normed(*saved[19:22]), kernels.Normed(*saved[22:25])
        sums = kernels.PartSums(grad.device)
        d_outer, d_attended = kernels.add_and_norm_gradient(
            grad.contiguous(), second, weights.second_norm, *work.dropping(2), sums
        )
        with _Aside(hidden) as aside:
            d_active = torch.mm(d_outer, weights.outer)
            outer_weight = aside.weight_gradient(d_outer, active, slots.outer)
            d_inner = kernels.gelu_gradient(d_active, inner, sums)
            # Added to the gradient that comes past the two products, inside the product's kernel.
            d_attended.addmm_(d_inner, weights.inner)
            inner_weight = aside.weight_gradient(d_inner, attended, slots.inner)
            d_mixed, d_hidden = kernels.add_and_norm_gradient(
                d_attended, first, weights.first_norm, *work.dropping(1), sums
            )
            d_seen = torch.mm(d_mixed, weights.mixed).view(seen.shape)
            mixed_weight = aside.weight_gradient(d_mixed, seen.flatten(1), slots.mixed)
            d_qkv = kernels.attend_gradient(d_seen, qkv, seen, lse, *work.attention(), work.chosen, sums)
            d_qkv = d_qkv.flatten(1)
            asked_weight = aside.weight_gradient(d_qkv, hidden, slots.asked)
            d_hidden = _spread(d_hidden, work.places, len(hidden)).addmm_(d_qkv, weights.asked)
        second_norms, inner_bias, first_norms, query_bias, value_bias = sums.add_up(grad.dtype)
        # Keys that all move alike change nothing.
        asked_biases = (query_bias, torch.zeros_like(query_bias), value_bias)
        asked = (each for pair in zip(asked_weight.chunk(3), asked_biases, strict=True) for each in pair)
        first_norm, first_norm_bias, mixed_bias = first_norms.chunk(3)
        second_norm, second_norm_bias, outer_bias = second_norms.chunk(3)
        return (
            d_hidden, None, *asked, mixed_weight, mixed_bias, first_norm, first_norm_bias, inner_weight,
            inner_bias, outer_weight, outer_bias, second_norm, second_norm_bias,
        )  # fmt: skip


def _join(parameters: tuple[Any, ...]) -> _Weights:
    """Query, key and value as one matrix and one vector: a view where they lie side by side."""
    weights, biases = parameters[0:6:2], parameters[1:6:2]
    joined = [_side_by_side(each) for each in (weights, biases)]
    weight = torch.cat(weights) if joined[0] is None else joined[0]
    bias = torch.cat(biases) if joined[1] is None else joined[1]
    return _Weights(weight, bias, *parameters[6:])


def _side_by_side(tensors: tuple[Any, ...]) -> Any:
    first = tensors[0]
    step = first.numel() * first.element_size()
    storage = first.untyped_storage().data_ptr()
    adjacent = all(
        each.untyped_storage().data_ptr() == storage and each.data_ptr() == first.data_ptr() + place * step
        for place, each in enumerate(tensors)
    )
    if not adjacent or not all(each.is_contiguous() for each in tensors):
        return None
    size = (len(tensors) * first.shape[0], *first.shape[1:])
    return first.detach().as_strided(size, first.stride())


class _Slots(NamedTuple):
    """Where the gradients of the large weights belong; None where that is not known."""

    asked: Any
    mixed: Any
    inner: Any
    outer: Any


def _slots(parameters: tuple[Any, ...]) -> _Slots:
    slots = [getattr(each, "gradient_slot", None) for each in parameters]
    three = tuple(slots[0:6:2])
    asked = None if any(each is None for each in three) else _side_by_side(three)
    return _Slots(asked, slots[6], slots[10], slots[12])


class _Aside:
    """Products that nothing in the layer waits for, on a stream of their own, where rows are long.

    They fill what the kernels beside them leave idle: 1% of a step of BERT-base with 15,552 pieces a row.
    With the 5,376 of RoBERTa-large they would stand in the others' way, and cost 1.7%.
    """

    def __init__(self, hidden: Any) -> None:
        self._stream = _side_stream(hidden.device) if hidden.is_cuda and len(hidden) >= _LONG_ROW else None

    def weight_gradient(self, grad: Any, given: Any, slot: Any) -> Any:
        """The gradient of a weight, in its slot where that is known; not to be read before the end."""
        found = grad.new_empty(grad.shape[1], given.shape[1]) if slot is None else slot
        if self._stream is None:
            return torch.mm(grad.t(), given, out=found)
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            return torch.mm(grad.t(), given, out=found)

    def __enter__(self) -> _Aside:
        return self

    def __exit__(self, *_: object) -> None:
        """Go on only when all are done: what they read may then be given back."""
        if self._stream is not None:
            torch.cuda.current_stream().wait_stream(self._stream)


@functools.cache
def _side_stream(device: Any) -> Any:
    return torch.cuda.Stream(device)


def _spread(gradient: Any, places: Any, n_pieces: int) -> Any:
    """Put the gradients of chosen places back where they came from; nothing comes from the others."""
    if places is None:
        return gradient
    return gradient.new_zeros(n_pieces, gradient.shape[1]).index_copy_(0, places, gradient)
