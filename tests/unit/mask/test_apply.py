"""The only code that edits text: what it must never change, and that it can be undone."""

from __future__ import annotations

import itertools
import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab.errors import AlignmentError
from deidlab.mask import (
    Masker,
    MaskSettings,
    PatientState,
    load_policy,
    mask_notes,
    pack_facts,
    restore_text,
    unpack_facts,
)
from deidlab.mask.apply import apply, landings, move_spans, settle, undo
from deidlab.mask.keepmap import entry_of
from deidlab.mask.policy import known_policies
from deidlab.mask.styles import known_styles
from deidlab.types import Document, Span
from tests.strategies import any_texts, documents
from tests.unit.mask.notes import KEY

policies = st.sampled_from(known_policies())
styles = st.sampled_from(known_styles())


@given(documents(any_texts, overlapping=True), policies, styles)
@settings(max_examples=300, deadline=None)
def test_outside_replacements_the_text_is_identical(document, policy, style):
    masked = mask_notes([document], MaskSettings(load_policy(policy), style, KEY))[0]
    at = new_at = 0
    for (span, new), (start, end) in zip(masked.replacements, landings(masked.replacements), strict=True):
        assert document.text[at : span.start] == masked.text[new_at:start]
        assert masked.text[start:end] == new
        at, new_at = span.end, end
    assert document.text[at:] == masked.text[new_at:]


@given(documents(any_texts, overlapping=True), policies, styles)
@settings(max_examples=200, deadline=None)
def test_restore_undoes_mask(document, policy, style):
    masked = mask_notes([document], MaskSettings(load_policy(policy), style, KEY))[0]
    assert restore_text(masked.text, entry_of(document, masked)) == document.text


@given(documents(any_texts, overlapping=True))
@settings(max_examples=200, deadline=None)
def test_every_marked_character_is_covered(document):
    covered = {at for span in settle(document.spans) for at in range(span.start, span.end)}
    assert covered == {at for span in document.spans for at in range(span.start, span.end)}
    settled = settle(document.spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(settled))


@given(documents(any_texts, overlapping=True), styles)
@settings(max_examples=100, deadline=None)
def test_facts_hold_no_text_and_travel(document, style):
    masker = Masker(MaskSettings(style=style, key=KEY))
    facts = masker.facts(document)
    for fact in facts:
        assert fact.kind in {"name", "text", "place", "year", "old", "seat", "gender"}
        assert fact.label == "" or fact.label in {span.label for span in document.spans}
        assert isinstance(fact.mention, bytes) and isinstance(fact.group, bytes)
        assert all(
            isinstance(v, bytes) for part in fact.parts for v in (part.word, part.initial, part.profile)
        )
    assert unpack_facts(pack_facts(facts)) == facts == pickle.loads(pickle.dumps(facts))
    state = PatientState.from_facts(facts)
    again = pickle.loads(pickle.dumps(PatientState.from_bytes(state.to_bytes())))
    assert masker.mask(document, state) == masker.mask(document, again)


def test_a_sentinel_is_in_no_fact_and_in_no_repr():
    name = "Zyxwvut"
    document = Document("a", "p", f"seen {name}", (Span(5, 12, "PATIENT"),))
    masker = Masker(MaskSettings(style="surrogate", key=KEY))
    facts = masker.facts(document)
    state = PatientState.from_facts(facts)
    shown = repr(facts) + repr(state) + repr(masker.mask(document, state)) + pack_facts(facts).decode()
    assert name.lower() not in shown.lower()
    assert repr(KEY) not in repr(masker.settings)


def test_apply_refuses_spans_that_overlap_or_reach_past_the_text():
    with pytest.raises(AlignmentError):
        apply("abcdef", [(Span(0, 3, "X"), "-"), (Span(2, 4, "X"), "-")])
    with pytest.raises(AlignmentError):
        apply("abc", [(Span(1, 9, "X"), "-")])


def test_undo_is_the_mirror_of_apply():
    replacements = [(Span(0, 2, "A"), "longer"), (Span(2, 3, "B"), ""), (Span(5, 6, "A"), "x")]
    text = "abcdef"
    edited = apply(text, replacements)
    pieces = [
        (s, e, text[r.start : r.end])
        for (s, e), (r, _) in zip(landings(replacements), replacements, strict=True)
    ]
    assert edited == "longerdex"
    # An empty replacement has no stretch to stand on, so nothing in this package makes one.
    del pieces[1]
    assert undo("longerdex", pieces) == "abdef"


def test_kept_spans_move_with_the_text():
    text = "John came in 2064 with Ann"
    spans = (Span(0, 4, "PATIENT"), Span(13, 17, "DATE"), Span(23, 26, "DOCTOR"))
    masker = Masker(MaskSettings(load_policy("limited-dataset"), "tag", KEY))
    document = Document("a", "p", text, spans)
    masked = masker.mask(document, PatientState.from_facts(masker.facts(document)))
    moved = masker.masked_spans(masked, document)
    assert [masked.text[s.start : s.end] for s in moved] == ["[PATIENT-1]", "2064", "[DOCTOR-1]"]
    assert [s.label for s in masker.masked_spans(masked)] == ["PATIENT", "DOCTOR"]
    assert move_spans(spans, ()) == spans


def test_ten_thousand_spans_are_fast():
    labels = ("PATIENT", "DOCTOR", "DATE", "CITY", "PHONE", "USERNAME", "IDNUM", "HOSPITAL")
    words = [
        f"Na{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)} 3/{1 + i % 28}/2064"
        for i in range(10_000)
    ]
    text, spans = "", []
    for index, word in enumerate(words):
        spans.append(Span(len(text), len(text) + len(word), labels[index % len(labels)]))
        text += word + " "
    started = time.perf_counter()
    mask_notes([Document("a", "p", text, tuple(spans))], MaskSettings(style="surrogate", key=KEY))
    assert time.perf_counter() - started < 20


def test_a_span_that_was_not_in_the_facts_is_refused():
    from deidlab.errors import CorpusError

    masker = Masker(MaskSettings(key=KEY))
    document = Document("a", "p", "John", (Span(0, 4, "PATIENT"),))
    with pytest.raises(CorpusError, match="not in the patient's state") as error:
        masker.mask(document, PatientState.from_facts(()))
    assert "John" not in str(error.value)


@given(documents(any_texts, overlapping=True), styles)
@settings(max_examples=150, deadline=None)
def test_moved_annotations_stay_inside_the_masked_text(document, style):
    masker = Masker(MaskSettings(load_policy("limited-dataset"), style, KEY))
    masked = masker.mask(document, PatientState.from_facts(masker.facts(document)))
    for span in masker.masked_spans(masked, document):
        assert 0 <= span.start < span.end <= len(masked.text)
