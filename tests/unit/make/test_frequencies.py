"""How often labels and sentences come: near the study's Table 3, all labels when lifted, no worn-out sentence."""

from __future__ import annotations

from collections import Counter

import pytest

from deidlab.encode.words import find_words
from deidlab.make import make_notes
from deidlab.make.skeletons import count_skeletons, find_skeletons
from deidlab.types import Document, Span

# Percent of words, training sample: Table 3 of the 2022 study, labels of at least one in 2,500 words.
TABLE_3 = {
    "DATE": 1.6440, "DOCTOR": 1.0190, "HOSPITAL": 0.4785, "PATIENT": 0.4067, "AGE": 0.2449, "STREET": 0.1331,
    "MEDICALRECORD": 0.1226, "CITY": 0.0938, "PROFESSION": 0.0860, "PHONE": 0.0726, "STATE": 0.0642,
    "USERNAME": 0.0548, "IDNUM": 0.0484, "ORGANIZATION": 0.0446, "ZIP": 0.0419,
}  # fmt: skip
LARGEST_SHARE = 0.005


def count_words(documents: list[Document]) -> tuple[Counter[str], int]:
    found: Counter[str] = Counter()
    n_words = 0
    for document in documents:
        words = find_words(document.text, "whitespace")
        n_words += len(words)
        for span in document.spans:
            found[span.label] += sum(start < span.end and span.start < end for start, end in words)
    return found, n_words


def test_label_frequencies_are_near_table_3() -> None:
    found, n_words = count_words(list(make_notes(400, 21)))
    for label, wanted in TABLE_3.items():
        assert wanted / 2.2 < 100 * found[label] / n_words < wanted * 2.2, label
    assert 3.5 < 100 * sum(found.values()) / n_words < 6.0


def test_lifted_notes_have_every_label_that_is_written() -> None:
    found = Counter(span.label for note in make_notes(1200, 22, lift=True) for span in note.spans)
    wanted = {*TABLE_3, "COUNTRY", "FAX", "EMAIL", "URL", "IPADDR", "SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE",
              "VEHICLE", "DEVICE", "BIOID", "LOCATION-OTHER"}  # fmt: skip
    assert set(found) == wanted
    assert min(found.values()) > 40


def test_skeleton_of_a_note() -> None:
    note = Document(
        id="n",
        text="Seen by Dr. Lee.  Stable\n1. Home on 3/4.",
        spans=(Span(12, 15, "DOCTOR"), Span(36, 39, "DATE")),
    )
    assert list(find_skeletons(note)) == ["Seen by Dr.", "DOCTOR.", "Stable", "1. Home on DATE."]


@pytest.mark.parametrize("lift", [False, True])
def test_no_sentence_is_worn_out(lift: bool) -> None:
    found = count_skeletons(make_notes(1000, 23, lift))
    assert found.most_common(1)[0][1] <= LARGEST_SHARE * found.total()


@pytest.mark.slow
@pytest.mark.parametrize("lift", [False, True])
def test_no_sentence_is_worn_out_in_ten_thousand_notes(lift: bool) -> None:
    found = count_skeletons(make_notes(10_000, 24, lift))
    assert found.most_common(1)[0][1] <= LARGEST_SHARE * found.total()
