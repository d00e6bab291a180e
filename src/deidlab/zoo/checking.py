"""A configuration in, an error out where a size in it cannot be, before anything of that size is made.

A model of 10⁹ layers would be built for ever, and the names of 10⁹ labels would fill the memory. The fields
are those of all families; what is not among them is left to transformers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from deidlab.errors import ModelError

MOST_LAYERS = 1_000
MOST_LABELS = 1_000_000
_MOST_PARTS = 10_000
_MOST_HEADS = 100_000
_MOST_WIDTH = 10_000_000
_MOST_ROWS = 1_000_000_000
_DEEPEST = 20

_COUNTS = re.compile(r"(num|n)_?\w*(layers?|blocks|stages|experts)|\w*_layers|depths?")
_SIZES = (
    (re.compile(r"num_hidden_layers|num_layers|n_layers?|(num_)?(en|de)coder_layers"), 1, MOST_LAYERS),
    (re.compile(r"num_attention_heads|num_heads|n_heads?|(en|de)coder_attention_heads"), 1, _MOST_HEADS),
    (re.compile(r"hidden_size|dim|d_model|n_embd|embedding_size"), 1, _MOST_WIDTH),
    (re.compile(r"intermediate_size|hidden_dim|d_inner|d_ff"), 1, _MOST_WIDTH),
    (re.compile(r"vocab_size|max_position_embeddings"), 1, _MOST_ROWS),
    (re.compile(r"type_vocab_size"), 0, _MOST_ROWS),
    (re.compile(r"num_labels"), 1, MOST_LABELS),
)


def check_sizes(config: dict[str, Any], where: str) -> None:
    """Raise where a size is not a whole number, too small or too large; `where` is for the message."""
    for name, value in _walk(config, where):
        for pattern, least, most in _SIZES:
            if value is not None and pattern.fullmatch(name):
                _check(name, value, least, most, where)
                break
        else:
            # What else counts parts, or names one by its place from the end, is only kept within bounds.
            for each in value if isinstance(value, list) else [value]:
                if type(each) in (int, float) and _COUNTS.fullmatch(name):
                    _check(name, each, -_MOST_PARTS, _MOST_PARTS, where)


def _check(name: str, value: object, least: int, most: int, where: str) -> None:
    if type(value) is not int or not least <= value <= most:
        raise ModelError(f"{where}: '{name}' must be a whole number from {least:,} to {most:,}")


def _walk(config: dict[str, Any], where: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """All fields, those of configurations within included: a model of two parts has one for each."""
    if depth > _DEEPEST:
        raise ModelError(f"{where}: nested too deeply for a model's configuration")
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _walk(value, where, depth + 1)
        else:
            yield name, value
