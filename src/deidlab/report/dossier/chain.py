"""Entries in, a chain out: each holds the digest of the one before, and is signed by whoever added it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from deidlab.errors import ConfigError
from deidlab.report.dossier.signing import Signer, is_signed

OPENED, RUN, APPROVAL = "opened", "run", "approval"
_FORMAT, _USE = 1, "dossier entry"
_SAYS = {OPENED: {"title"}, APPROVAL: {"name", "role", "until"}, RUN: {"facts", "outputs", "software"}}
_FILE = {"file"}
"""What an entry says: of those that come with files, which file is what. A run may have a card beside."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was added: by whom, when, what it says, and the digests of its files."""

    number: int
    kind: str
    time: str
    by: str
    says: Mapping[str, Any] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    previous: str = ""
    key: str = ""
    signature: str = field(default="", repr=False)

    def digest(self) -> str:
        return sha256(canonical(asdict(self)))

    @property
    def signed_part(self) -> bytes:
        return canonical(asdict(replace(self, signature="")))


def canonical(value: Any) -> bytes:
    """The one way in which a value is written: what is written otherwise was not written here."""
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Hand:
    """Who adds to a chain, and signs."""

    by: str
    signer: Signer


def append(
    entries: Sequence[Entry], kind: str, says: Mapping[str, Any], files: Mapping[str, bytes], hand: Hand
) -> tuple[Entry, ...]:
    """The chain with one more entry."""
    digests = {name: sha256(content) for name, content in files.items()}
    previous = entries[-1].digest() if entries else ""
    entry = Entry(len(entries) + 1, kind, now(), hand.by, dict(says), digests, previous, hand.signer.public)
    return (*entries, replace(entry, signature=hand.signer.sign(_USE, entry.signed_part)))


def chain_to_bytes(entries: Sequence[Entry]) -> bytes:
    return canonical({"format": _FORMAT, "entries": [asdict(entry) for entry in entries]})


def bytes_to_chain(data: bytes) -> tuple[Entry, ...]:
    """The entries; raises where the bytes are not as a chain is written, whatever they say."""
    try:
        found = json.loads(data)
        entries = tuple(_entry(row) for row in found["entries"])
        if not entries or chain_to_bytes(entries) != data:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError("is not as it was written") from None
    return entries


def _entry(row: Any) -> Entry:
    kinds = {"number": int, "says": dict, "files": dict}
    for each in fields(Entry):
        if type(row[each.name]) is not kinds.get(each.name, str):
            raise TypeError
    if not all(isinstance(told, str) for told in row["files"].values()):
        raise TypeError
    return Entry(**row)


def broken_links(entries: Sequence[Entry]) -> Iterator[str]:
    """What is wrong with a chain, an entry a line."""
    previous, time, latest = "", "", now()
    for place, entry in enumerate(entries, 1):
        name = f"entry {entry.number} ({entry.kind})"
        if entry.number != place or (entry.kind == OPENED) != (place == 1):
            yield f"{name} is not in its place"
        if not is_signed(_USE, entry.signed_part, entry.key, entry.signature):
            yield f"{name} was changed after it was signed"
        if not _says_all(entry):
            yield f"{name} does not say what such an entry says"
        if entry.previous != previous:
            yield f"{name} does not follow the entry before it"
        if not time <= entry.time <= latest:
            yield f"{name} has a time before that of the entry before it, or one to come"
        previous, time = entry.digest(), entry.time


def _says_all(entry: Entry) -> bool:
    if not all(isinstance(told, str) for told in entry.says.values()):
        return False
    if not _SAYS.get(entry.kind, _FILE) <= entry.says.keys():
        return False
    return entry.kind in (OPENED, APPROVAL) or set(entry.says.values()) == entry.files.keys()
