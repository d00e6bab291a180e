"""Text that others masked, filled again: masks of many tools, phrases beside which PHI stands, dates that stay."""

from __future__ import annotations

import pytest

from deidlab.errors import ConfigError
from deidlab.make.base import fill_notes, read_notes
from deidlab.make.masks import read_base
from deidlab.types import Document


def slots_of(text: str) -> list[str]:
    note = read_base(Document(id="n", text=text), None)
    return [
        becomes for sentence in note.sentences for _, becomes, share in sentence if becomes and share == 1.0
    ]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Mr. [**Last Name**] is well.", "<pt.family>"),
        ("Seen at [**Hospital 12**].", "<hosp>"),
        ("Admitted [**2101-3-4**].", "<dt>"),
        ("Call [**Telephone/Fax 31**].", "<fax>"),
        ("[NAME] was seen.", "<pt.full>"),
        ("A letter of {{date}}.", "<dt>"),
        ("Dr. X agrees.", "<doc.family>"),
        ("Follow up with Dr. Y.", "<doc.family>"),
        ("Mr. ABC is well.", "<pt.family>"),
        ("Taken to XYZ Hospital today.", "<hosp>"),
        ("Seen at ABCD General Hospital.", "<hosp>"),
        ("Discharged on ___.", "<dt.recent>"),
        ("Transferred from XXXX.", "<hosp>"),
        ("Date: mm/dd/yyyy", "<dt>"),
        ("A ___-year-old man.", "<age>"),
    ],
)
def test_masks_become_slots(text: str, slot: str) -> None:
    assert slot in slots_of(text)


@pytest.mark.parametrize(
    "text", ["MRI of the brain.", "BP 120/80, no edema.", "X-ray of the chest.", "Factor XIII"]
)
def test_clinical_text_stays(text: str) -> None:
    assert slots_of(text) == []


def fill(text: str, n: int = 20, lift: bool = False) -> list[Document]:
    return list(fill_notes(list(read_notes([Document(id="n", text=text)])), n, 3, lift))


def test_filled_notes_keep_the_rest_and_mark_what_is_new() -> None:
    notes = fill("Dr. X saw the wound. The wound was clean and was closed with staples.")
    assert len({note.text for note in notes}) > 10
    for note in notes:
        labels = [span.label for span in note.spans]
        assert "DOCTOR" in labels
        assert "Dr. X " not in note.text
    assert any("The wound was clean and was closed with staples." in note.text for note in notes)


def test_dates_and_ages_that_are_there_are_marked() -> None:
    notes = fill("A 67-year-old man was seen on 03/14/2007 for pain.")
    kept = [note for note in notes if "03/14/2007" in note.text]
    assert kept
    for note in kept:
        at = note.text.index("03/14/2007")
        assert any(s.label == "DATE" and s.start <= at < s.end for s in note.spans)


def test_text_without_identifiers_gets_some() -> None:
    notes = fill("The patient was admitted. She has no pain. " * 8, lift=True)
    assert all(note.spans for note in notes)


def test_same_seed_same_notes() -> None:
    assert fill("Dr. X agrees.") == fill("Dr. X agrees.")


def test_nothing_to_fill() -> None:
    with pytest.raises(ConfigError, match="no note to fill"):
        list(fill_notes([], 1))
    assert list(fill_notes([], 0)) == []
