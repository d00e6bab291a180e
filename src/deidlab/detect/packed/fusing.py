"""Which layers of a library's model run as DeidLab's own operation: those of BERT's form.

Names and weights stay as they are; only the way from a layer's input to its output is another.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import torch
from torch import nn

from deidlab.detect.packed.attention import BERT_FAMILIES, HALF, find_kernels, fuse_projections, is_bert_like
from deidlab.detect.packed.layer import EncoderLayer, LayerWork

DECIDING = "deciding_places"
"""The keyword by which the last layer is told which places of the row to go on with."""

_PARTS = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
)  # fmt: skip


def fuse_layers(model: Any) -> int:
    """Let layers of BERT's form run as one operation where they can; how many there are.

    Elsewhere, on a CPU or in full precision, the library's code runs, but for query, key and value, which are
    made in one product.
    """
    fuse_projections(model)
    layers = [module for module in model.modules() if _has_form(module)]
    seeds = _Seeds(len(layers))
    for place, layer in enumerate(layers):
        layer.forward = types.MethodType(_forward, layer)
        layer.is_last = layer is layers[-1]
        layer.seeds_of = functools.partial(seeds.of, place)
    return len(layers)


class _Seeds:
    """Three seeds of dropout for each layer, drawn together when a forward pass comes to the first one."""

    def __init__(self, n_layers: int) -> None:
        self._n_layers = n_layers
        self._drawn: Any = None

    def of(self, layer: int, device: Any) -> Any:
        if layer == 0:
            self._drawn = torch.randint(0, 2**31 - 1, (self._n_layers, 3), dtype=torch.int32, device=device)
        return self._drawn[layer]


def is_fused(layer: Any) -> bool:
    """Whether a layer can run as one operation, given a GPU and half precision."""
    kernels = find_kernels()
    return (
        hasattr(layer, "is_last")
        and kernels is not None
        and layer.attention.self.attention_head_size in kernels.HEAD_SIZES
    )


def can_choose_places(model: Any) -> bool:
    """Whether the model's last layer can go on with chosen places alone."""
    return any(is_fused(module) and module.is_last for module in model.modules())


def _has_form(module: Any) -> bool:
    if type(module).__name__ not in {f"{family}Layer" for family in BERT_FAMILIES}:
        return False
    parts = [_part(module, path) for path in _PARTS]
    kinds = [nn.LayerNorm if path.endswith("LayerNorm") else nn.Linear for path in _PARTS]
    if not all(isinstance(part, kind) for part, kind in zip(parts, kinds, strict=True)):
        return False
    whole = all(part.weight is not None and part.bias is not None for part in parts)
    act = getattr(module.intermediate, "intermediate_act_fn", None)
    dropouts = (_part(module, f"{path}.dropout") for path in ("attention.output", "output"))
    return (
        whole
        and is_bert_like(module.attention.self)
        and type(act).__name__ == "GELUActivation"
        and all(isinstance(each, nn.Dropout) for each in dropouts)
        and not getattr(module, "is_decoder", False)
    )


def _part(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def _forward(self: Any, hidden_states: Any, attention_mask: Any = None, *rest: Any, **kwargs: Any) -> Any:
    places = kwargs.pop(DECIDING, None)
    if not _runs_as_one(self, hidden_states, kwargs):
        return type(self).forward(self, hidden_states, attention_mask, *rest, **kwargs)
    attention, mixing, closing = self.attention.self, self.attention.output, self.output
    shares = [each.dropout.p if self.training else 0.0 for each in (attention, mixing, closing)]
    edges = kwargs["cu_seq_lens_q"]
    places = places if self.is_last else None
    work = LayerWork(
        edges=edges,
        longest=kwargs["max_length_q"],
        seeds=self.seeds_of(hidden_states.device) if self.training else edges.new_zeros(3),
        scale=attention.scaling,
        head_size=attention.attention_head_size,
        epsilons=(mixing.LayerNorm.eps, closing.LayerNorm.eps),
        dropouts=(shares[0], shares[1], shares[2]),
        places=places,
        chosen=None if places is None else _choose(places, edges),
    )
    parts = [_part(self, path) for path in _PARTS]
    parameters = [each for part in parts for each in (part.weight, part.bias)]
    return EncoderLayer.apply(hidden_states.squeeze(0).contiguous(), work, *parameters).unsqueeze(0)


def _runs_as_one(layer: Any, hidden: Any, given: dict[str, Any]) -> bool:
    in_half = hidden.dtype in HALF and layer.output.dense.weight.dtype == hidden.dtype
    return hidden.is_cuda and in_half and "cu_seq_lens_q" in given and is_fused(layer)


def _choose(places: Any, edges: Any) -> Any:
    """The places as the kernels take them: with the start of each window's among them."""
    whole = places.int()
    return find_kernels().Chosen(whole, torch.searchsorted(whole, edges, out_int32=True))
