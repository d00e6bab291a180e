"""A key file in; signatures of what was written, and whether one holds, out.

The signing key is made from the file's secret for this use alone (Ed25519), so that any file that
`deidlab key new` writes can sign, and what is signed tells nothing of what else the secret decides.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.mask.keys import KeyFile, read_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_USE = b"deidlab dossier signing"


@dataclass(frozen=True, slots=True)
class Signer:
    """Whoever holds a key file; `public` is the key that others check with, in hex."""

    _key: Ed25519PrivateKey = field(repr=False)
    public: str
    warning: str | None = None

    def sign(self, use: str, data: bytes) -> str:
        return self._key.sign(_framed(use, data)).hex()


def read_signer(path: Path) -> Signer:
    """The signer of a key file; `warning` is what its owner should hear."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    read: KeyFile = read_key(path)
    key = Ed25519PrivateKey.from_private_bytes(hmac.digest(read.key, _USE, "sha256"))
    return Signer(key, key.public_key().public_bytes_raw().hex(), read.warning)


def is_signed(use: str, data: bytes, public: str, signature: str) -> bool:
    """Whether the signature is that of the key's holder; hex that is not written as we write it is none."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key, signed = bytes.fromhex(public), bytes.fromhex(signature)
        if (key.hex(), signed.hex()) != (public, signature):
            return False
        Ed25519PublicKey.from_public_bytes(key).verify(signed, _framed(use, data))
    except (ValueError, InvalidSignature):
        return False
    return True


def _framed(use: str, data: bytes) -> bytes:
    """What is signed for one use is no signature for another."""
    return f"deidlab {use}\0".encode() + data
