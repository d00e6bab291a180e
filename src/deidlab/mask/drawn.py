"""What is drawn for a name: 32 random bytes, or the code of a key as its column's type holds it.

Such a code is a number or a short word, which alone could come twice: whoever draws it shows what is taken.
It stands behind the mark of its space, the columns that hold the same keys, so that it is unique in there.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Container, Iterable, Iterator

from deidlab.carriers.key_types import NUMBERS, word_width
from deidlab.errors import CorpusError

Name = tuple[str, bytes]
"""What is drawn for: a kind of `KINDS`, with type and space for a typed key, and the digest of a value."""

KINDS = {"patient": b"p", "document": b"d", "key": b"k", "typed": b"t"}
SECRET_BYTES = 32
SPACE_BYTES = 8
TYPED = "typed"
_FIRST, _LETTERS = "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789"
_TRIES = 256
# Of so many they can all be gone through.
_FEW = 1 << 16
_CHANCE = random.SystemRandom()


def typed_name(type: str, space: bytes, digest: bytes) -> Name:
    """The name of a key of that type in that space."""
    return f"{TYPED} {type} {space[:SPACE_BYTES].hex()}", digest


def kept_name(name: Name) -> Name:
    """The name under which what was drawn is kept, whatever the type of its column is this time."""
    return name[0].partition(" ")[0], name[1]


def other_name(name: Name) -> Name | None:
    """The name that the same key would have, were its column typed where it is not or the other way."""
    kind, digest = kept_name(name)
    other = {"key": TYPED, TYPED: "key"}.get(kind)
    return None if other is None else (other, digest)


def _draw_for(name: Name, taken: Container[bytes]) -> bytes:
    """What stands for that name from now on; of typed keys nothing that is taken."""
    kind, _, rest = name[0].partition(" ")
    if kind != TYPED:
        return secrets.token_bytes(SECRET_BYTES)
    type, _, space = rest.partition(" ")
    for code in _codes(type):
        drawn = bytes.fromhex(space) + code.encode().ljust(SECRET_BYTES - SPACE_BYTES, b"\0")
        if drawn not in taken:
            return drawn
    raise CorpusError(f"there are more keys than codes of their columns' type ({type}); take a wider type")


def draw_all(names: Iterable[Name], taken: set[bytes]) -> dict[Name, bytes]:
    """What stands for each of these, by the names that it is kept under; codes of keys become taken."""
    drawn: dict[Name, bytes] = {}
    for name in names:
        own = _draw_for(name, taken)
        drawn[kept_name(name)] = own
        if name[0].startswith(TYPED):
            taken.add(own)
    return drawn


def check_fits(name: Name, drawn: bytes) -> None:
    """Raise where what was drawn once is no code for the type that the key's column has now."""
    kind, _, rest = name[0].partition(" ")
    if kind == TYPED and not _holds(rest.partition(" ")[0], code_of(drawn)):
        raise other_type()


def other_type() -> CorpusError:
    return CorpusError(
        "the crosswalk keeps codes for keys of another type than their columns have now; give them in the "
        "plan the type and width that they had"
    )


def code_of(drawn: bytes) -> str:
    """The code of a typed key."""
    return drawn[SPACE_BYTES:].rstrip(b"\0").decode("ascii")


def _holds(type: str, code: str) -> bool:
    if type in NUMBERS:
        return code.isdecimal() and int(code) < 1 << NUMBERS[type]
    return len(code) <= word_width(type)


def _codes(type: str) -> Iterator[str]:
    """One after another by chance; where few are left, each that there is."""
    if type in NUMBERS:
        half = 1 << NUMBERS[type] - 1
        # Keys count up from 1: in the upper half of the numbers no code is the key of another.
        yield from (str(half + secrets.randbelow(half)) for _ in range(_TRIES))
        n = 2 * half - 1
    else:
        n = len(_FIRST) * len(_LETTERS) ** (word_width(type) - 1)
    yield from (_code(type, secrets.randbelow(n)) for _ in range(_TRIES))
    if n <= _FEW:
        yield from (_code(type, place) for place in _CHANCE.sample(range(n), n))


def _code(type: str, place: int) -> str:
    """Of all codes of that type the one at that place."""
    if type in NUMBERS:
        return str(place + 1)
    place, first = divmod(place, len(_FIRST))
    code = _FIRST[first]
    while len(code) < word_width(type):
        place, letter = divmod(place, len(_LETTERS))
        code += _LETTERS[letter]
    return code
