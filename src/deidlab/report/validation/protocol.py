"""What is wanted, what is to be read for it and when to stop: one JSON file, sealed before a note is read.

The seal is the SHA-256 of the file's content without it, as JSON with sorted keys and no spaces. Every later
step checks it and names it, so that a protocol that was changed afterwards is none. The file holds counts,
places of notes in the run's order and digests; no id of a note and nothing of its text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object, write_object

KIND, LAYOUT = "deidlab validation protocol", 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """The bounds that a release needs; None where one is not asked for."""

    confidence: float
    notes: float | None
    words_per_thousand: float | None
    stratum_notes: float | None
    most_words: int
    """How many leaked words one note counts at most: no bound on words holds without a limit."""

    @property
    def prior_share(self) -> float:
        return self.notes or self.stratum_notes or 0.01

    def word_share(self, words_a_note: float) -> float:
        """The bound on words as a share of the most that notes could count."""
        return min((self.words_per_thousand or 1.0) / 1000 * words_a_note / self.most_words, 1.0)


@dataclass(frozen=True, slots=True)
class PlannedStratum:
    """A part of the run: its notes and words, and how many of the notes are to be read."""

    name: str
    notes: int
    words: int
    sample: int
    hours: float


@dataclass(frozen=True, slots=True)
class Protocol:
    """All that was laid down. `order` has a note a row, in the order of reading: its place among the run's
    notes by name, and its stratum; the first `planned` are the sample, the others are there for more.
    """

    wanted: Wanted
    readers: int
    looks: bool
    by: tuple[str, ...]
    strata: tuple[PlannedStratum, ...]
    planned: int
    order: tuple[tuple[int, int], ...] = field(repr=False)
    run: Mapping[str, Any]
    profile: Mapping[str, Any] = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)
    digest: str = ""

    @property
    def words_a_note(self) -> float:
        return sum(each.words for each in self.strata) / max(sum(each.notes for each in self.strata), 1)

    def to_json(self) -> dict[str, Any]:
        table = {
            "kind": KIND,
            "layout": LAYOUT,
            "wanted": asdict(self.wanted),
            "reading": {"readers": self.readers, "looks": self.looks, "planned": self.planned},
            "strata_by": list(self.by),
            "strata": [asdict(each) for each in self.strata],
            "order": [list(each) for each in self.order],
            "run": dict(self.run),
            "profile": dict(self.profile),
            **self.facts,
        }
        return {**table, "digest": digest_of(table)}


def digest_of(table: Mapping[str, Any]) -> str:
    """The seal of a JSON object: over all of it but the member `digest`."""
    rest = {name: value for name, value in table.items() if name != "digest"}
    plain = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def refuse_written(path: Path) -> None:
    """Raise where something stands there: a protocol is not changed."""
    if path.exists():
        raise ConfigError(f"{path}: there already, and a protocol is not changed; give another name")


def write_protocol(protocol: Protocol, path: Path) -> str:
    """The file, which must not be there yet. Answers its digest."""
    refuse_written(path)
    table = protocol.to_json()
    write_object(path, table)
    return str(table["digest"])


def read_protocol(path: Path) -> Protocol:
    """The protocol, if it is as it was sealed."""
    table = read_object(path)
    if table.get("kind") != KIND or table.get("layout") != LAYOUT:
        raise ConfigError(
            f"{path}: not a protocol that this release reads; `deidlab validate plan` writes one"
        )
    if table.get("digest") != digest_of(table):
        raise ConfigError(f"{path}: changed since it was written; what was read under it proves nothing now")
    try:
        return _from_json(table)
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"{path}: not a whole protocol; `deidlab validate plan` writes one") from None


_OWN = (
    "kind", "layout", "wanted", "reading", "strata_by", "strata", "order", "run", "profile", "digest"
)  # fmt: skip


def _from_json(table: Mapping[str, Any]) -> Protocol:
    reading = table["reading"]
    return Protocol(
        wanted=Wanted(**table["wanted"]),
        readers=int(reading["readers"]),
        looks=bool(reading["looks"]),
        by=tuple(table["strata_by"]),
        strata=tuple(PlannedStratum(**each) for each in table["strata"]),
        planned=int(reading["planned"]),
        order=tuple((int(note), int(stratum)) for note, stratum in table["order"]),
        run=dict(table["run"]),
        profile=dict(table["profile"]),
        facts={name: value for name, value in table.items() if name not in _OWN},
        digest=str(table["digest"]),
    )


def drawn_names(protocol: Protocol, names: list[str], more: int = 0) -> Iterator[tuple[str, int]]:
    """The notes to read with their strata, in order; `names` are all of the run, sorted."""
    for note, stratum in islice(protocol.order, protocol.planned + more):
        yield names[note], stratum
