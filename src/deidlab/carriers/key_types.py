"""The types that a key's column can be of, and how wide a code of each is.

A text of at most some characters has its width in its name: `text10`.
"""

from __future__ import annotations

UUID = "uuid"
NUMBERS = {"int2": 15, "int4": 31, "int8": 63}
"""The kinds of whole numbers, and their bits without the sign."""
PSEUDONYM = 25
"""The characters of a pseudonym: a column of text that holds fewer takes a shorter word."""
_WORD = "text"
_UUID_WIDTH = 36


def text_type(width: int) -> str:
    """The type of keys in a column of text of that width; 0 is any width."""
    return f"{_WORD}{width}" if 0 < width < PSEUDONYM else _WORD


def word_width(type: str) -> int:
    """The characters of a key in a narrow column of text; 0 for any other type."""
    return int(type.removeprefix(_WORD) or 0) if type.startswith(_WORD) else 0


def is_narrow(type: str) -> bool:
    """Whether a code of that type is a number or a short word, which must be told apart from others."""
    return type in NUMBERS or word_width(type) > 0


def widest(type: str) -> int:
    """The characters that a code of that type has at most."""
    if type in NUMBERS:
        return len(str(1 << NUMBERS[type]))
    return _UUID_WIDTH if type == UUID else word_width(type) or PSEUDONYM
