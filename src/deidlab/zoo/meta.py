"""Models built on the meta device: shapes without weights and without memory.

A family and a configuration, or a transformers configuration, come in; tensors in page order go
out, a shared tensor once. Torch and transformers are loaded here and nowhere else in the zoo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from deidlab.errors import MissingExtraError, ModelError
from deidlab.zoo.params import Tensor

# XLNet was never trained on masks; the head that predicts its words is a causal one by name.
_AUTO_CLASSES = {
    "token": ("AutoModelForTokenClassification",),
    "sequence": ("AutoModelForSequenceClassification",),
    "mlm": ("AutoModelForMaskedLM", "AutoModelForCausalLM"),
    "none": ("AutoModel",),
}

# Pages start with the embeddings in this order, however the class happens to list them.
_FIRST = (
    re.compile(r"(^|\.)(word_embeddings?|tok_embeddings)\."),
    re.compile(r"(^|\.)embeddings\.position_embeddings\."),
    re.compile(r"(^|\.)embeddings\.token_type_embeddings\."),
    re.compile(r"(^|\.)embeddings\.(LayerNorm|norm)\."),
)


def import_transformers() -> Any:
    """The transformers module; with torch, or an error that has the command to install both."""
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError("building a model", "train") from error
    _ = torch
    return transformers


def make_config(family: str, config: Mapping[str, Any]) -> Any:
    """A transformers configuration from a family's facts."""
    return import_transformers().AutoConfig.for_model(family, **config)


def build_model(config: Any, head: str, labels: int | None) -> Any:
    """The model with this head on the meta device; no weights are made or read, no remote code runs."""
    transformers = import_transformers()
    import torch

    if labels is not None:
        config.num_labels = labels
    for auto_class in (getattr(transformers, name) for name in _AUTO_CLASSES[head]):
        if type(config) in auto_class._model_mapping:
            try:
                with torch.device("meta"):
                    return auto_class.from_config(config, trust_remote_code=False)
            except Exception as error:
                # Transformers checks sizes with whatever error comes first; none of them is ours to crash on.
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                raise ModelError(f"this '{config.model_type}' model cannot be built ({reason})") from error
    raise ModelError(f"transformers has no '{head}' head for a model of type '{config.model_type}'")


def list_tensors(model: Any) -> tuple[Tensor, ...]:
    """The model's parameters in page order; what two modules share is listed once, under its first name."""
    body = f"{model.base_model_prefix}."
    named = sorted(
        model.named_parameters(remove_duplicate=False),
        # XLM-R's class makes its head for masked words before its body; pages have the body first.
        key=lambda pair: (_page_rank(pair[0]), not pair[0].startswith(body)),
    )
    once = {id(value): (name, value) for name, value in reversed(named)}
    return tuple(
        Tensor(name, tuple(value.shape), value.requires_grad)
        for name, value in named
        if once[id(value)][0] == name
    )


def order_tensors(tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Embeddings of words, positions and token types, their norm, then all others as they come."""
    return tuple(sorted(tensors, key=lambda tensor: _page_rank(tensor.name)))


def _page_rank(name: str) -> int:
    return next((rank for rank, pattern in enumerate(_FIRST) if pattern.search(name)), len(_FIRST))
