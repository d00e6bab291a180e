"""Made notes: the same for a seed, whole spans, known labels, one cast a patient."""

from __future__ import annotations

import hashlib
import random
import re
from itertools import islice

import pytest

from deidlab.errors import ConfigError
from deidlab.labels import load_label_set
from deidlab.make import make_notes
from deidlab.make.cast import Cast
from deidlab.make.layout import _BARE, _WHOLE, _bare_notes, _whole_notes, english, find_profile
from deidlab.make.notes import make_patient
from deidlab.make.pen import Pen
from deidlab.make.reading import own_text
from deidlab.make.whole import SLOT, case_of
from deidlab.types import Document


def digest(documents: list[Document]) -> str:
    found = hashlib.sha256()
    for document in documents:
        found.update(f"{document.id}{document.patient}{document.text}{document.spans}".encode())
    return found.hexdigest()[:16]


def test_same_seed_same_notes_and_another_seed_others() -> None:
    first = list(make_notes(40, 7, lift=True))
    assert digest(first) == digest(list(make_notes(40, 7, lift=True)))
    assert digest(first) != digest(list(make_notes(40, 8, lift=True)))


def test_notes_are_the_same_on_every_machine() -> None:
    # A change of grammar or lists changes these; a change of machine must not.
    assert digest(list(make_notes(30, 1))) == "f8ba0b991e511426"
    assert digest(list(make_notes(30, 1, lift=True))) == "f862e94d55dc9b8f"


@pytest.mark.parametrize("lift", [False, True])
def test_spans_are_whole_and_known(lift: bool) -> None:
    known = set(load_label_set("i2b2-2014").labels)
    for document in make_notes(150, 3, lift):
        end = 0
        for span in document.spans:
            text = document.text[span.start : span.end]
            assert span.label in known
            assert text == text.strip()
            assert span.start >= end
            end = span.end


def test_number_and_start() -> None:
    assert list(make_notes(0)) == []
    assert len(list(make_notes(17, 2))) == 17
    whole = [note for number in range(6) for note in make_patient(number, 5, find_profile("lift"))]
    assert whole == list(make_notes(len(whole), 5, lift=True))
    later = [note for note in whole if note.patient >= "p000003"]
    assert later == list(make_notes(len(later), 5, lift=True, first=3))
    with pytest.raises(ConfigError):
        next(make_notes(-1))


def test_a_patient_has_several_notes_with_the_same_numbers() -> None:
    by_patient: dict[str, list[set[str]]] = {}
    for note in make_notes(4000, 11, lift=True):
        marked = (note.text[s.start : s.end].lower() for s in note.spans if s.label == "MEDICALRECORD")
        numbers = {"".join(filter(str.isalnum, text)) for text in marked}
        by_patient.setdefault(note.patient, []).append(numbers)
    several = [notes for notes in by_patient.values() if sum(map(bool, notes)) > 1]
    agree = [set.intersection(*filter(None, notes)) for notes in several]
    assert len(several) > 20
    assert sum(map(bool, agree)) > 0.45 * len(several)


def test_notes_stream() -> None:
    assert len(list(islice(make_notes(10**9, 1), 3))) == 3


def test_many_forms_of_names() -> None:
    names = [
        note.text[span.start : span.end]
        for note in make_notes(1200, 4, lift=True)
        for span in note.spans
        if span.label in ("PATIENT", "DOCTOR")
    ]
    families = {name.split()[-1].lower() for name in names}
    assert len(families) > 0.3 * len(names)
    for form in ("-", "'", " de ", " van ", ", ", "^", "."):
        assert any(form in name for name in names), form
    assert any(" " not in name for name in names)
    assert any(name.islower() for name in names)
    assert any(name.isupper() for name in names)
    assert any("\n" in name for name in names)


def test_whole_notes_keep_their_authors_case() -> None:
    assert [case_of(text) for text in ("SEEN BY <doc>. OK", "seen by <doc.full>, ok", "Seen by <doc>")] == [
        "upper",
        "lower",
        "",
    ]


def test_every_whole_note_can_be_written_and_says_whom_it_is_about() -> None:
    bare = 0
    for number, note in enumerate(_whole_notes().all):
        pen = Pen(random.Random(number), Cast(f"whole/{number}"))
        note.write(pen)
        parts = pen.take()
        text = "".join(text for text, _ in parts)
        assert text.strip() and "<doc" not in text and "<pt" not in text, number
        bare += not any(label for _, label in parts)
    assert number > 300 and bare < 5


def test_no_date_or_year_is_typed_into_a_whole_note() -> None:
    month = "January|February|March|April|June|July|August|September|October|November|December"
    for name in (*_WHOLE, _BARE):
        typed = SLOT.sub("", own_text("grammar", name))
        assert not re.search(rf"\b(?:{month})\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", typed), name
        assert not re.search(r"\b(?:19|20)\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b", typed), name


def test_some_notes_are_a_few_lines_without_phi() -> None:
    notes = list(make_notes(1000, 12, lift=True))
    bare = [note for note in notes if note.meta["kind"] == "bare"]
    assert 0.04 * len(notes) < len(bare) < 0.09 * len(notes)
    assert not any(note.spans for note in bare)
    assert not any(note.meta["kind"] == "bare" for note in make_notes(300, 12))


def test_lines_without_phi_mark_none() -> None:
    grammar = english()
    for number, name in enumerate(n for n in grammar.names() if n.startswith("t.") or n == "s.terse"):
        for way_number, way in enumerate(grammar.ways(name)):
            write, pen = grammar.compile(way.text, name), Pen(random.Random(way_number), Cast(f"t/{number}"))
            for _ in range(3):
                write(pen)
            assert not any(label for _, label in pen.parts), way.text
            assert not re.search(r"[{}]", "".join(text for text, _ in pen.take())), way.text
    for number, note in enumerate(_bare_notes().all):
        pen = Pen(random.Random(number), Cast(f"bare/{number}"))
        note.write(pen)
        assert not any(label for _, label in pen.take()), number


def test_capitals_small_letters_and_scanning_errors_have_their_share() -> None:
    texts = [note.text for note in make_notes(2000, 13, lift=True)]
    assert sum(map(str.islower, texts)) > 0.08 * len(texts)
    assert sum(map(str.isupper, texts)) > 0.07 * len(texts)
