"""The file of a crosswalk: its head, its tip, and records of which each authenticates the one before.

Nothing is known here of what records hold. A file is opened locked: for as many as read, or for one who
writes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from deidlab.errors import ConfigError
from deidlab.mask.keys import cipher_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"DEIDXWK1"
HEAD = struct.Struct(">8sB16s16s")
TIP = struct.Struct(">QQ16s")
NONCE_BYTES, TAG_BYTES = 12, 16
SEALED_TIP_BYTES = NONCE_BYTES + TIP.size + TAG_BYTES
_COST = 15
_FIRST = HEAD.size + SEALED_TIP_BYTES
_MOST_RECORD = 1 << 24


def new_head(id: bytes) -> bytes:
    """The head of a file that is to be sealed, with a salt of its own."""
    return HEAD.pack(MAGIC, _COST, secrets.token_bytes(16), id)


def is_head(head: bytes) -> bool:
    return len(head) == HEAD.size and head.startswith(MAGIC) and 10 <= head[len(MAGIC)] <= 20


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a file has been read: records, where they end, and the tag of the last one."""

    count: int = 0
    end: int = _FIRST
    tag: bytes = bytes(TAG_BYTES)


def read_records(
    file: BinaryIO, since: Reached | None = None
) -> Iterator[tuple[tuple[bytes, Reached], Reached]]:
    """Each whole record from there on with what it follows, and how far that is."""
    before = since or Reached()
    while True:
        file.seek(before.end)
        size = file.read(4)
        length = int.from_bytes(size, "big") if len(size) == 4 else 0
        data = file.read(length) if NONCE_BYTES + TAG_BYTES < length < _MOST_RECORD else b""
        if not data or len(data) < length:
            return
        reached = Reached(before.count + 1, file.tell(), data[-TAG_BYTES:])
        yield (data, before), reached
        before = reached


def whole_file(cipher: AESGCM, head: bytes, records: Iterable[bytes]) -> bytes:
    """A file of these records."""
    reached, sealed = Reached(), []
    for plain in records:
        data, reached = seal_record(cipher, head, plain, reached)
        sealed.append(data)
    return head + seal_tip(cipher, head, reached) + b"".join(sealed)


def seal_record(cipher: AESGCM, head: bytes, plain: bytes, before: Reached) -> tuple[bytes, Reached]:
    data = _encrypt(cipher, plain, bound_to(head, before))
    reached = replace(before, count=before.count + 1, end=before.end + 4 + len(data), tag=data[-TAG_BYTES:])
    return len(data).to_bytes(4, "big") + data, reached


def seal_tip(cipher: AESGCM, head: bytes, reached: Reached) -> bytes:
    return _encrypt(cipher, TIP.pack(reached.count, reached.end, reached.tag), head + b"tip")


def _encrypt(cipher: AESGCM, plain: bytes, bound: bytes) -> bytes:
    # Drawn and not counted: a place in the file may be written twice, after a kill.
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, plain, bound)


def bound_to(head: bytes, before: Reached) -> bytes:
    return head + before.count.to_bytes(8, "big") + before.tag


def head_cipher(secret: bytes, head: bytes) -> AESGCM:
    _, cost, salt, _ = HEAD.unpack(head)
    return cipher_of(secret, salt, cost)


@contextlib.contextmanager
def open_locked(path: Path, writing: bool = False, alone: bool = False) -> Iterator[BinaryIO]:
    """The file, locked: for as many as read, or for one who writes. `alone` tells that nobody else has it."""
    while True:
        try:
            file = path.open("r+b" if writing else "rb")
        except FileNotFoundError:
            raise ConfigError(
                f"{path}: there is no crosswalk; `deidlab crosswalk new {path} --key-file FILE` makes a new "
                "one, which gives everybody new codes: if there was one, restore its backup"
            ) from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
        with file:
            try:
                if not alone:
                    _lock(file, writing)
                # Sealed anew while this one waited: the name stands for another file by now.
                if path.stat().st_ino != os.fstat(file.fileno()).st_ino:
                    continue
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror or 'cannot be locked'}") from None
            try:
                yield file
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
            return


def _lock(file: BinaryIO, writing: bool) -> None:
    try:
        import fcntl
    except ImportError:
        raise ConfigError("a crosswalk needs file locks, which this system does not have") from None
    fcntl.flock(file, fcntl.LOCK_EX if writing else fcntl.LOCK_SH)
