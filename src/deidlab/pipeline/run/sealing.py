"""The secret in; keyed digests, sealed bytes and a fingerprint out: all that the state on disk may hold.

Each use has a key of its own, made from the secret with HMAC, so that no two uses can be compared.
"""

from __future__ import annotations

import hmac
import os

_DIGEST_BYTES = 16
_NONCE_BYTES = 12


class Seal:
    """Digests and seals under one secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def __reduce__(self) -> tuple[type[Seal], tuple[bytes]]:
        return Seal, (self._secret,)

    def digest(self, use: str, value: str | bytes) -> bytes:
        """Tells equal values from others, and nothing more."""
        data = value.encode() if isinstance(value, str) else value
        return hmac.digest(self._key(f"digest {use}"), data, "sha256")[:_DIGEST_BYTES]

    def close(self, data: bytes) -> bytes:
        """The data so that only the holder of the secret can read it."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self._key("seal")).encrypt(nonce, data, None)

    def open(self, sealed: bytes) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._key("seal")).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)

    def fingerprint(self) -> str:
        """Tells whether two runs had the same secret; it does not help to find it."""
        return self._key("fingerprint")[:8].hex()

    def _key(self, use: str) -> bytes:
        return hmac.digest(self._secret, f"deidlab pipeline {use}".encode(), "sha256")
