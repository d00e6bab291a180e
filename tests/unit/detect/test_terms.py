"""Many terms in one pass: each is tried, whatever longer or earlier one does not fit there."""

from __future__ import annotations

import pytest

from deidlab.detect import DetectorSettings, KnownTable, load_detector
from deidlab.rules.folding import Cues, Terms
from deidlab.types import Document


def denied(text: str, *terms: str) -> list[str]:
    detector = load_detector(None, DetectorSettings("off", deny=frozenset(terms)))
    return [text[span.start : span.end] for span in detector.detect([Document(id="n", text=text)])[0].spans]


@pytest.mark.parametrize(
    ("text", "terms", "found"),
    [
        ("tarn walks", ("Tarn", "Tarn W"), ["tarn"]),
        ("tarn w walks", ("Tarn", "Tarn W"), ["tarn w"]),
        ("old tarn hills and tarn", ("Old Tarn Hill", "Tarn", "Tarn Hills"), ["tarn hills", "tarn"]),
        ("mary ann tarn", ("Mary Ann", "Ann Tarn"), ["mary ann", "tarn"]),
        ("a b c d", ("a b", "b c", "c d e", "d"), ["a b", "c", "d"]),
    ],
)
def test_a_longer_term_that_does_not_fit_shadows_no_other(
    text: str, terms: tuple[str, ...], found: list[str]
) -> None:
    assert denied(text, *terms) == found


def test_the_same_holds_for_known_identifiers() -> None:
    table = KnownTable.of([{"patient": "p", "city": "Tarn", "clinic": "Tarn W", "employer": "Old Tarn Hall"}])
    text = "old tarn halls, tarn walks"
    assert [text[s.start : s.end] for s in table.find(Document(id="n", patient="p", text=text))] == [
        "tarn"
    ] * 2


def test_the_same_holds_for_cues_and_lists() -> None:
    assert [cue for _, _, cue in Cues(("date", "date of birth")).find("date of births")] == ["date"]
    assert [cue for _, _, cue in Cues(("port no", "no")).find("airport no 5")] == ["no"]
    assert [term for _, _, term in Terms(("san jose", "san")).find("San Josefina")] == ["san"]


def test_terms_that_overlap_are_all_found_across_the_seams_of_a_long_text() -> None:
    text = "x " * 499_998 + "mary ann tarn " + "y " * 500_000 + "tarn"
    assert [term for _, _, term in Terms(("mary ann", "ann tarn", "tarn")).find(text)] == [
        "mary ann", "ann tarn", "tarn",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("44-71-920 3/14 seen", ["44-71-920"]),
        ("12 206 555 0134 77 beats", ["206 555 0134"]),
        ("(206) 555-0134 44 71 920", ["(206) 555-0134", "44 71 920"]),
        ("no 8844719201", []),
    ],
)
def test_a_known_number_is_found_whatever_numbers_stand_around_it(text: str, found: list[str]) -> None:
    table = KnownTable.of([{"patient": "p", "mrn": "4471920", "phone": "206-555-0134"}])
    spans = table.find(Document(id="n", patient="p", text=text))
    pieces = {text[span.start : span.end] for span in spans}
    assert pieces >= set(found) and bool(pieces) == bool(found)
