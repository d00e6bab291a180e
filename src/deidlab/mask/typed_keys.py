"""A key in, another of the same type out: a number for a number, so that joins and types of columns hold.

Keyed, a number is permuted under the secret by a Feistel network, so no two become one and nothing is stored;
its top bit is turned, so that of keys that count up from 1 none becomes the key of another. How codes are
drawn instead stands in `drawn.py`.
"""

from __future__ import annotations

import base64
import uuid

from deidlab.carriers.key_types import NUMBERS
from deidlab.errors import CorpusError
from deidlab.mask.keys import Keyring

_ROUNDS = 10


def read_number(written: str, kind: str) -> int:
    """The number that a key is; raises, without quoting it, where it is none of its kind."""
    try:
        number = int(written)
    except ValueError:
        raise CorpusError("a key is no whole number, as its column's type says") from None
    if str(number) != written:
        raise CorpusError("a key is written otherwise than as a plain number: give its column the type text")
    if abs(number) >= 1 << NUMBERS[kind]:
        raise CorpusError("a key is too large for its column's type")
    return number


def number_code(keyring: Keyring, space: str, written: str, kind: str) -> str:
    """The number that stands for this one in a space of keys, of the same kind and sign."""
    bits, number = NUMBERS[kind], read_number(written, kind)
    half, half_bits = 1 << (bits - 1) // 2, (bits - 1) // 2
    low = abs(number) & (1 << (bits - 1)) - 1
    left, right = low >> half_bits, low & half - 1
    top = abs(number) >> (bits - 1)
    for step in range(_ROUNDS):
        mixed = keyring.number("ids", "number", space, bits, top, step, right)
        left, right = right, left ^ mixed & half - 1
    code = (1 - top) << (bits - 1) | left << half_bits | right
    return str(-code if number < 0 else code)


def uuid_code(pseudonym: str) -> str:
    """The pseudonym of a key as a random UUID has it."""
    made = base64.b32decode(pseudonym[1:].upper())
    return str(uuid.UUID(bytes=made + made[:1], version=4))
