"""Where a model's parameters sit: each tensor in one block, and the arithmetic of each block.

Tensors come in; blocks with their counts, or lines such as `(768×768+768)×3`, go out. Tensors are
placed by their names, which are alike enough across families.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from deidlab.zoo.params import Tensor

BLOCKS = ("embeddings", "attention", "feed-forward", "norms", "head", "other")

# The first that matches decides: a head's own norm belongs to the head, a layer's norm to the norms.
_PLACES = (
    (
        "head",
        re.compile(
            r"(^|\.)(pooler|classifier|pre_classifier|cls|lm_head|lm_loss|predictions|head|decoder|score"
            r"|logits_proj|sequence_summary|generator_predictions|generator_lm_head"
            r"|vocab_transform|vocab_layer_norm|vocab_projector)(\.|$)"
        ),
    ),
    ("norms", re.compile(r"(^|\.)[\w]*(layer_?norm|(?<![a-z])norm)[\w]*\.(weight|bias)$", re.IGNORECASE)),
    (
        "embeddings",
        re.compile(
            r"(^|\.)(embeddings|rel_embeddings|word_embeddings?|mask_emb|embeddings_project"
            r"|embedding_hidden_mapping_in)(\.|$)"
        ),
    ),
    ("attention", re.compile(r"(^|\.)(attention|attn|rel_attn|self_attn)(\.|$)")),
    ("feed-forward", re.compile(r"(^|\.)(intermediate|output|ffn|ffn_output|ff|mlp)(\.|$)")),
)


def block_of(name: str) -> str:
    """The block of a tensor; 'other' where its name says nothing known."""
    return next((block for block, pattern in _PLACES if pattern.search(name)), "other")


def count_blocks(tensors: Iterable[Tensor]) -> dict[str, int]:
    """Parameters by block, in the order of `BLOCKS`, without the empty ones."""
    counts = dict.fromkeys(BLOCKS, 0)
    for tensor in tensors:
        counts[block_of(tensor.name)] += tensor.count
    return {block: count for block, count in counts.items() if count}


def group_modules(tensors: Sequence[Tensor]) -> list[tuple[str, tuple[Tensor, ...]]]:
    """Neighbouring tensors of one module together, as (module, its tensors)."""
    groups: list[tuple[str, list[Tensor]]] = []
    for tensor in tensors:
        module = module_of(tensor.name)
        if not groups or groups[-1][0] != module:
            groups.append((module, []))
        groups[-1][1].append(tensor)
    return [(module, tuple(members)) for module, members in groups]


def module_of(name: str) -> str:
    """'encoder.layer.0.output.dense.bias' -> 'encoder.layer.0.output.dense'."""
    module, _, last = name.rpartition(".")
    return module if last in ("weight", "bias") else name


def count_parts(tensors: Iterable[Tensor]) -> dict[str, dict[str, int]]:
    """Parameters by block and, within it, by what the modules of all layers are called."""
    parts: dict[str, dict[str, int]] = {block: {} for block in BLOCKS}
    for tensor in tensors:
        block = block_of(tensor.name)
        part = "norms" if block == "norms" else _part_name(module_of(tensor.name))
        parts[block][part] = parts[block].get(part, 0) + tensor.count
    return {block: counts for block, counts in parts.items() if counts}


def _part_name(module: str) -> str:
    """The telling end of a module's name: 'encoder.layer.0.attention.output.dense' -> 'output'."""
    names = [name for name in module.split(".") if not name.isdigit()]
    last = names[-2] if names[-1] == "dense" and len(names) > 1 else names[-1]
    return last.replace("_", " ")
