"""Attention over packed windows: each piece sees its own window and nothing else.

Registered with transformers under `PACKED`; a model that takes its attention from there needs no padding.
On a GPU in half precision this is the variable-length kernel; elsewhere the same sums, window by window.
"""

from __future__ import annotations

import importlib.util
import inspect
import types
from itertools import pairwise
from typing import Any

import torch
from torch.nn import functional

PACKED = "deidlab_packed"
BERT_FAMILIES = (
    "Bert", "Camembert", "Data2VecText", "Electra", "Ernie", "RoCBert", "Roberta", "XLMRoberta",
)  # fmt: skip
"""The library's models whose layers are BERT's, by the beginning of their class names."""

Heads = tuple[Any, Any, Any]
"""Query, key and value."""

HALF = (torch.bfloat16, torch.float16)
_kernels: Any = None
_attend = functional.scaled_dot_product_attention


def register_attention() -> None:
    """Make `PACKED` known to transformers; calling it again does nothing."""
    from transformers import AttentionInterface

    AttentionInterface.register(PACKED, packed_attention)
    if torch.cuda.is_available() and importlib.util.find_spec("triton") is not None:
        global _kernels
        from deidlab.detect.packed import kernels

        _kernels = kernels


def find_kernels() -> Any:
    """DeidLab's own GPU kernels, where there is a GPU and Triton."""
    return _kernels


def can_pack(model: Any) -> bool:
    """Whether windows can lie in one row: where a single one can come without a mask, so can several."""
    return supports_window(type(model))


def supports_window(model_class: Any) -> bool:
    """Whether a transformers model takes its attention from outside and positions as an argument."""
    takes = inspect.signature(model_class.forward).parameters
    return bool(getattr(model_class, "_supports_attention_backend", False)) and "position_ids" in takes


def packed_attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    scaling: float | None = None,
    dropout: float = 0.0,
    cu_seq_lens_q: Any = None,
    max_length_q: int = 0,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Attention of one row: [1, heads, pieces, size] in, [1, pieces, heads, size] out."""
    reach = -1 if sliding_window is None else sliding_window - 1
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if query.is_cuda and query.dtype in HALF:
        heads = tuple(part[0].transpose(0, 1) for part in (query, key, value))
        if reach < 0 and _has_kernel(query.shape[-1]):
            return _own_kernel(torch.stack(heads, 1), cu_seq_lens_q, max_length_q, scale, dropout)[None], None
        return _flash(heads, cu_seq_lens_q, max_length_q, scale, dropout, reach)[None], None
    plain = _masked if query.is_cuda else _by_window
    return plain((query, key, value), cu_seq_lens_q, scale, dropout, reach), None


def _has_kernel(size: int) -> bool:
    """Whether DeidLab's own kernel can be used: Triton is there, and heads have one of its sizes."""
    return _kernels is not None and size in _kernels.HEAD_SIZES


def _own_kernel(qkv: Any, edges: Any, longest: int, scale: float, dropout: float) -> Any:
    """[pieces, 3, heads, size] in, [pieces, heads, size] out."""
    seed = torch.randint(0, 2**31 - 1, (1,), dtype=torch.int32, device=qkv.device) if dropout else edges[:1]
    return _kernels.window_attention(qkv, edges, seed, longest, scale, dropout)[0]


def _flash(heads: Heads, edges: Any, longest: int, scale: float, dropout: float, reach: int) -> Any:
    if dropout == 0.0:
        from torch.nn.attention.varlen import varlen_attn

        return varlen_attn(*heads, edges, edges, longest, longest, scale=scale, window_size=(reach, reach))
    # The public function has no dropout yet; the kernel beneath it has.
    size = None if reach < 0 else reach
    return torch.ops.aten._flash_attention_forward(
        *heads, edges, edges, longest, longest, dropout, False, False,
        scale=scale, window_size_left=size, window_size_right=size,
    )[0]  # fmt: skip


def _by_window(heads: Heads, edges: Any, scale: float, dropout: float, reach: int) -> Any:
    done = []
    for start, end in pairwise(edges.tolist()):
        if start == end:
            continue
        query, key, value = (part[:, :, start:end] for part in heads)
        mask = None if reach < 0 else _band(end - start, reach, query.device)
        done.append(_attend(query, key, value, attn_mask=mask, dropout_p=dropout, scale=scale))
    return torch.cat(done, dim=2).transpose(1, 2)


def _masked(heads: Heads, edges: Any, scale: float, dropout: float, reach: int) -> Any:
    query, key, value = heads
    n_pieces = query.shape[2]
    window = torch.bucketize(torch.arange(n_pieces, device=query.device), edges[1:], right=True)
    mask = window[:, None] == window[None, :]
    if reach >= 0:
        mask = mask & _band(n_pieces, reach, query.device)
    found = _attend(query, key, value, attn_mask=mask[None, None], dropout_p=dropout, scale=scale)
    return found.transpose(1, 2)


def _band(size: int, reach: int, device: Any) -> Any:
    place = torch.arange(size, device=device)
    return (place[:, None] - place[None, :]).abs() <= reach


def fuse_projections(model: Any) -> int:
    """Let BERT-like attention make query, key and value in one product; how many layers do so now.

    Names and weights stay as they are: only the order of work changes.
    """
    fused = 0
    for module in model.modules():
        if is_bert_like(module):
            module.forward = types.MethodType(_fused_forward, module)
            fused += 1
    return fused


def is_bert_like(module: Any) -> bool:
    """Whether a self-attention is BERT's: others have its parts and do more, such as turning the query."""
    if type(module).__name__ not in {f"{family}SelfAttention" for family in BERT_FAMILIES}:
        return False
    has = all(isinstance(getattr(module, name, None), torch.nn.Linear) for name in ("query", "key", "value"))
    sized = all(hasattr(module, name) for name in ("attention_head_size", "scaling", "dropout"))
    return has and sized and not getattr(module, "is_decoder", False)


def _fused_forward(
    self: Any, hidden_states: Any, attention_mask: Any = None, **kwargs: Any
) -> tuple[Any, None]:
    three = (self.query, self.key, self.value)
    weight = torch.cat([linear.weight for linear in three])
    bias = torch.cat([linear.bias for linear in three])
    made = functional.linear(hidden_states, weight, bias)
    rows, n_pieces, _ = hidden_states.shape
    dropout = self.dropout.p if self.training else 0.0
    heads = made.view(rows, n_pieces, 3, -1, self.attention_head_size).transpose(1, 3)
    query, key, value = heads[:, :, 0], heads[:, :, 1], heads[:, :, 2]
    seen, _ = packed_attention(
        self, query, key, value, attention_mask, scaling=self.scaling, dropout=dropout, **kwargs
    )
    return seen.reshape(rows, n_pieces, -1), None
