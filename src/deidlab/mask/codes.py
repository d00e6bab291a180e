"""How codes, dates and names are decided: by the key and the data (keyed), or by what was drawn (random).

Keyed, all of it is HMAC under one key. Random, each patient, document and linking key has 32 bytes from the
system's randomness, kept in a crosswalk where one is named: a patient's offset and choices follow from its
own bytes, and a code is nothing but such bytes, or as few letters or digits as a key's column holds.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Protocol

from deidlab.carriers import KEY, split_label
from deidlab.carriers.key_types import NUMBERS, UUID, is_narrow
from deidlab.errors import CorpusError
from deidlab.mask.drawn import KINDS, Name, code_of, draw_all, kept_name, typed_name
from deidlab.mask.keys import Keyring, keyring_of
from deidlab.mask.typed_keys import number_code, read_number, uuid_code

RANDOM, KEYED = "random", "keyed"
CODES = (RANDOM, KEYED)
_NOBODY = re.compile(r"unknown-[0-9a-f]{16}")
_CODE_BYTES = 15
_KEYS = 1 << 16


class Codes(Protocol):
    """What a masker asks for each patient and each id."""

    def keyring(self, patient: str) -> Keyring:
        """What the patient's surrogates and dates are chosen with."""
        ...

    def code(self, kind: str, value: str) -> str:
        """What stands for an id, fit for a file name; `kind` is patient, document, key or a space of keys."""
        ...

    def key(self, label: str, written: str) -> str:
        """What stands for a key in a field of that label: of its type, alike in all fields of its space."""
        ...

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        """Told of many kinds and values before any is asked for."""


@dataclass(frozen=True, slots=True)
class KeyedCodes:
    """The same for the same key and data, anywhere."""

    own: bytes = field(repr=False)
    # A key stands in many rows.
    _numbers: Callable[[str, str, str], str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        number = lru_cache(maxsize=_KEYS)(partial(number_code, keyring_of(self.own)))
        object.__setattr__(self, "_numbers", number)

    def keyring(self, patient: str) -> Keyring:
        return keyring_of(self.own)

    def code(self, kind: str, value: str) -> str:
        return _written(kind, keyring_of(self.own).digest("ids", "pseudonym", kind, value))

    def key(self, label: str, written: str) -> str:
        _, type, space = split_label(label)
        return self._numbers(space, written, type) if type in NUMBERS else _long_key(self, label, written)

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        pass


class Drawing(Protocol):
    """Where secrets come from: a crosswalk, memory, or what was sent along."""

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]: ...


@dataclass(frozen=True, slots=True)
class InMemory:
    """Secrets that are gone with the process."""

    drawn: dict[Name, bytes] = field(default_factory=dict, repr=False)
    taken: set[bytes] = field(default_factory=set, repr=False)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        wanted = {name: kept_name(name) for name in names}
        missing = [name for name, kept in wanted.items() if kept not in self.drawn]
        self.drawn.update(draw_all(missing, self.taken))
        return {name: self.drawn[kept] for name, kept in wanted.items()}


@dataclass(slots=True)
class SentAlong:
    """Secrets that were drawn elsewhere, for somebody who must draw none: those of one note after another."""

    drawn: Mapping[Name, bytes] = field(default_factory=dict, repr=False)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        if any(name not in self.drawn for name in names):
            raise CorpusError("no code was drawn for it: the source changed meanwhile")
        return self.drawn


@dataclass(frozen=True, slots=True)
class RandomCodes:
    """Codes of bytes that were drawn; the key makes nothing but the names under which they are kept."""

    own: bytes = field(repr=False)
    drawing: Drawing = field(repr=False)
    passing: InMemory = field(default_factory=InMemory, repr=False)
    """Of patients whom nobody named: there is nothing by which they could come again."""

    def keyring(self, patient: str) -> Keyring:
        return OwnKeyring(self.own, self._secret("patient", patient))

    def code(self, kind: str, value: str) -> str:
        drawn = self._secret(kind, value)
        # A patient's bytes decide more than the code, which must not tell them.
        return _written(kind, keyring_of(drawn).digest("ids", "code") if kind == "patient" else drawn)

    def key(self, label: str, written: str) -> str:
        if is_narrow(split_label(label)[1]):
            return code_of(self._secret(label, written))
        return _long_key(self, label, written)

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        if names := names_of(self.own, values):
            self.drawing.draw(names)

    def _secret(self, kind: str, value: str) -> bytes:
        name = name_of(self.own, kind, value)
        drawing = self.passing if _NOBODY.fullmatch(value) else self.drawing
        return drawing.draw((name,))[name]


def _long_key(codes: Codes, label: str, written: str) -> str:
    """The key as a pseudonym, or a UUID made of one."""
    _, type, space = split_label(label)
    pseudonym = codes.code(space or "key", written.lower() if type == UUID else written)
    return uuid_code(pseudonym) if type == UUID else pseudonym


class OwnKeyring(Keyring):
    """A keyring that remembers with the run's key, and chooses with a patient's own secret."""

    __slots__ = ("_own",)

    def __init__(self, key: bytes, secret: bytes) -> None:
        super().__init__(key)
        self._own = Keyring(secret)

    def number(self, context: str, *parts: str | bytes | int) -> int:
        return self._own.number(context, *parts)


def name_of(key: bytes, kind: str, value: str) -> Name:
    """Under which the secret of a value is kept; only the key's owner can make it.

    `kind` is patient, document or key, or the label of a field that holds a key.
    """
    label, type, space = split_label(kind)
    ring = keyring_of(key)
    if label == KEY:
        kind, value = space or "key", value.lower() if type == UUID else value
    digest = ring.digest("ids", "name of a code", kind, value)
    if label != KEY or not is_narrow(type):
        return (kind if kind in KINDS else "key"), digest
    if type in NUMBERS:
        read_number(value, type)
    return typed_name(type, ring.digest("ids", "space of keys", space), digest)


def names_of(key: bytes, values: Iterable[tuple[str, str]]) -> dict[Name, None]:
    """The names of all these for which anything is kept, each once."""
    return dict.fromkeys(name_of(key, *each) for each in values if not _NOBODY.fullmatch(each[1]))


def _written(kind: str, code: bytes) -> str:
    return kind[:1].lower() + base64.b32encode(code[:_CODE_BYTES]).decode("ascii").lower()
