"""A corpus on disk in, every problem in it out, each with its place.

Nothing stops at the first problem: files that cannot be read are problems too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus.likeness import NearDuplicates
from deidlab.corpus.raw import BadDocument, Problem, RawDocument, find_problems, is_sound
from deidlab.encode.tags import OVERLAP, SAME_LENGTH_OVERLAP, spans_to_tags
from deidlab.errors import CorpusError
from deidlab.labels import LabelSet, is_shipped_label
from deidlab.types import Document, Span

UNREADABLE = "unreadable"
OVERLAPPING = "overlap"
UNKNOWN_TYPE = "unknown-type"
DUPLICATE_ID = "duplicate-id"
PATIENT_IN_TWO_PARTS = "patient-in-two-parts"
NOT_IN_SPLIT = "not-in-split"
NEAR_DUPLICATE = "near-duplicate"
BAD_TEXT = "bad-text"


@dataclass(slots=True)
class CheckReport:
    """What a check found."""

    documents: int = 0
    spans: int = 0
    misfits: int = 0
    labels: LabelSet | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def check_corpus(
    raws: Iterable[RawDocument | BadDocument],
    labels: LabelSet,
    part_of: Mapping[str, str] | None = None,
    likeness: float = 0.8,
) -> CheckReport:
    """Look at every document; parts, where given, are checked for patients and notes that they share."""
    report = CheckReport(labels=labels)
    across = _AcrossDocuments(part_of, likeness)
    for raw in raws:
        if isinstance(raw, BadDocument):
            report.problems.append(Problem(UNREADABLE, str(raw.path), raw.id or "?", raw.reason))
            continue
        report.documents += 1
        report.spans += len(raw.annotations)
        report.skipped.update(raw.skipped)
        report.problems += find_problems(raw)
        report.problems += across.look_at(raw)
        _check_tags(raw, labels, report)
    report.problems += across.what_is_missing()
    return report


def _check_tags(raw: RawDocument, labels: LabelSet, report: CheckReport) -> None:
    sound = [a for a in raw.annotations if is_sound(raw, a)]
    report.misfits += len(raw.annotations) - len(sound)
    try:
        spans = tuple(Span(a.start, a.end, a.label) for a in sound)
        document = Document(raw.id, raw.patient, raw.text, spans)
    except CorpusError as error:
        reason = str(error).removeprefix(f"document {raw.id}: ")
        report.problems.append(Problem(BAD_TEXT, str(raw.path), raw.id, reason))
        return
    problem = _problem_maker(raw)
    for misfit in spans_to_tags(document, labels).misfits:
        report.misfits += 1
        if misfit.reason in (OVERLAP, SAME_LENGTH_OVERLAP):
            shown = misfit.span.label if is_shipped_label(misfit.span.label) else "it"
            report.problems.append(problem(OVERLAPPING, f"{shown} {misfit.reason}", misfit.span))
        elif misfit.span.label in labels:
            # Sets such as meaney-2022 lack some tags of labels that they know.
            report.problems.append(problem(UNKNOWN_TYPE, misfit.reason, misfit.span))
    for span in document.spans:
        if span.label not in labels:
            # A type that is not ours may be a word of the note: its place is told, and not its name.
            shown = f"the type {span.label}" if is_shipped_label(span.label) else "its type"
            message = f"{shown} is not in the label set {labels.name}"
            report.problems.append(problem(UNKNOWN_TYPE, message, span))


def _problem_maker(raw: RawDocument) -> Callable[[str, str, Span], Problem]:
    def make(kind: str, message: str, span: Span) -> Problem:
        return Problem(kind, str(raw.path), raw.id, message, span.start, span.end)

    return make


class _AcrossDocuments:
    """What only shows when documents are seen together."""

    def __init__(self, part_of: Mapping[str, str] | None, likeness: float) -> None:
        self._first_seen: dict[str, Path] = {}
        self._part_of = part_of
        self._missing = set(part_of or ())
        self._patient_part: dict[str, str] = {}
        self._near = NearDuplicates(likeness) if part_of else None

    def look_at(self, raw: RawDocument) -> Iterator[Problem]:
        place = (str(raw.path), raw.id)
        if raw.id in self._first_seen:
            yield Problem(DUPLICATE_ID, *place, f"the id is taken already, by {self._first_seen[raw.id]}")
            return
        self._first_seen[raw.id] = raw.path
        if self._part_of is None or self._near is None:
            return
        self._missing.discard(raw.id)
        part = self._part_of.get(raw.id)
        if part is None:
            yield Problem(NOT_IN_SPLIT, *place, "the split's manifest does not name it")
            return
        patient = raw.patient or raw.id
        other = self._patient_part.setdefault(patient, part)
        if other != part:
            yield Problem(PATIENT_IN_TWO_PARTS, *place, f"its patient is in {part} and in {other}")
        for twin, twin_part, alike in self._near.add(raw.id, part, raw.text):
            message = (
                f"about {alike:.0%} alike to document {twin}: one is in {part}, the other in {twin_part}"
            )
            yield Problem(NEAR_DUPLICATE, *place, message)

    def what_is_missing(self) -> Iterator[Problem]:
        for document in sorted(self._missing):
            yield Problem(
                NOT_IN_SPLIT, "?", document, "the split's manifest names it, but it is not in the corpus"
            )
