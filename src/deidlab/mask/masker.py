"""Documents with spans in, masked documents out: policy, style and key put to work.

Two passes: `facts` of every note, then, with the `PatientState` of all notes of a patient, `mask`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deidlab import languages
from deidlab.carriers import KEY, split_label
from deidlab.errors import CorpusError
from deidlab.labels import language_of_label
from deidlab.languages.language import Language
from deidlab.mask.apply import apply, give_way, landings, move_spans, settle
from deidlab.mask.base_labels import base_label
from deidlab.mask.cells import fill_cell
from deidlab.mask.codes import Codes, InMemory, KeyedCodes, RandomCodes
from deidlab.mask.collect import NAMES, collect, patient_fact, seat_facts, spoken_in
from deidlab.mask.facts import Fact, mention_digest
from deidlab.mask.genders import gender_before
from deidlab.mask.keys import Keyring
from deidlab.mask.mention import Mention, NoteContext, Reading
from deidlab.mask.plan import PatientPlan
from deidlab.mask.policy import Row
from deidlab.mask.reduce import reduce_span
from deidlab.mask.settings import MaskSettings
from deidlab.mask.state import PatientState
from deidlab.mask.style import Style
from deidlab.mask.styles import find_style
from deidlab.types import Document, MaskedDocument, Span

# No word that a surrogate is joined to is longer.
_JOINT = 12


class Masker:
    """Masks notes by its settings; the same settings and notes of a patient give the same text anywhere."""

    def __init__(self, settings: MaskSettings, codes: Codes | None = None) -> None:
        self.settings = settings
        self.codes = codes or codes_of(settings)
        self._keyring = Keyring(settings.key)
        self._keeps_state = settings.policy.row("STATE").action == "keep"
        # Whether each note tells its own language.
        self._tells = languages.JOINT in settings.language
        self._plan: tuple[PatientState, str, PatientPlan] | None = None

    def masked_part(self, document: Document) -> tuple[Span, ...]:
        """The spans that the policy changes, disjoint and in order."""
        return settle(self._marked(document), self._rank)

    def _marked(self, document: Document) -> list[Span]:
        return [span for span in document.spans if self.settings.policy.masks(span)]

    def _rank(self, span: Span) -> int:
        """Where spans overlap, one that is masked outright decides before one of which something may stay."""
        row = self.settings.policy.row(span.label)
        stays = self._style(row).is_realistic and base_label(span.label) == "AGE"
        return int(row.action == "mask" and not stays)

    def facts(self, document: Document) -> tuple[Fact, ...]:
        """What the second pass must know of this note: keyed digests, no text."""
        spans = self.masked_part(document)
        patient, text = document.patient, document.text
        language = self._language_in(text)
        facts: dict[Fact, None] = {}
        for span in spans:
            written = text[span.start : span.end]
            told = gender_before(text, span.start, spoken_in(span.label, language))
            facts.update(dict.fromkeys(collect(self._keyring, patient, written, span, language, told)))
        facts.update(
            dict.fromkeys(seat_facts(self._keyring, patient, text, settle(document.spans), language))
        )
        spoken = _language_of(spans, language)
        facts.update(dict.fromkeys(patient_fact(self._keyring, patient, text, spoken)))
        if self._tells and spans and languages.JOINT not in language:
            facts[Fact("language", language, b"")] = None
        return tuple(facts)

    def _language_in(self, text: str) -> str:
        """The code of the language of a note; of several where its text does not tell."""
        return languages.in_note(self.settings.language, text).code if self._tells else self.settings.language

    def _day_first(self, language: str) -> bool:
        return self.settings.day_first or (self._tells and languages.of(language).day_first)

    def mask(self, document: Document, state: PatientState) -> MaskedDocument:
        """The note with every span of the policy replaced; all else stays as it was."""
        spans = self.masked_part(document)
        plan = self._plan_of(document.patient, state)
        language = self._language_in(document.text)
        read = Reading(language, self._day_first(language), self.settings.redact_mark)
        note = NoteContext(plan, document.text, spans, read)
        replacements: list[tuple[Span, str]] = []
        for span, others in zip(spans, give_way(spans, self._marked(document)), strict=True):
            written = document.text[span.start : span.end]
            number = self._number(document, state, span, written)
            mention = Mention(note, span, written, number)
            new = self._replace_all(mention, others) if others else self._replace(mention)
            done = replacements[-1][0].end if replacements else 0
            replacements.append(self._joined(document.text, span, new, done, language))
        return MaskedDocument(document.id, apply(document.text, replacements), tuple(replacements))

    def pseudonym(self, kind: str, id: str) -> str:
        """A code for the id of a document, a patient or a linked record, fit for a file name."""
        return self.codes.code(kind, id)

    def coded(self, document: Document) -> Iterator[tuple[str, str]]:
        """All of a note for which there is a code: kinds and values; a key's kind is its field's label."""
        yield "patient", document.patient
        yield "document", document.id
        keys = (span for span in self.masked_part(document) if split_label(span.label)[0] == KEY)
        yield from ((span.label, document.text[span.start : span.end]) for span in keys)

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

    @property
    def _caps_ages(self) -> bool:
        """Whether an age over 89 must not be told, nor a year of birth that tells it."""
        return self.settings.policy.row("AGE").action != "keep"

    def _style(self, row: Row) -> Style:
        return find_style(row.style or self.settings.style)

    def _replace(self, mention: Mention) -> str:
        label, kind, _ = split_label(mention.span.label)
        if label == KEY:
            return self.codes.key(mention.span.label, mention.text)
        row = self.settings.policy.row(mention.span.label)
        if kind:
            return fill_cell(kind, mention.text, mention.plan, row.action, self._caps_ages)
        style = self._style(row)
        if row.action == "mask":
            return style.write(mention)
        before = mention.note.before(mention.span)
        reduced = reduce_span(row.action, mention.text, before, mention.note)
        return style.write_plain(mention) if reduced is None else reduced

    def _replace_all(self, mention: Mention, others: list[Span]) -> str:
        """A span that others gave way to: what its label would let stay may be what the others are about."""
        span, row = mention.span, self.settings.policy.row(mention.span.label)
        style = self._style(row)
        if not style.is_realistic:
            return style.write(mention)
        new = style.write(mention) if row.action == "mask" else ""
        names = all(base_label(each.label) in NAMES for each in (span, *others))
        return new if new and (names or not mention.note.leaves(others, new)) else style.write_plain(mention)

    def _joined(self, text: str, span: Span, new: str, done: int, language: str) -> tuple[Span, str]:
        """The replacement, with the end of what stands before a surrogate where the language changes it."""
        if not self._style(self.settings.policy.row(span.label)).is_realistic or not new[:1].isalpha():
            return span, new
        before = text[max(done, span.start - _JOINT) : span.start]
        gone, instead = spoken_in(span.label, language).join(before, new)
        if not gone:
            return span, new
        return replace(span, start=span.start - gone), instead + new

    def _number(self, document: Document, state: PatientState, span: Span, written: str) -> int:
        if split_label(span.label)[1]:
            return 0
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
            language = state.language or self.settings.language
            plan = PatientPlan(self.codes.keyring(patient), patient, state, self._keeps_state, language)
            self._plan = (state, patient, plan)
        return self._plan[2]


def codes_of(settings: MaskSettings) -> Codes:
    """The codes that the settings ask for: keyed, or drawn into their crosswalk or into memory."""
    if settings.draws:
        return RandomCodes(settings.key, settings.crosswalk or InMemory())
    return KeyedCodes(settings.key)


def _language_of(spans: Sequence[Span], language: str) -> Language:
    """The language of a note: what one of its labels tells, else that of the notes where it has PHI."""
    told = (spoken_in(span.label) for span in spans if language_of_label(span.label))
    return next(told, None) or languages.of(language if spans else languages.FIRST)


def mask_notes(
    documents: Iterable[Document], settings: MaskSettings, codes: Codes | None = None
) -> list[MaskedDocument]:
    """Mask notes of any patients at once, both passes inside; the results are in the order of the notes."""
    notes = list(documents)
    masker = Masker(settings, codes)
    by_patient: dict[str, list[Document]] = {}
    masker.codes.expect(("patient", note.patient) for note in notes)
    for note in notes:
        by_patient.setdefault(note.patient, []).append(note)
    states = {
        patient: PatientState.from_facts(masker.facts(note) for note in sorted(theirs, key=lambda n: n.id))
        for patient, theirs in by_patient.items()
    }
    return [masker.mask(note, states[note.patient]) for note in notes]
