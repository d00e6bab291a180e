"""`--patient-from`: a pattern that finds the patient in a note's id, and that cannot run for ever.

Python's `re` tries every way in which repeats can share out a text, and lets no other thread run meanwhile
that could stop it. `^(a+)+$` takes hours on forty letters. So a pattern whose time can double with every
character (a repeat of something that may itself be taken in several ways) is refused before anything is
read. The time of any other grows with a power of the id's length, one higher with each repeat: the more of
them, the shorter the ids that are looked at (137 characters with four, 472 with three, thousands with fewer).
"""

from __future__ import annotations

import functools
import re
from typing import Any

from deidlab.errors import UsageError

_MOST_REPEATS = 4
# About a second of work.
_STEPS = 5e10
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern, with its one group; anything else is a UsageError."""
    try:
        compiled = re.compile(pattern)
        n_repeats = _repeats_of(pattern)
    except _TakesForEver:
        raise UsageError(
            "--patient-from: a repeat or a choice inside a repeat, as in (a+)+ or (a|b)+, can take for ever; "
            "write it without, such as [^_]+ or [ab]+"
        ) from None
    except (re.error, RecursionError, OverflowError):
        raise UsageError("--patient-from: not a regular expression") from None
    if n_repeats > _MOST_REPEATS:
        raise UsageError(
            f"--patient-from: more than {_MOST_REPEATS} repeats (+, *, ?, {{m,n}}) can take very long"
        )
    if compiled.groups != 1:
        raise UsageError(f"--patient-from: one group in brackets is expected, not {compiled.groups}")
    return compiled


def find_patient(pattern: re.Pattern[str], document_id: str) -> str | None:
    """What the group matches in an id; None where it matches nothing, or the id is too long to look at."""
    if len(document_id) > longest_id(pattern.pattern):
        return None
    match = pattern.search(document_id)
    return match.group(1) or None if match else None


@functools.cache
def longest_id(pattern: str) -> int:
    """The most characters that the pattern gets through in about a second, at worst."""
    return int(_STEPS ** (1 / (1 + _repeats_of(pattern))))


def _repeats_of(pattern: str) -> int:
    return _count_repeats(re._parser.parse(pattern), inside=False)  # type: ignore[attr-defined]


class _TakesForEver(Exception):
    pass


def _count_repeats(node: Any, inside: bool) -> int:
    """The repeats of a parsed pattern that can match several lengths; one inside another raises."""
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in _REPEATS:
        least, most, body = node[1]
        varies = least != most
        if varies and inside:
            raise _TakesForEver
        return _count_repeats(body, inside or most > 1) + int(varies)
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) == "BRANCH" and inside:
        raise _TakesForEver
    if isinstance(node, tuple | list) or hasattr(node, "data"):
        return sum(_count_repeats(each, inside) for each in getattr(node, "data", node))
    return 0
