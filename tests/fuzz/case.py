"""One case under way: its generator, its sentinels, its room, what it did, and the rules that were broken."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from tests.fuzz.rules import is_allowed
from tests.fuzz.running import HUNG, KILLED, Outcome, Room
from tests.fuzz.sentinels import Sentinels

STATUSES = (0, 1, 2, 3, 130)
_BROKEN = (re.compile(rb"Traceback \(most"), re.compile(rb"internal error"), re.compile(rb"out of memory"))
_INTERNAL = re.compile(rb"internal error \((\w+(?: at [\w.<>]+:\d+)?)\)")


@dataclass(frozen=True)
class Breach:
    """A rule that was broken, and where; never what stood around it."""

    number: int
    what: str
    rule: str
    where: str

    def __str__(self) -> str:
        return f"case {self.number} ({self.what}): {self.rule} [{self.where}]"


@dataclass
class Case:
    """A case; `flags` say which rows of the rules apply."""

    number: int
    seed: int
    room: Room
    flags: set[str] = field(default_factory=set)
    did: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    random: Random = field(init=False)
    words: Sentinels = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"{self.seed}/{self.number}")
        self.words = Sentinels(f"{self.seed}/{self.number}/words")

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def tell(self, *what: str) -> None:
        self.did.extend(what)

    def breach(self, rule: str, where: str) -> None:
        if (rule, where) not in {(each.rule, each.where) for each in self.breaches}:
            self.breaches.append(Breach(self.number, ", ".join(self.did), rule, where))

    def judge(self, command: str, outcome: Outcome, statuses: Iterable[int] = STATUSES) -> None:
        """The streams and the status of a command."""
        self.commands.append(f"{command}: {outcome.status}")
        if outcome.status == HUNG:
            self.breach("no command hangs", command)
        elif outcome.status not in (*statuses, KILLED):
            self.breach(f"the exit status is documented, not {outcome.status}", command)
        for place, data in (("stdout", outcome.out), ("stderr", outcome.err)):
            self.look_at(place, data, f"{command}, {place}")

    def look_at(self, place: str, data: bytes | str, where: str) -> None:
        """No sentinel, no traceback, where none may stand."""
        for kind in sorted(self.words.found_in(data)):
            if not is_allowed(kind, place, frozenset(self.flags)):
                self.breach(f"no sentinel of kind {kind} in {place}", where)
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
        for pattern in _BROKEN:
            if pattern.search(raw):
                found = _INTERNAL.search(raw)
                self.breach(
                    f"no {pattern.pattern.decode()}", f"{where} {found[1].decode() if found else ''}".strip()
                )

    def judge_files(self) -> None:
        """Everything that was left on the disk."""
        for place, name, data in self.room.left():
            shown = re.sub(r"[a-z0-9]{25}", "PSEUDONYM", name) if place != "output" else "output file"
            self.look_at(place, data, f"{place}: {shown if not self.words.found_in(shown) else 'file'}")
            said = name if place not in ("failures", "restored") else ""
            self.look_at("name", said, f"name of a file: {place}")
