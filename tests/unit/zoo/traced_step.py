"""A training step traced tensor by tensor without a GPU: what is alive after each operation, in bytes.

The model runs on the meta device, or on the CPU where it asks for values. Three operations are put
in the form that CUDA gives them: dropout keeps a mask of one byte a value, attention goes to the
memory-efficient kernel, and autocast is spelled out (products in bf16, norms, powers, softmax and
loss in fp32). What the memory model derives by hand must agree with this count.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
import transformers
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# The caching allocator hands out memory in steps of this size.
STEP = 512
_CLASSES = {
    "token": "AutoModelForTokenClassification",
    "sequence": "AutoModelForSequenceClassification",
    "mlm": "AutoModelForMaskedLM",
}


class LiveBytes(TorchDispatchMode):
    """Counts the storages that operations make, from their making to their end."""

    def __init__(self) -> None:
        super().__init__()
        self._alive: dict[int, int] = {}
        self.now = 0
        self.peak = 0

    def add(self, tensor: object) -> None:
        if not isinstance(tensor, torch.Tensor):
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._alive:
            return
        self._alive[key] = -(-storage.nbytes() // STEP) * STEP
        self.now += self._alive[key]
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._drop, key)

    def _drop(self, key: int) -> None:
        self.now -= self._alive.pop(key)

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(made):
            self.add(leaf)
        return made


@dataclass(frozen=True)
class TracedStep:
    """Bytes of the second of two steps: kept after going forward, and the peak of the whole step."""

    activations: int
    peak: int


def trace_step(
    family: str,
    config: Mapping[str, Any],
    batch: int,
    length: int,
    precision: str = "fp32",
    attention: str | None = None,
    head: str = "token",
    device: str = "meta",
    labels: int = 41,
) -> TracedStep:
    """Two steps of AdamW; the first makes the optimizer's state, the second is counted."""
    settings = transformers.AutoConfig.for_model(family, **config)
    settings.num_labels = labels
    wanted = {} if attention is None else {"attn_implementation": attention}
    with torch.device(device):
        model = getattr(transformers, _CLASSES[head]).from_config(settings, **wanted).train()
    if precision == "bf16":
        model = model.to(torch.bfloat16)
    live = LiveBytes()
    for tensor in (*model.parameters(), *model.buffers()):
        live.add(tensor)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    inputs = _inputs(batch, length, head, device)
    with _as_on_cuda(mixed=precision == "bf16-mixed") as forget_casts, live:
        for _ in range(2):
            before = live.peak = live.now
            output = model(**inputs)
            forget_casts()
            activations = live.now - before
            loss = output.loss
            del output
            loss.backward()
            del loss
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    return TracedStep(activations, live.peak)


def _inputs(batch: int, length: int, head: str, device: str) -> dict[str, torch.Tensor]:
    shape = (batch,) if head == "sequence" else (batch, length)
    mask = torch.ones(batch, length, dtype=torch.long, device=device)
    if device != "meta":
        mask[:, -3:] = 0
    return {
        "input_ids": torch.full((batch, length), 5, device=device),
        "attention_mask": mask,
        "labels": torch.zeros(shape, dtype=torch.long, device=device),
    }


@contextlib.contextmanager
def _as_on_cuda(mixed: bool) -> Iterator[Callable[[], None]]:
    """Puts the operations in CUDA's form; yields what ends autocast's memory of cast weights."""
    casts: dict[int, torch.Tensor] = {}
    masking = transformers.masking_utils
    patches = [
        (functional, "dropout", _dropout),
        (functional, "scaled_dot_product_attention", _efficient_attention),
        # Values on the meta device cannot say that nothing is padded; training batches mostly are.
        (masking, "_ignore_bidirectional_mask_sdpa", lambda *args, **kwargs: False),
    ]
    if mixed:
        patches += _autocast_patches(casts)
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, patch in patches:
        setattr(owner, name, patch)
    try:
        yield casts.clear
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _dropout(
    values: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> torch.Tensor:
    return torch.native_dropout(values, p, True)[0] if p and training else values


def _efficient_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    if attn_mask is not None:
        nothing = torch.zeros((), dtype=query.dtype, device=query.device)
        bias = torch.where(attn_mask, nothing, nothing - float("inf"))
        attn_mask = bias.expand(*query.shape[:3], key.shape[2])
    kernel = torch.ops.aten._scaled_dot_product_efficient_attention
    attended: torch.Tensor = kernel(query, key, value, attn_mask, True, dropout_p, is_causal, scale=scale)[0]
    return attended


def _autocast_patches(casts: dict[int, torch.Tensor]) -> list[tuple[Any, str, Any]]:
    linear, layer_norm, softmax = functional.linear, functional.layer_norm, functional.softmax
    matmul, power, cross_entropy = torch.matmul, torch.pow, functional.cross_entropy

    def low(tensor: torch.Tensor | None) -> torch.Tensor | None:
        if tensor is None or tensor.dtype != torch.float32:
            return tensor
        if not (tensor.is_leaf and tensor.requires_grad):
            return tensor.to(torch.bfloat16)
        if id(tensor) not in casts:
            casts[id(tensor)] = tensor.to(torch.bfloat16)
        return casts[id(tensor)]

    return [
        (functional, "linear", lambda x, w, b=None: linear(low(x), low(w), low(b))),
        (torch, "matmul", lambda a, b: matmul(low(a), low(b))),
        (functional, "layer_norm", lambda x, *args, **kwargs: layer_norm(x.float(), *args, **kwargs)),
        (functional, "softmax", lambda x, *args, **kwargs: softmax(x.float(), *args, **kwargs)),
        (torch, "pow", lambda x, exponent: power(x.float(), exponent)),
        (functional, "cross_entropy", lambda x, *args, **kwargs: cross_entropy(x.float(), *args, **kwargs)),
    ]
