"""A chain in; who stands for it, and until when, out.

An approval stands for all that came before it. What was added later, nobody has approved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from deidlab.errors import ConfigError
from deidlab.report.dossier.chain import APPROVAL, Entry


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved what came before `entry`, in which role, and the last day on which that holds."""

    entry: int
    name: str
    role: str
    given: str
    until: date


def read_approvals(entries: Sequence[Entry]) -> list[Approval]:
    """All of them, in order."""
    try:
        return [
            Approval(
                each.number, str(each.says["name"]), str(each.says["role"]), each.time[:10],
                date.fromisoformat(each.says["until"]),
            )
            for each in entries if each.kind == APPROVAL
        ]  # fmt: skip
    except (KeyError, TypeError, ValueError):
        raise ConfigError("an approval does not say by whom and until when") from None


def standing(entries: Sequence[Entry]) -> list[Approval]:
    """Those that stand for the whole, of each person the latest, be they expired or not."""
    last = max((each.number for each in entries if each.kind != APPROVAL), default=0)
    return list({each.name: each for each in read_approvals(entries) if each.entry > last}.values())


def lacks(entries: Sequence[Entry], today: date) -> Iterator[str]:
    """Why the dossier is not approved today."""
    found = standing(entries)
    if not found and read_approvals(entries):
        yield "what was added after the last approval, nobody has approved"
    elif not found:
        yield "nobody has approved it"
    for each in found:
        if each.until < today:
            yield f"the approval in entry {each.entry} expired on {each.until}"
