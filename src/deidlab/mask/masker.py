"""Documents with spans in, masked documents out: policy, style and key put to work.

Two passes: `facts` of every note, then, with the `PatientState` of all notes of a patient, `mask`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable

from deidlab.errors import CorpusError
from deidlab.mask.apply import apply, landings, move_spans, settle
from deidlab.mask.collect import collect, seat_facts
from deidlab.mask.facts import Fact, mention_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.policy import Row
from deidlab.mask.reduce import reduce_span
from deidlab.mask.settings import MaskSettings
from deidlab.mask.state import PatientState
from deidlab.mask.styles import redact, tag
from deidlab.mask.surrogate import NoteSurrogates, PatientPlan
from deidlab.types import Document, MaskedDocument, Span


class Masker:
    """Masks notes by its settings; the same settings and notes of a patient give the same text anywhere."""

    def __init__(self, settings: MaskSettings) -> None:
        self.settings = settings
        self._keyring = Keyring(settings.key)
        self._keeps_state = settings.policy.row("STATE").action == "keep"
        self._plan: tuple[PatientState, str, PatientPlan] | None = None

    def masked_part(self, document: Document) -> tuple[Span, ...]:
        """The spans that the policy changes, disjoint and in order."""
        return settle(span for span in document.spans if self.settings.policy.masks(span))

    def facts(self, document: Document) -> tuple[Fact, ...]:
        """What the second pass must know of this note: keyed digests, no text."""
        spans = self.masked_part(document)
        patient, text = document.patient, document.text
        facts: dict[Fact, None] = {}
        for span in spans:
            written = text[span.start : span.end]
            facts.update(
                dict.fromkeys(collect(self._keyring, patient, written, span, self.settings.language))
            )
        facts.update(dict.fromkeys(seat_facts(self._keyring, patient, text, settle(document.spans))))
        return tuple(facts)

    def mask(self, document: Document, state: PatientState) -> MaskedDocument:
        """The note with every span of the policy replaced; all else stays as it was."""
        spans = self.masked_part(document)
        plan = self._plan_of(document.patient, state)
        note = NoteSurrogates(plan, document.text, spans, self.settings.day_first)
        replacements = []
        for span in spans:
            written = document.text[span.start : span.end]
            number = self._number(document, state, span, written)
            replacements.append((span, self._replace(span, written, number, note, plan)))
        return MaskedDocument(document.id, apply(document.text, replacements), tuple(replacements))

    def pseudonym(self, kind: str, id: str) -> str:
        """A keyed name for a document's or patient's id, fit for a file name."""
        digest = self._keyring.digest("ids", "pseudonym", kind, id)
        return kind[:1].lower() + base64.b32encode(digest[:15]).decode("ascii").lower()

    def masked_spans(self, masked: MaskedDocument, document: Document | None = None) -> tuple[Span, ...]:
        """The annotations with offsets in the masked text; given the document, those that stay too."""
        if document is None:
            places = landings(masked.replacements)
            return tuple(
                Span(start, end, span.label, span.score, span.source)
                for (start, end), (span, _) in zip(places, masked.replacements, strict=True)
            )
        kept = [span for span in document.spans if not self.settings.policy.masks(span)]
        moved = move_spans(kept, masked.replacements)
        return tuple(sorted((*moved, *self.masked_spans(masked)), key=lambda s: (s.start, s.end, s.label)))

    def _replace(self, span: Span, written: str, number: int, note: NoteSurrogates, plan: PatientPlan) -> str:
        row = self.settings.policy.row(span.label)
        style = row.style or self.settings.style
        if row.action != "mask":
            reduced = reduce_span(row.action, written, note.before(span), plan, self.settings.day_first)
            if reduced is not None:
                return reduced
            return self._plain(row, span, written, None if style == "surrogate" else number)
        if style == "surrogate":
            return note.replace(span, written)
        return self._plain(row, span, written, number)

    def _plain(self, row: Row, span: Span, written: str, number: int | None) -> str:
        style = row.style or self.settings.style
        if style == "redact":
            return redact(written, self.settings.redact_mark)
        return tag(span.label, number)

    def _number(self, document: Document, state: PatientState, span: Span, written: str) -> int:
        key = (span.label, mention_digest(self._keyring, document.patient, written))
        try:
            return state.numbers[key]
        except KeyError:
            raise CorpusError(
                f"document {document.id}: span {span.start}–{span.end} is not in the patient's state; "
                "collect the facts of every note, with the same key, before masking"
            ) from None

    def _plan_of(self, patient: str, state: PatientState) -> PatientPlan:
        """The plan of the last patient is kept: notes of a patient come in a row."""
        if self._plan is None or self._plan[0] is not state or self._plan[1] != patient:
            self._plan = (
                state,
                patient,
                PatientPlan(self._keyring, patient, state, self._keeps_state, self.settings.language),
            )
        return self._plan[2]


def mask_notes(documents: Iterable[Document], settings: MaskSettings) -> list[MaskedDocument]:
    """Mask notes of any patients at once, both passes inside; the results are in the order of the notes."""
    notes = list(documents)
    masker = Masker(settings)
    by_patient: dict[str, list[Document]] = {}
    for note in notes:
        by_patient.setdefault(note.patient, []).append(note)
    states = {
        patient: PatientState.from_facts(masker.facts(note) for note in sorted(theirs, key=lambda n: n.id))
        for patient, theirs in by_patient.items()
    }
    return [masker.mask(note, states[note.patient]) for note in notes]
