"""Values in, sealed bytes out, and back: all that a run puts into Ray's object store.

Ray keeps arguments and results in shared memory and, when that is full, in files on any node. Under keys that
live only in the memory of the driver and of its workers, neither tells anything, then or afterwards. Tasks of
Ray Data are themselves kept in the object store, so those that read notes get a key that can only close.
"""

from __future__ import annotations

import os
import pickle
from typing import Any

_NONCE_BYTES = 12
_POINT_BYTES = 32


class RunSeal:
    """Seals of one run."""

    def __init__(self, key: bytes | None = None) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.key = os.urandom(32) if key is None else key
        self._cipher = AESGCM(self.key)

    def close(self, value: object) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, pickle.dumps(value, pickle.HIGHEST_PROTOCOL), None)

    def open(self, sealed: bytes) -> Any:
        """The value; only what this run sealed is ever unpickled, since anything else does not open."""
        return pickle.loads(self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None))


class SealedBox:
    """What anyone with its `lid` can close and only its holder can open (X25519, HKDF, AES-GCM)."""

    def __init__(self, secret: bytes | None = None) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private = X25519PrivateKey.from_private_bytes(secret or os.urandom(32))
        self.lid = self._private.public_key().public_bytes_raw()

    def __reduce__(self) -> tuple[type[SealedBox], tuple[bytes]]:
        return SealedBox, (self._private.private_bytes_raw(),)

    def open(self, closed: bytes) -> Any:
        """The value. Anyone may close a box, but only a run's own readers put blocks into its datasets."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        sender = closed[:_POINT_BYTES]
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(sender))
        return RunSeal(_derive(shared, sender, self.lid)).open(closed[_POINT_BYTES:])


def close_box(lid: bytes, value: object) -> bytes:
    """The value, closed for the holder of the box."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    private = X25519PrivateKey.generate()
    sender = private.public_key().public_bytes_raw()
    shared = private.exchange(X25519PublicKey.from_public_bytes(lid))
    return sender + RunSeal(_derive(shared, sender, lid)).close(value)


def _derive(shared: bytes, sender: bytes, lid: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, salt=sender + lid, info=b"deidlab ray block").derive(shared)
