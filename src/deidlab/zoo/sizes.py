"""One vocabulary for sizes that each family's config.json spells in its own way.

A family and its configuration come in; `Sizes` goes out. Keys that are absent have the value
that transformers gives them, so a short config.json reads the same here and there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deidlab.errors import ModelError


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the tables and the memory model ask of an architecture.

    `hidden` is the width of attention, `embedding` that of the word vectors; `dropout` acts on hidden
    values, `attention_dropout` on attention weights; `shares_layers` says that one layer's tensors
    serve all layers; `window` is how many words a local attention layer sees (0: no such layer).
    """

    layers: int
    hidden: int
    embedding: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    dropout: float
    attention_dropout: float
    head_dropout: float
    activation: str
    shares_layers: bool = False
    window: int = 0
    global_every: int = 0
    position_buckets: int = 0


# What a family calls each size; the names left out are BERT's.
_BERT_KEYS = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "feed_forward": "intermediate_size",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "activation": "hidden_act",
}
_OTHER_KEYS: dict[str, dict[str, str]] = {
    "distilbert": {
        "layers": "n_layers",
        "hidden": "dim",
        "heads": "n_heads",
        "feed_forward": "hidden_dim",
        "dropout": "dropout",
        "attention_dropout": "attention_dropout",
        "activation": "activation",
    },
    "xlnet": {
        "layers": "n_layer",
        "hidden": "d_model",
        "heads": "n_head",
        "feed_forward": "d_inner",
        "dropout": "dropout",
        "attention_dropout": "dropout",
        "activation": "ff_activation",
    },
    "modernbert": {
        "dropout": "mlp_dropout",
        "attention_dropout": "attention_dropout",
        "activation": "hidden_activation",
    },
}
_DEFAULTS: dict[str, Any] = {"positions": 0, "dropout": 0.1, "attention_dropout": 0.1, "activation": "gelu"}
_HEAD_DROPOUT = {"albert": ("classifier_dropout_prob", 0.1), "modernbert": ("classifier_dropout", 0.0)}

FAMILIES = (
    "albert",
    "bert",
    "deberta-v2",
    "distilbert",
    "electra",
    "longformer",
    "modernbert",
    "roberta",
    "xlm-roberta",
    "xlnet",
)


def read_sizes(family: str, config: Mapping[str, Any]) -> Sizes:
    """The sizes in a configuration of a known family."""
    if family not in FAMILIES:
        raise ModelError(f"the sizes of a '{family}' model are not known here; known: {', '.join(FAMILIES)}")
    keys = {**_BERT_KEYS, **_OTHER_KEYS.get(family, {})}
    try:
        values = {
            size: config.get(key, _DEFAULTS[size]) if size in _DEFAULTS else config[key]
            for size, key in keys.items()
        }
    except KeyError as error:
        raise ModelError(f"the configuration of this '{family}' model lacks {error}") from None
    key, usual = _HEAD_DROPOUT.get(family, ("classifier_dropout", None))
    head_dropout = config.get(key, usual)
    window = config.get("attention_window" if family == "longformer" else "local_attention", 0)
    return Sizes(
        **values,
        embedding=config.get("embedding_size", values["hidden"]),
        head_dropout=values["dropout"] if head_dropout is None else head_dropout,
        shares_layers=family == "albert",
        window=max(window) if isinstance(window, list) else window,
        global_every=config.get("global_attn_every_n_layers", 3) if family == "modernbert" else 0,
        position_buckets=config.get("position_buckets", 0),
    )
