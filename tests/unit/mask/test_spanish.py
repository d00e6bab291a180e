"""Spanish notes under English labels: names, places and words come from Spanish banks."""

from __future__ import annotations

import re

import pytest

from deidlab.banks import fold, name_pool, professions, spain, stems
from tests.unit.mask.notes import masked, masked_spanish

KEYS = [bytes([number] * 32) for number in range(1, 9)]


@pytest.mark.parametrize("key", KEYS)
def test_a_name_that_no_bank_knows_becomes_a_spanish_one(key: bytes) -> None:
    given, family, second = masked_spanish("{PATIENT:Xulquia Zeperroz Quirfal}", key).split(" ", 2)
    pool = {fold(name) for kind in ("mf", "family") for name in name_pool("hispanic", kind)}
    assert {fold(given), fold(family), fold(second)} <= pool


@pytest.mark.parametrize("key", KEYS)
def test_town_and_province_agree(key: bytes) -> None:
    text = masked_spanish("{LOCATION-OTHER:Alcalá de Henares}, {LOCATION-OTHER:Madrid}", key)
    town, province = text.split(", ")
    assert province != "Madrid"
    assert town in {place.town for place in spain().regions[province]}


@pytest.mark.parametrize("key", KEYS)
def test_a_postcode_is_that_of_the_town_beside_it(key: bytes) -> None:
    text = masked_spanish("{LOCATION-OTHER:28046 Madrid}", key)
    code, town = re.fullmatch(r"(\d{5}) (.+)", text).groups()  # type: ignore[union-attr]
    assert "Madrid" not in text
    assert any(p.town == town and code.startswith(p.postcode) for ps in spain().regions.values() for p in ps)


def test_streets_hospitals_and_trades_are_spanish() -> None:
    street = masked_spanish("{STREET:Calle Mayor 14, 3º B}")
    assert re.fullmatch(r"Calle .+ \d{2}, \dº [A-Z]", street)
    assert street.removeprefix("Calle ").rsplit(" ", 3)[0] in stems("es")
    assert masked_spanish("{HOSPITAL:Hospital Quirfal}").removeprefix("Hospital ") in stems("es")
    assert masked_spanish("{PROFESSION:albañil}") in professions("es")


def test_a_plain_word_taken_for_a_number_becomes_a_tag() -> None:
    assert masked("{MEDICALRECORD:albañil}") == ["[MEDICALRECORD]"]
    assert re.fullmatch("[A-Z]{3}", masked("{MEDICALRECORD:ABC}")[0])
