"""A label of any shipped scheme in, the label of this house's own scheme that stands for it out."""

from __future__ import annotations

import functools

from deidlab.carriers import split_label
from deidlab.labels import known_maps, load_label_set, load_map, schemes

_NATIVE = "i2b2-2014"


@functools.cache
def _maps() -> tuple[str, ...]:
    return tuple(name for scheme in schemes() if (name := f"{scheme}--{_NATIVE}") in known_maps())


@functools.cache
def base_label(label: str) -> str:
    """The i2b2-2014 label that stands for a label of any shipped scheme; its own where none does."""
    label = split_label(label)[0]
    if label in load_label_set(_NATIVE):
        return label
    for name in _maps():
        mapped = load_map(name).get(label)
        if mapped:
            return mapped
    return label


@functools.cache
def known_labels() -> tuple[str, ...]:
    mapped = (label for name in _maps() for label in load_map(name))
    return tuple(dict.fromkeys((*load_label_set(_NATIVE).labels, *mapped)))
