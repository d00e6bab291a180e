"""Labels of two schemes: those that rules and masking speak in, and those that a model has learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from deidlab.errors import ConfigError
from deidlab.labels import find_map, guess_label_set, load_label_set, split_tag
from deidlab.types import Span

NATIVE_LABELS = "i2b2-2014"
OWN_LABELS = "own"
"""Stands for a model's own labels, those of the corpus that it learned from."""


def to_native(tags: Sequence[str]) -> dict[str, str]:
    """How a model's labels are called here, where it was trained on another scheme that can be mapped."""
    return find_map(own_set(tags), NATIVE_LABELS) or {}


def from_native(scheme: str) -> dict[str, str]:
    """How a scheme calls each native label; what it has no name for is dropped.

    Where only the other way is written down, of several labels that mean the same the first one is taken.
    """
    written = find_map(NATIVE_LABELS, scheme)
    if written is not None:
        return written
    back = find_map(scheme, NATIVE_LABELS)
    if back is None:
        raise ConfigError(
            f"rules cannot speak in these labels ({scheme}): no map {NATIVE_LABELS}--{scheme}, and no table "
            f"[from.{NATIVE_LABELS}] in its file"
        )
    names = dict.fromkeys(load_label_set(NATIVE_LABELS).labels, "")
    for label, native in back.items():
        if native:
            names[native] = names[native] or label
    return names


def own_set(tags: Sequence[str]) -> str:
    """The name of the label set that a model learned."""
    return guess_label_set(dict.fromkeys(labels_of(tags), 1)).name


def labels_of(tags: Sequence[str]) -> set[str]:
    """The labels that tags are about."""
    return {split_tag(tag)[1] for tag in tags} - {""}


def rename(spans: Iterable[Span], names: Mapping[str, str]) -> Iterable[Span]:
    for span in spans:
        label = names.get(span.label, span.label)
        if label:
            yield Span(span.start, span.end, label, span.score, span.source)


def check_labels(labels: str, tags: Sequence[str] | None, alone: bool) -> str:
    """The label set of the answer, `own` where a model with these `tags` has learned it; or a refusal."""
    if labels == OWN_LABELS and tags is None:
        raise ConfigError("own labels are those of a model, and none is named")
    own = "" if tags is None else own_set(tags)
    if labels == OWN_LABELS or labels == own != NATIVE_LABELS:
        # Rules and lists speak in the native labels, so beside them a model's own are no other.
        return NATIVE_LABELS if own == NATIVE_LABELS and not alone else OWN_LABELS
    if labels != NATIVE_LABELS:
        load_label_set(labels)
        from_native(labels)
    return labels
