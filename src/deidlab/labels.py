"""PHI types (labels), named label sets, their BIO tags, and maps between sets.

Sets and maps are data: `data/labels/NAME.toml` and `data/maps/SOURCE--TARGET.toml`.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.tomlfile import read_table

OUTSIDE = "O"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels in a fixed order, the group of each, and the BIO tags that a model predicts over them.

    `language` is the code of that in which notes with these labels are written, where it is always the same.
    """

    name: str
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    groups: Mapping[str, str] = field(default_factory=dict, hash=False)
    description: str = ""
    language: str = ""

    @classmethod
    def of(cls, name: str, labels: Iterable[str], groups: Mapping[str, str] | None = None) -> LabelSet:
        """A full set: O first, then B and I of every label."""
        ordered = tuple(labels)
        tags = (OUTSIDE, *(f"{prefix}-{label}" for label in ordered for prefix in "BI"))
        return cls(name, ordered, tags, groups or {})

    def __contains__(self, label: str) -> bool:
        return label in self.labels

    def group_of(self, label: str) -> str:
        return self.groups.get(label, "OTHER")

    def tag_ids(self) -> dict[str, int]:
        return {tag: index for index, tag in enumerate(self.tags)}


def split_tag(tag: str) -> tuple[str, str]:
    """'B-DATE' -> ('B', 'DATE'); 'O' -> ('O', '')."""
    prefix, _, label = tag.partition("-")
    return prefix, label


def known_label_sets() -> tuple[str, ...]:
    return (*_data_names("labels"), AUTO)


def known_maps() -> tuple[str, ...]:
    return _data_names("maps")


@functools.cache
def schemes() -> tuple[str, ...]:
    """The label sets that corpora are annotated with, the most common first: it wins a tie."""
    places = {name: _read_data("labels", name).get("scheme", 0) for name in _data_names("labels")}
    return tuple(sorted(filter(places.get, places), key=places.__getitem__))


def load_label_set(name: str, seen: Iterable[str] = ()) -> LabelSet:
    """The label set of that name; `auto` is made of the labels seen in a corpus."""
    if name == AUTO:
        return auto_label_set(seen)
    if name not in _data_names("labels"):
        raise UnknownNameError("label set", name, known_label_sets())
    return _named_set(name)


def auto_label_set(seen: Iterable[str]) -> LabelSet:
    labels = sorted(set(seen))
    groups = {label: group for label in labels if (group := _usual_group(label))}
    return LabelSet.of(AUTO, labels, groups)


def guess_label_set(counts: Mapping[str, int]) -> LabelSet:
    """The shipped scheme that holds most of the spans counted by label; `auto` where none holds half."""
    total = sum(counts.values())
    best = max(
        (_named_set(name) for name in schemes()),
        key=lambda known: sum(n for label, n in counts.items() if label in known),
    )
    held = sum(n for label, n in counts.items() if label in best)
    return best if total and 2 * held >= total else auto_label_set(counts)


def load_map(name_or_file: str) -> dict[str, str]:
    """A map of labels: 'i2b2-2006--i2b2-2014', or a TOML file with one row a label.

    A label mapped to the empty string is dropped.
    """
    path = Path(name_or_file)
    if name_or_file in known_maps():
        table = _read_data("maps", name_or_file)
    elif path.suffix == ".toml":
        table = read_table(path)
    else:
        raise UnknownNameError("label map", name_or_file, known_maps())
    wrong = sorted(key for key, value in table.items() if not isinstance(value, str))
    if wrong:
        raise ConfigError(f"label map {name_or_file}: the value of {wrong[0]} must be a string in quotes")
    return table


def is_shipped_label(label: str) -> bool:
    """Whether a shipped set or map has that label: any other may be a word of the data, and is not shown."""
    return label in _shipped_labels()


@functools.cache
def _shipped_labels() -> frozenset[str]:
    own = (label for name in _data_names("labels") for label in _named_set(name).labels)
    mapped = (label for name in known_maps() for label in _read_data("maps", name))
    return frozenset((*own, *mapped))


def language_of_label(label: str) -> str:
    """The code of the language that a label tells its notes to be in; empty where it tells none.

    A scheme names its language in its file, and which of its labels tell it: others are common property.
    """
    return _telling_labels().get(label, "")


@functools.cache
def _telling_labels() -> dict[str, str]:
    tables = (_read_data("labels", name) for name in schemes())
    return {label: table["language"] for table in tables for label in table.get("telling", ())}


def usual_group(label: str) -> str:
    """The group that the shipped schemes give a label; OTHER where none knows it."""
    return _usual_group(label) or "OTHER"


@functools.cache
def _named_set(name: str) -> LabelSet:
    table = _read_data("labels", name)
    groups = {label: group for group, labels in table.get("groups", {}).items() for label in labels}
    tags = tuple(table.get("tags", ()))
    labels = tuple(table.get("labels", groups)) or _labels_of(tags)
    if "like" in table:
        parent = _named_set(table["like"])
        groups = {label: parent.groups[label] for label in labels}
    full = LabelSet.of(name, labels, groups)
    return LabelSet(
        name, full.labels, tags or full.tags, groups, table["description"], table.get("language", "")
    )


def _labels_of(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({label for _, label in map(split_tag, tags) if label}))


@functools.cache
def _usual_group(label: str) -> str | None:
    for name in schemes():
        group = _named_set(name).groups.get(label)
        if group:
            return group
    return None


@functools.cache
def _data_names(folder: str) -> tuple[str, ...]:
    files = resources.files("deidlab").joinpath("data", folder).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def _read_data(folder: str, name: str) -> dict[str, Any]:
    text = resources.files("deidlab").joinpath("data", folder, f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)
