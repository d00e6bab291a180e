"""French notes masked with surrogates: dates, names, places and numbers read as French, and all can be undone."""

from __future__ import annotations

import re

import pytest

from deidlab import languages
from deidlab.banks import name_pool
from deidlab.languages.fr.elision import join
from deidlab.mask import MaskSettings, mask_notes
from deidlab.mask.ages import cap_age, is_over_89, is_plain_age
from deidlab.mask.apply import apply, landings, undo
from deidlab.mask.dates import shift_text
from deidlab.mask.people import parse_name
from deidlab.pipeline.run.mask import check_undone
from deidlab.types import Document, MaskedDocument, Span
from tests.golden.marked import read_marks

KEYS = [bytes([number]) * 32 for number in range(12)]


def mask(marked: str, key: bytes = KEYS[0], style: str = "surrogate") -> MaskedDocument:
    text, marks = read_marks(marked)
    note = Document("n", "p", text, tuple(Span(*mark) for mark in marks))
    settings = MaskSettings(style=style, key=key, day_first=True, language="fr")  # type: ignore[arg-type]
    masked = mask_notes([note], settings)[0]
    check_undone(text, masked)
    places = landings(masked.replacements)
    pieces = [
        (a, b, text[s.start : s.end]) for (s, _), (a, b) in zip(masked.replacements, places, strict=True)
    ]
    assert undo(masked.text, pieces) == text and apply(text, masked.replacements) == masked.text
    return masked


@pytest.mark.parametrize(
    ("text", "days", "shifted"),
    [
        ("3 mars 2024", 7, "10 mars 2024"),
        ("1er mars 2024", 7, "8 mars 2024"),
        ("1er mars 2024", 31, "1er avril 2024"),
        ("1er au 9 mai 2024", 7, "8 au 16 mai 2024"),
        ("du 3 au 9 mai 2024", 7, "du 10 au 16 mai 2024"),
        ("12 oct. 2024", 91, "11 janv. 2025"),
        ("12 févr. 2024", 56, "8 avr. 2024"),
        ("août 2019", 31, "septembre 2019"),
        ("mardi 4 juin 2024", 7, "mardi 11 juin 2024"),
        ("03.03.2024", 7, "10.03.2024"),
        ("été 2022", 91, "automne 2022"),
        ("Pâques 2024", 364, "30 mars 2025"),
        ("Noël 2023", 7, "Jour de l'an 2024"),
        ("Ramadan", 7, None),
    ],
)
def test_dates_shift_in_their_own_words(text: str, days: int, shifted: str | None) -> None:
    assert shift_text(text, days, day_first=True, language="fr") == shifted


def test_a_month_that_languages_share_is_that_of_the_notes() -> None:
    assert shift_text("12 oct 2024", 91) == "11 jan 2025"
    assert shift_text("12 oct 2024", 91, language="fr") == "11 janv 2025"


def test_spoken_ages_of_several_words_are_read() -> None:
    assert is_over_89("quatre-vingt-douze ans") and is_over_89("nonante-deux ans")
    assert not is_over_89("quatre-vingt-deux ans") and not is_over_89("douze ans")
    assert is_plain_age("quatre-vingt-douze ans") and cap_age("quatre vingt douze ans", "90+") == "90+"


@pytest.mark.parametrize(
    ("text", "roles"),
    [("DUPONT Marie", "fg"), ("Marie DUPONT", "gf"), ("DUPONT MARTIN Jean", "ffg"), ("DUPONT MARIE", "gf"),
     ("Smith John", "gf"), ("J. DUPONT", "gf")],
)  # fmt: skip
def test_a_family_name_in_capitals_may_come_first(text: str, roles: str) -> None:
    parts = parse_name(text, languages.find("fr")).parts
    assert "".join(part.role for part in parts) == roles


