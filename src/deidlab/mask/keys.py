"""A secret in, keyed digests and choices out.

Everything that masking chooses comes from HMAC-SHA256 under a key of its own for each context (names,
dates, ids, places, state), so that what is learnt of one context says nothing about another. Key files
hold raw bytes; `new_key` writes them and `read_key` reads them.
"""

from __future__ import annotations

import functools
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.errors import ConfigError
from deidlab.files import open_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
LEAST_KEY_BYTES = 16
NONCE_BYTES = 8
CONTEXTS = ("names", "dates", "ids", "places", "state")


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key as read, and what its owner should hear about the file, or None."""

    key: bytes = field(repr=False)
    warning: str | None = None


def new_key(path: str | os.PathLike[str]) -> None:
    """Write 32 random bytes to a new file that only its owner can read; an existing file is refused."""
    target = Path(path)
    try:
        handle = open_private(target, "new")
    except FileExistsError:
        raise ConfigError(f"{target}: already exists; a key is never overwritten") from None
    except OSError as error:
        raise ConfigError(f"{target}: {error.strerror or 'cannot be written'}") from None
    with os.fdopen(handle, "wb") as file:
        if os.name == "posix":
            os.fchmod(file.fileno(), 0o600)
        file.write(secrets.token_bytes(KEY_BYTES))


def read_key(path: str | os.PathLike[str]) -> KeyFile:
    """The key in that file; fewer than 16 bytes are refused, a file that others can read is warned about."""
    source = Path(path)
    try:
        with source.open("rb") as file:
            key = file.read()
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise ConfigError(f"{source}: {error.strerror or 'cannot be read'}") from None
    check_key(key, str(source))
    if os.name == "posix" and mode & 0o077:
        warning = f"{source} can be read by others (mode {mode & 0o777:04o}); run: chmod 600 {source}"
        return KeyFile(key, warning)
    return KeyFile(key)


def check_key(key: bytes, where: str = "key") -> None:
    if len(key) < LEAST_KEY_BYTES:
        raise ConfigError(
            f"{where}: a key needs at least {LEAST_KEY_BYTES} bytes, this one has {len(key)}; "
            "`deidlab key new` writes a good one"
        )


def cipher_of(secret: bytes, salt: bytes, cost: int) -> AESGCM:
    """What seals a file with a passphrase or a key: scrypt of that cost, then AES-256-GCM."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return AESGCM(Scrypt(salt=salt, length=32, n=1 << cost, r=8, p=1).derive(secret))


def random_key() -> bytes:
    """A key that lives in memory only: a run with it cannot be repeated."""
    return secrets.token_bytes(KEY_BYTES)


class Keyring:
    """The keys of all contexts, made from one secret. Parts are framed by length, so none can pose as two."""

    __slots__ = ("_keys",)

    def __init__(self, key: bytes) -> None:
        check_key(key)
        keys = {name: hmac.digest(key, b"deidlab/1/" + name.encode(), "sha256") for name in CONTEXTS}
        # Every mention asks several times: a copy of what has taken in the key costs less than a new one.
        self._keys = {name: hmac.new(own, digestmod="sha256") for name, own in keys.items()}

    def digest(self, context: str, *parts: str | bytes | int) -> bytes:
        """Sixteen bytes that only the key's owner can make again."""
        keyed = self._keys[context].copy()
        keyed.update(_frame(parts))
        return keyed.digest()[:16]

    def number(self, context: str, *parts: str | bytes | int) -> int:
        """A number below 2**128; taken modulo a small n it is as good as uniform."""
        return int.from_bytes(self.digest(context, *parts), "big")

    def stream(self, context: str, *parts: str | bytes | int) -> Stream:
        return Stream(self, context, parts)

    def seal(self, data: bytes, *parts: str | bytes | int) -> bytes:
        """Up to 16 bytes made unreadable without the key, the same ones always alike; `unseal` opens them.

        The pad depends on the data, so that no two different ones ever share it.
        """
        nonce = self.digest("state", "nonce", data, *parts)[:NONCE_BYTES]
        return nonce + self._pad(data, nonce, parts)

    def unseal(self, sealed: bytes, *parts: str | bytes | int) -> bytes:
        return self._pad(sealed[NONCE_BYTES:], sealed[:NONCE_BYTES], parts)

    def _pad(self, data: bytes, nonce: bytes, parts: tuple[str | bytes | int, ...]) -> bytes:
        pad = self.digest("state", "pad", nonce, *parts)
        return bytes(a ^ b for a, b in zip(data, pad, strict=False))


class Stream:
    """Choices in a row from one seed, without end."""

    __slots__ = ("_context", "_keyring", "_parts", "_pool", "_step")

    def __init__(self, keyring: Keyring, context: str, parts: tuple[str | bytes | int, ...]) -> None:
        self._keyring, self._context, self._parts = keyring, context, parts
        self._pool, self._step = 0, 0

    def below(self, n: int) -> int:
        """A number from 0 up to n; n is at most 2**16."""
        if self._pool < 1 << 40:
            self._pool = self._keyring.number(self._context, "stream", self._step, *self._parts) | 1 << 128
            self._step += 1
        self._pool, value = divmod(self._pool, n)
        return value


def own_patient() -> str:
    """A patient that no other note has, for one of which nobody said whose it is.

    Under one name for all of them, everybody's dates would shift alike.
    """
    return f"unknown-{secrets.token_hex(8)}"


def _frame(parts: tuple[str | bytes | int, ...]) -> bytes:
    framed: list[bytes] = []
    for part in parts:
        if isinstance(part, str):
            data = part.encode("utf-8", "surrogatepass")
            framed += (b"s", len(data).to_bytes(4, "big"), data)
        elif isinstance(part, bytes):
            framed += (b"b", len(part).to_bytes(4, "big"), part)
        else:
            framed += (b"i", part.to_bytes(16, "big", signed=True))
    return b"".join(framed)


@functools.lru_cache(maxsize=8)
def keyring_of(key: bytes) -> Keyring:
    return Keyring(key)
