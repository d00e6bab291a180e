"""What the first pass over a corpus remembers of a note: facts, which hold keyed digests and no text.

A digest can be made again only with the key. `pack_facts` and `unpack_facts` turn facts into bytes for a
state file and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from deidlab.banks import fold
from deidlab.errors import CorpusError
from deidlab.mask.keys import Keyring


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a name: its role, the digest of its word (empty for an initial), of its first letter, and
    the sealed gender and origin that the banks tell."""

    role: str
    word: bytes
    initial: bytes
    profile: bytes = b""


@dataclass(frozen=True, slots=True)
class Fact:
    """One span, or one thing a span tells: `kind` is name, text, place, seat (the state of a town),
    year, old (an age over 89), gender (that of the patient) or language (of the note)."""

    kind: str
    label: str
    mention: bytes
    group: bytes = b""
    parts: tuple[Part, ...] = ()


def mention_digest(keyring: Keyring, patient: str, text: str) -> bytes:
    """What stands for a mention, whatever its case, accents and white space."""
    return keyring.digest("state", "mention", patient, " ".join(fold(text).split()))


def year_digest(keyring: Keyring, patient: str, year: int) -> bytes:
    return keyring.digest("state", "year", patient, year)


def pack_facts(facts: Iterable[Fact]) -> bytes:
    rows = [
        [f.kind, f.label, f.mention.hex(), f.group.hex()]
        + [[p.role, p.word.hex(), p.initial.hex(), p.profile.hex()] for p in f.parts]
        for f in facts
    ]
    return json.dumps(rows, separators=(",", ":")).encode()


def unpack_facts(data: bytes) -> tuple[Fact, ...]:
    try:
        return tuple(_fact(row) for row in json.loads(data))
    except (ValueError, TypeError, IndexError):
        raise CorpusError("the stored facts of a note are damaged; start the run again") from None


def _fact(row: list[object]) -> Fact:
    kind, label, mention, group, *parts = row
    return Fact(str(kind), str(label), _bytes(mention), _bytes(group), tuple(_part(part) for part in parts))


def _part(row: object) -> Part:
    if not isinstance(row, list):
        raise ValueError
    role, *digests = row
    return Part(str(role), *(_bytes(digest) for digest in digests))


def _bytes(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError
    return bytes.fromhex(value)
