"""What several systems found in a note in, one answer out: the same for whoever measures and whoever masks.

    each system's spans -> native labels -> union, vote or mean -> clean spans

What a label is called natively depends on the label and on what its system tells of itself, never on other
notes: a run that is cut into parts, and a comparison of the whole, name alike.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from deidlab.detect.answers import Answer
from deidlab.detect.detector import Detector, make_detector
from deidlab.detect.ensemble import combine
from deidlab.detect.resolve import resolve
from deidlab.detect.settings import DetectorSettings
from deidlab.errors import ConfigError, DeidError, ModelError
from deidlab.labels import load_label_set
from deidlab.systems.asking import ask_text
from deidlab.systems.contract import SystemFacts, SystemFailure
from deidlab.systems.members import Member
from deidlab.systems.naming import GROUPS, NATIVE, find_naming
from deidlab.systems.opening import System, make_system
from deidlab.systems.process import Limits
from deidlab.systems.recorded import RecordedSystem
from deidlab.types import Document, Span

_UNKNOWN = "OTHER"


def find_together(text: str, said: Sequence[Sequence[Span]], how: str) -> tuple[Span, ...]:
    """The clean spans of all systems as one; a system alone keeps its own wherever they do not overlap."""
    if len(said) > 1:
        return resolve(text, combine(said, how))
    own = tuple(sorted(said[0], key=lambda span: (span.start, span.end)))
    if all(left.end <= right.start for left, right in pairwise(own)):
        return own
    return resolve(text, own, 0.0)


def name_natively(spans: Iterable[Span], facts: SystemFacts, rows: Mapping[str, str]) -> tuple[Span, ...]:
    """The spans in native labels: by a person's own rows, else as the maps say; what nobody knows is OTHER,
    and what is no PHI is left out."""
    return tuple(
        replace(each, label=name)
        for each in spans
        if (name := rows[each.label] if each.label in rows else _native_name(each.label, facts))
    )


def _native_name(label: str, facts: SystemFacts) -> str:
    return _look_up(label, facts.labels, facts.scheme)


@cache
def _look_up(label: str, others: tuple[str, ...], scheme: str) -> str:
    return native_names(sorted({label, *others}), scheme)[label]


def native_names(labels: Sequence[str], scheme: str = "") -> dict[str, str]:
    """What each label is called natively: as its own map says, or by its group; what nobody knows is
    OTHER."""
    direct = find_naming(labels, NATIVE, scheme)
    if not direct.missing:
        return dict(direct.names)
    grouped, native = find_naming(labels, GROUPS, scheme), find_naming(load_label_set(GROUPS).labels, NATIVE)
    names = {}
    for label in labels:
        group = grouped.names.get(label)
        names[label] = _UNKNOWN if group is None else native.names.get(group, "")
    return names | dict(direct.names)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A member that is open."""

    member: Member
    system: System | RecordedSystem

    def find(self, document: Document) -> tuple[Span, ...]:
        try:
            if isinstance(self.system, RecordedSystem):
                answer = self.system.find_document(document)
            else:
                answer = ask_text(self.system, document.text)
        except SystemFailure as failure:
            raise ModelError(f"{self.member.spec.name} {failure.reason}") from None
        return name_natively(answer.spans, self.system.facts, dict(self.member.names))


class Together:
    """Systems that answer as one model; a note that one of them fails on fails."""

    own_threshold: float | None = None

    def __init__(self, members: Sequence[_Asked], how: str, language: str = "") -> None:
        self._members, self._how, self.language = tuple(members), how, language
        # A system that does not end when its input does would outlive whoever asked it.
        weakref.finalize(self, _close, self._members)

    @property
    def tags(self) -> tuple[str, ...]:
        return load_label_set(NATIVE).tags

    def predict(self, documents: Sequence[Document]) -> list[Answer]:
        return [(self._find(document), ()) for document in documents]

    def _find(self, document: Document) -> tuple[Span, ...]:
        return find_together(document.text, [each.find(document) for each in self._members], self._how)


def load_together(
    members: Sequence[Member], settings: DetectorSettings, limits: Limits, hosts: tuple[str, ...] = ()
) -> Detector:
    """A detector whose spans are those of the systems, with what is known for certain beside them; all
    systems are started here, and one that does not start ends the run."""
    opened: list[_Asked] = []
    try:
        for each in members:
            opened.append(_Asked(each, make_system(each.spec, limits, hosts)))
            _open(opened[-1])
    except BaseException:
        _close(opened)
        raise
    together = Together(opened, settings.how, settings.language)
    return replace(make_detector(together, replace(settings, rules="off")), final=True)


def _open(asked: _Asked) -> None:
    name = asked.member.spec.name
    try:
        asked.system.open()
    except SystemFailure as failure:
        raise ConfigError(f"{name} did not start: it {failure.reason}") from None
    except DeidError as error:
        raise ConfigError(f"{name} did not start: {error}") from None


def _close(members: Sequence[_Asked]) -> None:
    for each in members:
        each.system.close()
