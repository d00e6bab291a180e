"""A run and its protocol in, the notes to read out: each masked note, its original, and what is suspect.

Suspect is what a second detector finds outside every replacement, and what was replaced in one place of the
note and stands in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from deidlab.detect.resolve import resolve
from deidlab.errors import ConfigError, CorpusError
from deidlab.labels import usual_group
from deidlab.report.audit.record import NoteFacts, RunRecord
from deidlab.report.audit.second import Finder, spans_outside
from deidlab.report.validation.protocol import Protocol, drawn_names
from deidlab.report.validation.strata import digest_note, digest_notes
from deidlab.types import Document, Span
from deidlab.web.reading_store import SampledNote
from deidlab.web.store_marks import find_mentions

_SHORTEST_WORD = 4
_ECHO = 0.9


def load_sample(
    record: RunRecord,
    protocol: Protocol,
    originals: Mapping[str, str],
    second: Finder | None,
    more: int = 0,
) -> list[SampledNote]:
    """The notes of the sample in the order of reading; the run must be the one that was planned for."""
    reserve = len(protocol.order) - protocol.planned
    if more > reserve:
        raise ConfigError(f"--more {more}: the protocol has {reserve} notes beyond those planned")
    digests, wanted = {}, dict(drawn_names(protocol, sorted(record.notes), more))
    if len(record.notes) == 1:
        wanted = dict(drawn_names(protocol, [next(record.documents())[0].id]))
    held: dict[str, tuple[Document, NoteFacts]] = {}
    for document, facts in record.documents():
        digests[document.id] = digest_note(document)
        if document.id in wanted:
            held[document.id] = document, facts
    if digest_notes(digests) != protocol.run["digest"]:
        raise ConfigError(
            "these are not the masked notes that the protocol was written for: plan anew for them"
        )
    return [_sampled(*held[name], stratum, originals, second) for name, stratum in wanted.items()]


def _sampled(
    document: Document, facts: NoteFacts, stratum: int, originals: Mapping[str, str], second: Finder | None
) -> SampledNote:
    original = originals.get(facts.document)
    if original is not None and len(original) != facts.characters:
        raise CorpusError(f"document {document.id}: its original is not the text that was masked")
    suspects: list[Span] = []
    if second is not None:
        (found,) = second.detect([document], with_words=False)
        suspects += spans_outside(found.spans, facts)
    if original is not None:
        suspects += _echoes(document.text, original, facts)
    clean = resolve(document.text, suspects, 0.0)
    masked = Document(document.id, document.patient, document.text)
    return SampledNote(masked, stratum, facts.places, tuple(clean), original, facts.spans)


def _echoes(text: str, original: str, facts: NoteFacts) -> Iterator[Span]:
    """Where the masked note still has what was replaced elsewhere in it."""
    found = {}
    for span in facts.spans:
        for mention in _mentions(original[span.start : span.end], span.label):
            for start, end in find_mentions(text, mention, re.IGNORECASE):
                found[start, end] = Span(start, end, span.label, _ECHO, "original")
    for place in sorted(found):
        yield from spans_outside([found[place]], facts)


def _mentions(text: str, label: str) -> Iterable[str]:
    words = [word for word in re.findall(r"\w+", text) if len(word) >= _SHORTEST_WORD]
    whole = [text] if len(text) >= _SHORTEST_WORD and re.search(r"\w", text) else []
    return dict.fromkeys([*whole, *(words if usual_group(label) == "NAME" else [])])
