"""Specifications, label maps, cutting, poorer copies of notes, and names by origin."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.errors import UnknownNameError, UsageError
from deidlab.labels import known_label_sets, load_label_set
from deidlab.systems.cutting import count_within, cut_text, join_stretches
from deidlab.systems.naming import GROUPS, count_labels, find_naming
from deidlab.systems.specification import read_specs
from deidlab.systems.swapped import name_origins, swap_names
from deidlab.systems.variants import VARIANTS
from deidlab.types import Document, Span
from tests.strategies import any_texts, documents


def test_a_system_is_a_kind_an_argument_and_a_name() -> None:
    one, two, three, four = read_specs(
        ["embedded:en", "Theirs=hf:/models/deid", "presidio", "http://127.0.0.1:80/x"],
        [f"presidio={sys.executable}"],
    )
    assert (one.name, one.kind, one.argument) == ("embedded:en", "embedded", "en")
    assert (two.name, two.kind, two.argument) == ("Theirs", "hf", "/models/deid")
    assert (three.name, three.python) == ("presidio", sys.executable)
    assert (four.name, four.kind, four.argument) == ("http", "http", "http://127.0.0.1:80/x")
    # Of a whole path only the name is shown.
    assert read_specs(["presidio:spacy=/secret/en_core_web_md"])[0].name == "presidio:spacy=en_core_web_md"
    assert read_specs(["run:/secret/place/run-7"])[0].name == "run:run-7"


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        (["presido"], UnknownNameError, "did you mean presidio"),
        (["hf"], UsageError, "needs something after the colon"),
        (["presidio", "presidio"], UsageError, "would be called presidio"),
    ],
)
def test_what_is_no_system_is_refused(given: list[str], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        read_specs(given)


def test_a_python_for_nobody_and_one_that_is_not_there_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="philter"):
        read_specs(["presidio"], [f"philter={sys.executable}"])
    with pytest.raises(UsageError, match="no such program"):
        read_specs(["presidio"], ["/no/such/python"])


def test_a_plain_python_is_for_other_peoples_libraries_alone() -> None:
    ours, theirs = read_specs(["embedded:en", "presidio"], ["/bin/sh"])
    assert (ours.python, theirs.python) == (sys.executable, "/bin/sh")


@pytest.mark.parametrize(
    ("labels", "scheme", "names"),
    [
        (["PATIENT", "STAFF", "HOSP"], "obi-deid", {"PATIENT": "NAME", "STAFF": "NAME", "HOSP": "LOCATION"}),
        (
            ["PATIENT", "HCW", "VENDOR"],
            "stanford-deid",
            {"PATIENT": "NAME", "HCW": "NAME", "VENDOR": "LOCATION"},
        ),
        (["PERSON", "CARDINAL"], "ontonotes", {"PERSON": "NAME", "CARDINAL": ""}),
        (["PER", "MISC"], "conll-2003", {"PER": "NAME", "MISC": ""}),
        (["FECHAS", "HOSPITAL"], "meddocan", {"FECHAS": "DATE", "HOSPITAL": "LOCATION"}),
        (["MEDICALRECORD", "ZIP"], "i2b2-2014", {"MEDICALRECORD": "ID", "ZIP": "LOCATION"}),
        (["GEOGRAPHIC", "OTHER-ID"], "hipaa", {"GEOGRAPHIC": "LOCATION", "OTHER-ID": "ID"}),
    ],
)
def test_the_scheme_is_told_by_the_labels(labels: list[str], scheme: str, names: dict[str, str]) -> None:
    naming = find_naming(labels, GROUPS)
    assert (naming.scheme, dict(naming.names), naming.missing) == (scheme, names, ())


@pytest.mark.parametrize("scheme", sorted(set(known_label_sets()) - {"auto"}))
def test_every_shipped_label_set_can_be_compared(scheme: str) -> None:
    assert find_naming(load_label_set(scheme).labels, GROUPS, scheme).missing == ()


def test_a_missing_mapping_is_shown_and_never_guessed() -> None:
    naming = find_naming(["PERSON", "SHOE_SIZE"], GROUPS, "presidio")
    spans = (Span(0, 3, "PERSON"), Span(4, 6, "SHOE_SIZE"), Span(7, 9, "NRP"))
    assert naming.missing == ("SHOE_SIZE",)
    assert [span.label for span in naming.rename(spans)] == ["NAME", "SHOE_SIZE", "NRP"]
    assert dict(count_labels(naming, [spans[:2]]).unknown) == {"SHOE_SIZE": 1}
    own = find_naming(["PERSON", "SHOE_SIZE"], GROUPS, "presidio", {"SHOE_SIZE": "ID"})
    assert own.names["SHOE_SIZE"] == "ID" and own.missing == ()


def test_what_is_not_phi_in_the_set_is_left_out_and_counted() -> None:
    naming = find_naming(["PERSON", "MONEY"], GROUPS, "ontonotes")
    spans = (Span(0, 3, "PERSON"), Span(4, 6, "MONEY"))
    assert [span.label for span in naming.rename(spans)] == ["NAME"]
    assert dict(count_labels(naming, [spans]).dropped) == {"MONEY": 1}


@given(text=any_texts, limit=st.integers(1, 40), unit=st.sampled_from(["characters", "words"]))
def test_stretches_keep_within_the_limit_and_find_everything_once(text: str, limit: int, unit: str) -> None:
    from deidlab.encode.words import find_words

    stretches = cut_text(text, limit, unit)
    for each in stretches:
        part = text[each.start : each.end]
        if len(stretches) > 1:
            assert (
                len(part) if unit == "characters" else len(find_words(text[each.start : each.end]))
            ) <= limit
    words = find_words(text)
    if unit == "words" or all(end - start <= limit for start, end in words):
        # A word that begins in a stretch's own part is whole in that stretch.
        found = join_stretches(
            (each, [Span(start - each.start, end - each.start, "X") for start, end in words
                    if each.start <= start and end <= each.end])
            for each in stretches
        )  # fmt: skip
        assert [(span.start, span.end) for span in found] == words
    assert count_within(text, limit, unit) <= len(text)


@pytest.mark.parametrize("name", VARIANTS)
@given(document=documents())
def test_variants_keep_every_place(name: str, document: Document) -> None:
    changed = VARIANTS[name](document)
    assert len(changed.text) == len(document.text) and changed.spans == document.spans
    assert changed == VARIANTS[name](document)


def test_variants_are_what_they_say() -> None:
    document = Document("d", text="Seen by Dr. Ilse Brandt. " * 20)
    assert VARIANTS["lower case"](document).text.islower() and VARIANTS["upper case"](document).text.isupper()
    noisy = VARIANTS["scanning noise"](document).text
    assert 0 < sum(a != b for a, b in zip(noisy, document.text, strict=True)) < 30
    assert max(map(len, VARIANTS["wrapped lines"](document).text.split("\n"))) <= 66


def test_names_are_swapped_for_names_of_one_origin_and_nothing_else() -> None:
    text = "Brandt, Ilse (ILSE) was seen by Dr. K. Brandt on 3/14."
    spans = (Span(0, 12, "NAME"), Span(14, 18, "NAME"), Span(36, 45, "NAME"), Span(49, 53, "DATE"))
    notes = [Document("d", text=text, spans=spans), Document("none", text="No name.")]
    origins = name_origins()
    assert len(origins) > 5 and not any("script" in origin for origin in origins)
    for origin in origins:
        (swapped,) = swap_names(notes, origin, {"NAME"})
        found = [swapped.text[span.start : span.end] for span in swapped.spans]
        family, given = found[0].split(", ")
        assert "Brandt" not in swapped.text and "Ilse" not in swapped.text
        assert found[1] == given.upper() and found[2] == f"K. {family}" and found[3] == "3/14"
        outside = swapped.text
        for piece in found:
            outside = outside.replace(piece, "", 1)
        assert outside == " () was seen by Dr.  on ."