@pytest.mark.parametrize("key", KEYS)
def test_surrogates_agree_with_titles_and_kin(key: bytes) -> None:
    masked = mask(
        "M. [[Zorgul Bextal|PATIENT]] et sa fille [[Qwexa|PATIENT]], Mme [[Jean Roy|PATIENT]].", key
    )
    found = re.fullmatch(r"M\. (\S+) (\S+) et sa fille (\S+), Mme (\S+) (\S+)\.", masked.text)
    assert found is not None, masked.text
    assert found[1] in name_pool("french", "m") and found[2] in name_pool("french", "family")


@pytest.mark.parametrize("key", KEYS)
def test_an_elision_follows_the_surrogate(key: bytes) -> None:
    masked = mask("La sœur d'[[Isabelle|PATIENT]] et le fils de [[Paul|PATIENT]].", key)
    found = re.fullmatch(r"La sœur (d'|de )(\S+) et le fils (d'|de )(\S+)\.", masked.text)
    assert found is not None, masked.text
    for joint, name in ((found[1], found[2]), (found[3], found[4])):
        if name[0] not in "Hh":
            assert (joint == "d'") == (name[0] in "AEIOUÉÈÊAÂÎÔÛ"), masked.text


@pytest.mark.parametrize(
    ("before", "new", "mended"),
    [("fille d'", "Paul", (2, "de ")), ("fille de ", "Anne", (3, "d'")), ("fille de ", "Élise", (3, "d'")),
     ("fille d’", "Paul", (2, "de ")), ("fille d'", "Anne", (0, "")), ("fille de ", "Paul", (0, "")),
     ("fille de ", "Hélène", (3, "d'")), ("fille de ", "Hugues", (0, "")), ("pense qu'", "Paul", (3, "que ")),
     ("monde ", "Anne", (0, "")), ("Aujourd'", "Paul", (0, "")), ("", "Anne", (0, ""))],
)  # fmt: skip
def test_what_stands_before_a_name_is_mended(before: str, new: str, mended: tuple[int, str]) -> None:
    assert join(before, new) == mended


def test_nothing_is_joined_but_surrogates() -> None:
    assert mask("fille d'[[Isabelle|PATIENT]]", style="tag").text == "fille d'[PATIENT-1]"
    # What lies in the span before is not touched a second time.
    assert mask("[[Zoé d'|PATIENT]][[Oran|CITY]]").replacements[0][0].end == 6


@pytest.mark.parametrize(
    ("phone", "pattern"),
    [("06 12 34 56 78", r"06 39 98 \d\d \d\d"), ("+33 6 12 34 56 78", r"\+33 6 39 98 \d\d \d\d"),
     ("01.42.34.56.78", r"01\.99\.00\.\d\d\.\d\d"), ("514-555-0123", r"\d{3}-555-01\d\d")],
)  # fmt: skip
def test_telephone_numbers_are_those_that_nobody_has(phone: str, pattern: str) -> None:
    assert re.fullmatch(pattern, mask(f"[[{phone}|PHONE]]").text)


@pytest.mark.parametrize("key", KEYS)
def test_places_agree_within_their_country(key: bytes) -> None:
    banks = languages.find("fr").places.banks
    quebec = mask("[[Montréal|CITY]] ([[Québec|STATE]]) [[H2X 1Y4|ZIP]]", key).text
    town, region, code = re.fullmatch(r"(.+) \((.+)\) (\S+ \S+)", quebec).groups()  # type: ignore[union-attr]
    places = [place for each in banks["CA"]().regions.values() for place in each]
    assert any((place.town, place.region_name, place.postcode) == (town, region, code[0]) for place in places)
    nantes = mask("[[44000|ZIP]] [[Nantes|CITY]]", key).text
    code, town = nantes.split(" ", 1)
    french = [place for each in banks["FR"]().regions.values() for place in each]
    assert any((place.town, place.postcode) == (town, code[:2]) for place in french)


def test_a_bank_of_one_language_is_not_that_of_another() -> None:
    english = MaskSettings(style="surrogate", key=KEYS[1])
    note = Document("n", "p", "Winnipeg, MB", (Span(0, 8, "CITY"), Span(10, 12, "STATE")))
    assert "Québec" not in mask_notes([note], english)[0].text
