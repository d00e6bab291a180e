"""PHI types (labels), named label sets, their BIO tags, and maps between sets.

Sets and maps are data: `data/labels/NAME.toml` and `data/maps/SOURCE--TARGET.toml`, or a user's own files.
A set's file may say itself how labels of another scheme are called in it (`[from.SCHEME]`): that is enough.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.shipped import Shelf, is_own_file

OUTSIDE = "O"
AUTO = "auto"
_SETS, _MAPS = Shelf("label set", "labels", (AUTO,)), Shelf("label map", "maps")
_SET_KEYS = ("description", "labels", "groups", "tags", "like", "language", "from", "scheme", "telling")


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
    return (*_SETS.names(), AUTO)


def known_maps() -> tuple[str, ...]:
    return _MAPS.names()


@functools.cache
def schemes() -> tuple[str, ...]:
    """The label sets that corpora are annotated with, the most common first: it wins a tie."""
    places = {name: _SETS.read_shipped(name).get("scheme", 0) for name in _SETS.names()}
    return tuple(sorted(filter(places.get, places), key=places.__getitem__))


def load_label_set(name: str, seen: Iterable[str] = ()) -> LabelSet:
    """The label set of that name or TOML file; `auto` is made of the labels seen in a corpus."""
    if name == AUTO:
        return auto_label_set(seen)
    return _named_set(name) if name in _SETS.names() else _own_set(name)


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
    return _map_of(_MAPS.read(name_or_file), f"label map {name_or_file}")


def _map_of(table: Mapping[str, Any], where: str) -> dict[str, str]:
    wrong = sorted(key for key, value in table.items() if not isinstance(value, str))
    if wrong:
        raise ConfigError(f"{where}: the value of {wrong[0]} must be a string in quotes")
    return dict(table)


def find_map(source: str, target: str) -> dict[str, str] | None:
    """How labels of one set are called in another, where that is written down: as a map that ships, or in the
    other's own file."""
    if f"{source}--{target}" in _MAPS.names():
        return load_map(f"{source}--{target}")
    if target not in _SETS.names() and not is_own_file(target):
        return None
    written = _SETS.read(target).get("from", {})
    if not isinstance(written, Mapping) or not isinstance(written.get(source, {}), Mapping):
        raise ConfigError(f"label set {target}: [from.{source}] must be a table with one row a label")
    return _map_of(written[source], f"label set {target}: [from.{source}]") if source in written else None


def is_shipped_label(label: str) -> bool:
    """Whether a shipped set or map has that label: any other may be a word of the data, and is not shown."""
    return label in _shipped_labels()


@functools.cache
def _shipped_labels() -> frozenset[str]:
    own = (label for name in _SETS.names() for label in _named_set(name).labels)
    mapped = (label for name in _MAPS.names() for label in _MAPS.read_shipped(name))
    return frozenset((*own, *mapped))


def language_of_label(label: str) -> str:
    """The code of the language that a label tells its notes to be in; empty where it tells none.

    A scheme names its language in its file, and which of its labels tell it: others are common property.
    """
    return _telling_labels().get(label, "")


@functools.cache
def _telling_labels() -> dict[str, str]:
    tables = (_SETS.read_shipped(name) for name in schemes())
    return {label: table["language"] for table in tables for label in table.get("telling", ())}


def usual_group(label: str) -> str:
    """The group that the shipped schemes give a label; OTHER where none knows it."""
    return _usual_group(label) or "OTHER"


@functools.cache
def _named_set(name: str) -> LabelSet:
    return _set_of(_SETS.read_shipped(name), name)


def _own_set(file: str) -> LabelSet:
    table = _SETS.read(file)
    _check_set(table, f"label set {file}")
    return _set_of(table, _SETS.own_name(_SETS.own_file(file)))


def _check_set(table: Mapping[str, Any], where: str) -> None:
    """Raise where a user's own file is not what a label set's is."""
    for key in table:
        if key not in _SET_KEYS:
            raise UnknownNameError(f"key of {where}:", key, _SET_KEYS)
    groups = table.get("groups", {})
    if not isinstance(groups, Mapping):
        raise ConfigError(f"{where}: groups must be a table with a list of labels for each")
    for key, value in {"labels": table.get("labels", []), "tags": table.get("tags", []), **groups}.items():
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise ConfigError(f"{where}: {key} must be a list of names in quotes")
    for key in ("description", "language", "like"):
        if not isinstance(table.get(key, ""), str):
            raise ConfigError(f"{where}: {key} must be a string in quotes")
    if not (table.get("labels") or table.get("tags") or any(groups.values())):
        raise ConfigError(f"{where}: it has no label; give labels = [...] or a table [groups]")


def _set_of(table: Mapping[str, Any], name: str) -> LabelSet:
    groups = {label: group for group, labels in table.get("groups", {}).items() for label in labels}
    tags = tuple(table.get("tags", ()))
    labels = tuple(table.get("labels", groups)) or _labels_of(tags)
    if "like" in table:
        parent = load_label_set(table["like"])
        groups = {**{label: parent.groups[label] for label in labels if label in parent.groups}, **groups}
    full = LabelSet.of(name, labels, groups)
    return LabelSet(
        name, full.labels, tags or full.tags, groups, table.get("description", ""), table.get("language", "")
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
