"""The labels that a system speaks in, in; what they are called in the gold's set out, by maps that are data.

A label that no map knows keeps its name and is told: what it means is never guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deidlab.errors import ConfigError
from deidlab.labels import AUTO, guess_label_set, known_label_sets, known_maps, load_label_set, load_map
from deidlab.types import Span

GROUPS = "i2b2-groups"
"""The set that labels of different make are compared in: names, places, dates, ages, contacts, numbers."""
NATIVE = "i2b2-2014"
HIDDEN = "(words of a note)"
"""Stands for labels that no map knows and that a note has: a system may take its labels from the text."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What each label becomes, the empty string for what is not PHI in the set; `missing` has no mapping."""

    scheme: str
    names: Mapping[str, str]
    missing: tuple[str, ...] = ()

    def rename(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """The spans under the set's labels; those of labels that are no PHI there are left out."""
        return tuple(
            Span(each.start, each.end, label, each.score, each.source)
            for each in spans
            if (label := self.names.get(each.label, each.label))
        )


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many spans had each label that is not PHI in the set, and each that no map knows."""

    dropped: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)


def find_naming(
    labels: Iterable[str], target: str, scheme: str = "", extra: Mapping[str, str] | None = None
) -> Naming:
    """The names in `target` of these labels; `scheme` says whose they are, where that is known, and `extra`
    rows of a person's own map go before."""
    labels = sorted(set(labels))
    found = scheme if scheme and _map_between(scheme, target) else guess_scheme(labels, target) or scheme
    names = {**(_map_between(found, target) if found else {}), **(extra or {})}
    own = load_label_set(target).labels
    known = {label: names[label] for label in labels if label in names}
    known |= {label: label for label in labels if label not in names and label in own}
    return Naming(found, known, tuple(label for label in labels if label not in known))


def native_rows(rows: Mapping[str, str], target: str) -> dict[str, str]:
    """A person's own rows, which name labels of `target`, with the native ones in their place."""
    naming = find_naming(filter(None, rows.values()), NATIVE, target)
    if naming.missing:
        raise ConfigError(f"--map: {naming.missing[0]} is no label of {target} nor of {NATIVE}")
    return {label: naming.names[name] if name else "" for label, name in rows.items()}


def hide_words(naming: Naming, texts: Iterable[str]) -> Naming:
    """The same, with one mark for all labels that no map knows and that stand in a note."""
    left = {label: re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE) for label in naming.missing}
    for text in texts:
        left = {label: word for label, word in left.items() if not word.search(text)}
    hidden = {label: HIDDEN for label in naming.missing if label not in left}
    missing = dict.fromkeys(hidden.get(label, label) for label in naming.missing)
    return replace(naming, names={**naming.names, **hidden}, missing=tuple(missing))


def guess_scheme(labels: Sequence[str], target: str) -> str:
    """The shipped set, or source of a map, that has all of these labels and the fewest others; or none."""
    if not labels:
        return ""
    sources = {name.partition("--")[0] for name in known_maps()} | set(known_label_sets()) - {AUTO}
    whole = [
        (len(known), name)
        for name in sorted(sources)
        if (known := _labels_of(name, target)) and known.issuperset(labels)
    ]
    return min(whole)[1] if whole else ""


def _labels_of(scheme: str, target: str) -> frozenset[str]:
    """The labels of a scheme that can be said in the target."""
    return frozenset(_map_between(scheme, target))


def _map_between(scheme: str, target: str) -> dict[str, str]:
    """The map from one set to the other, by way of the native set where there is no other; empty: there is
    none."""
    if scheme == target:
        return {label: label for label in load_label_set(target).labels}
    if f"{scheme}--{target}" in known_maps():
        return load_map(f"{scheme}--{target}")
    ways = (f"{scheme}--{NATIVE}", f"{NATIVE}--{target}")
    if not all(way in known_maps() for way in ways):
        return {}
    first, second = map(load_map, ways)
    return {label: second.get(native, "") if native else "" for label, native in first.items()}


def scheme_of_gold(counts: Mapping[str, int], target: str) -> str:
    """The scheme that gold spans, counted by label, are in."""
    found = guess_label_set(counts).name
    return guess_scheme(sorted(counts), target) if found == AUTO else found


def count_labels(naming: Naming, found: Iterable[Sequence[Span]]) -> LabelCounts:
    """What was dropped and what could not be named, over all notes."""
    counts = Counter(span.label for spans in found for span in spans)
    dropped = {label: n for label, n in sorted(counts.items()) if naming.names.get(label, label) == ""}
    unknown = Counter[str]()
    for label, n in sorted(counts.items()):
        if naming.names.get(label, HIDDEN) == HIDDEN:
            unknown[HIDDEN if label in naming.names else label] += n
    return LabelCounts(dropped, unknown)
