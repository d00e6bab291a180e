"""JSON out of a container and into it again: numbers as they were written, members in their order.

What would be read differently by others is refused: members named twice, numbers that are none, deep nesting.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from deidlab.carriers.carrier import Refused

_DEEPEST = 64
# No text of a container has this character, so that a number is found again in what was written.
_MARK = "\0"
_MARKED = re.compile(r'"\\u0000([^"]*)"')


class Number(str):
    """A number, by the characters that it was written with."""

    __slots__ = ()


def read_json(content: bytes) -> dict[str, Any]:
    """The object that a container is; a reason that quotes nothing of it where it is none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"byte {error.start} is not UTF-8; convert the file first") from None
    if "\0" in text or "\\u0000" in text:
        raise Refused("it has a NUL; no text of such a record may")
    try:
        found = json.loads(
            text, parse_float=_number, parse_int=_number, parse_constant=_refuse_constant,
            object_pairs_hook=_members,
        )  # fmt: skip
        depth = _depth(found)
    except json.JSONDecodeError as error:
        raise Refused(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        depth = _DEEPEST + 1
    if depth > _DEEPEST:
        raise Refused(f"it is nested more than {_DEEPEST} deep")
    if not isinstance(found, dict):
        raise Refused("it is not a JSON object")
    return found


def write_json(record: dict[str, Any], indented: bool) -> str:
    """The text of a record."""
    layout: dict[str, Any] = {"indent": 2} if indented else {"separators": (",", ":")}
    return _MARKED.sub(r"\1", json.dumps(record, ensure_ascii=False, **layout))


def _number(written: str) -> Number:
    return Number(_MARK + written)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("an object has two members of the same name")
    return found


def _refuse_constant(written: str) -> NoReturn:
    raise Refused("it holds a number that JSON does not have, such as NaN")


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level and deepest <= _DEEPEST:
        deepest += 1
        level = [
            each
            for one in level
            for each in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
    return deepest


def number_text(value: Number) -> str:
    """The digits of a number."""
    return value.removeprefix(_MARK)


def to_number(digits: str) -> Number:
    """The mirror."""
    return _number(digits)
