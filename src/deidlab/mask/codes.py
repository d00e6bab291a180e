"""How codes, dates and names are decided: by the key and the data (keyed), or by what was drawn (random).

Keyed, all of it is HMAC under one key. Random, each patient, document and linking key has 32 bytes from the
system's randomness, kept in a crosswalk where one is named: a patient's offset and choices follow from its
own bytes, and a code is nothing but such bytes.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from deidlab.errors import CorpusError
from deidlab.mask.crosswalk import SECRET_BYTES, Name
from deidlab.mask.keys import Keyring, keyring_of

RANDOM, KEYED = "random", "keyed"
CODES = (RANDOM, KEYED)
_NOBODY = re.compile(r"unknown-[0-9a-f]{16}")
_CODE_BYTES = 15


class Codes(Protocol):
    """What a masker asks for each patient and each id."""

    def keyring(self, patient: str) -> Keyring:
        """What the patient's surrogates and dates are chosen with."""
        ...

    def code(self, kind: str, value: str) -> str:
        """What stands for an id, fit for a file name; `kind` is patient, document or key."""
        ...

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        """Told of many kinds and values before any is asked for."""


@dataclass(frozen=True, slots=True)
class KeyedCodes:
    """The same for the same key and data, anywhere."""

    key: bytes = field(repr=False)

    def keyring(self, patient: str) -> Keyring:
        return keyring_of(self.key)

    def code(self, kind: str, value: str) -> str:
        return _written(kind, keyring_of(self.key).digest("ids", "pseudonym", kind, value))

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        pass


class Drawing(Protocol):
    """Where secrets come from: a crosswalk, memory, or what was sent along."""

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]: ...


@dataclass(frozen=True, slots=True)
class InMemory:
    """Secrets that are gone with the process."""

    drawn: dict[Name, bytes] = field(default_factory=dict, repr=False)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        for name in names:
            self.drawn.setdefault(name, secrets.token_bytes(SECRET_BYTES))
        return self.drawn


@dataclass(frozen=True, slots=True)
class SentAlong:
    """Secrets that were drawn elsewhere, for somebody who must draw none."""

    drawn: Mapping[Name, bytes] = field(repr=False)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        if any(name not in self.drawn for name in names):
            raise CorpusError("no code was drawn for it: the source changed meanwhile")
        return self.drawn


@dataclass(frozen=True, slots=True)
class RandomCodes:
    """Codes of bytes that were drawn; the key makes nothing but the names under which they are kept."""

    key: bytes = field(repr=False)
    drawing: Drawing = field(repr=False)
    passing: InMemory = field(default_factory=InMemory, repr=False)
    """Of patients whom nobody named: there is nothing by which they could come again."""

    def keyring(self, patient: str) -> Keyring:
        return OwnKeyring(self.key, self._secret("patient", patient))

    def code(self, kind: str, value: str) -> str:
        own = self._secret(kind, value)
        # A patient's bytes decide more than the code, which must not tell them.
        return _written(kind, keyring_of(own).digest("ids", "code") if kind == "patient" else own)

    def expect(self, values: Iterable[tuple[str, str]]) -> None:
        names = [name_of(self.key, *each) for each in values if not _NOBODY.fullmatch(each[1])]
        if names:
            self.drawing.draw(names)

    def _secret(self, kind: str, value: str) -> bytes:
        name = name_of(self.key, kind, value)
        drawing = self.passing if _NOBODY.fullmatch(value) else self.drawing
        return drawing.draw((name,))[name]


class OwnKeyring(Keyring):
    """A keyring that remembers with the run's key, and chooses with a patient's own secret."""

    __slots__ = ("_own",)

    def __init__(self, key: bytes, secret: bytes) -> None:
        super().__init__(key)
        self._own = Keyring(secret)

    def number(self, context: str, *parts: str | bytes | int) -> int:
        return self._own.number(context, *parts)


def name_of(key: bytes, kind: str, value: str) -> Name:
    """Under which the secret of a value is kept; only the key's owner can make it."""
    return kind, keyring_of(key).digest("ids", "name of a code", kind, value)


def _written(kind: str, code: bytes) -> str:
    return kind[:1].lower() + base64.b32encode(code[:_CODE_BYTES]).decode("ascii").lower()
