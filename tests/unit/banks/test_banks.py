"""The banks: small, frozen, well formed, and what they know."""

from __future__ import annotations

import hashlib
from importlib import resources

import pytest

from deidlab.banks import (
    canada,
    countries,
    fold,
    known_name,
    name_pool,
    professions,
    script_of,
    spain,
    stems,
    united_states,
)
from deidlab.banks.reading import rows

FOLDER = resources.files("deidlab").joinpath("data", "banks")


def test_all_banks_together_are_small():
    assert sum(len(file.read_bytes()) for file in FOLDER.iterdir()) < 1_500_000


def test_the_banks_are_frozen():
    """A change of a bank changes what every key gives: it belongs in the changelog, and here."""
    digest = hashlib.sha256()
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".tsv"):
            digest.update(file.read_bytes())
    assert digest.hexdigest()[:16] == "780b4ff30766ceec"


def test_every_origin_has_names_of_both_genders_and_families():
    origins = {row[0] for row in rows("names.tsv")}
    assert {"english", "hispanic", "french", "german", "italian", "polish", "slavic", "arabic", "indian", "chinese", "korean",
            "japanese", "vietnamese", "nordic", "african"} <= origins  # fmt: skip
    for origin in origins:
        for kind in ("m", "f", "family"):
            names = name_pool(origin, kind)
            assert len(names) >= 10 and len(set(names)) == len(names)
            assert all(name == name.strip() and " " not in name and len(name) >= 1 for name in names)


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("John", ("m", "english", "english")),
        ("MARY", ("f", "english", "french")),
        ("García", ("", "", "hispanic")),
        ("Nguyen", ("", "", "vietnamese")),
        ("Patel", ("", "", "indian")),
        ("Kowalski", ("", "", "polish")),
        ("Xyzzy", ("", "", "")),
    ],
)
def test_what_the_banks_know(word, known):
    assert known_name(word) == known


def test_scripts():
    assert script_of("Иван") == "cyrillic-script" and script_of("محمد") == "arabic-script"
    assert script_of("John") == script_of("José") == ""
    assert fold("ÉLAN") == "elan"


def test_places_agree():
    bank = united_states()
    assert len(bank.regions) == 51
    for region, places in bank.regions.items():
        for place in places:
            assert place.region == region and len(place.postcode) == 3 and len(place.area_code) == 3
    sure = [bank.postcodes[p.postcode] == r for r, places in bank.regions.items() for p in places]
    assert sum(sure) / len(sure) > 0.995
    assert len(canada().regions) == 10 and len(spain().regions) == 50
    assert spain().postcodes["28"] == "Madrid" and spain().postcodes["50"] == "Zaragoza"


def test_lists_are_not_empty_and_hold_no_doubles():
    for bank in (countries(), professions("en"), professions("es"), stems("en"), stems("es")):
        assert len(bank) > 20 and len(set(bank)) == len(bank)
