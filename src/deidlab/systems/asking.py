"""Notes and a system in, what it found in each out, with what failed, what it would not have read, and how
fast it was.

Every note is asked by itself, in the order in which it comes. A long one is cut for a system that has a
limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from deidlab.errors import DeidError
from deidlab.systems.contract import Answer, SystemFacts, SystemFailure
from deidlab.systems.cutting import count_within, cut_text, join_stretches
from deidlab.systems.opening import System
from deidlab.systems.recorded import RecordedSystem
from deidlab.types import Document, Span


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds from the start to the first answer, then for all notes, by the clock and of processors; how
    much text that was, and the most memory at any time. None and 0 are not known."""

    start_seconds: float | None = None
    seconds: float | None = None
    cpu_seconds: float = 0.0
    characters: int = 0
    peak_bytes: int = 0

    @property
    def characters_per_second(self) -> float | None:
        return self.characters / self.seconds if self.seconds and self.characters else None

    @property
    def characters_per_cpu_second(self) -> float | None:
        return self.characters / self.cpu_seconds if self.cpu_seconds and self.characters else None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a system found: `spans` by note, none where it failed; `failures` says why, by the note's id.

    `unread` has for each note the offset from which on the system would have read nothing by itself.
    """

    spans: tuple[tuple[Span, ...], ...]
    failures: dict[str, str]
    unread: dict[str, int]
    facts: SystemFacts
    speed: Speed = field(default_factory=Speed)


def ask_system(system: System | RecordedSystem, documents: Sequence[Document], warm: bool = True) -> Answers:
    """Ask about every note; with `warm` the first note is asked once before, so that what is built then
    counts as the start. The system is closed at the end, whatever happens."""
    began = time.monotonic()
    try:
        system.open()
        if isinstance(system, RecordedSystem):
            found = _Found()
            for document in documents:
                found.add(document, partial(system.find_document, document))
            return found.answers(system.facts, Speed())
        if warm and documents:
            _Found().add(documents[0], partial(ask_text, system, documents[0].text))
        started, before = time.monotonic(), system.usage
        found = _Found()
        for document in documents:
            found.add(document, partial(ask_text, system, document.text))
        seconds, after = time.monotonic() - started, system.usage
        read = sum(len(each.text) for each in documents if each.id not in found.failures)
        speed = Speed(
            started - began, seconds, max(0.0, after.cpu_seconds - before.cpu_seconds), read, after.peak_bytes
        )
        return found.answers(system.facts, speed)
    finally:
        system.close()


def ask_text(system: System, text: str) -> Answer:
    """What it finds in a text of any length."""
    facts = system.facts
    stretches = cut_text(text, facts.limit, facts.unit)
    if len(stretches) == 1:
        return _ask_whole(system, text)
    parts = [(each, system.find(text[each.start : each.end]).spans) for each in stretches]
    return Answer(join_stretches(parts), count_within(text, facts.limit, facts.unit))


def _ask_whole(system: System, text: str) -> Answer:
    """A program may tell of its limit only when it is first asked, and that may have been too much."""
    before = system.facts
    try:
        answer = system.find(text)
    except SystemFailure:
        if not _is_too_much(system, before, text):
            raise
    else:
        if not _is_too_much(system, before, text):
            return answer
    return ask_text(system, text)


def _is_too_much(system: System, before: SystemFacts, text: str) -> bool:
    now = system.facts
    return now != before and len(cut_text(text, now.limit, now.unit)) > 1


class _Found:
    """Answers as they come in."""

    def __init__(self) -> None:
        self._spans: list[tuple[Span, ...]] = []
        self.failures: dict[str, str] = {}
        self._unread: dict[str, int] = {}

    def add(self, document: Document, ask: Callable[[], Answer]) -> None:
        try:
            answer = ask()
        except SystemFailure as failure:
            self._spans.append(())
            self.failures[document.id] = failure.reason
            return
        except DeidError as error:
            self._spans.append(())
            self.failures[document.id] = str(error)
            return
        self._spans.append(answer.spans)
        if answer.read < len(document.text):
            self._unread[document.id] = answer.read

    def answers(self, facts: SystemFacts, speed: Speed) -> Answers:
        return Answers(tuple(self._spans), self.failures, self._unread, facts, speed)
