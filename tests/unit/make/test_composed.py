"""Names that rules put together: whole, hardly ever the same, and taken by the slots that notes use."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from deidlab.make.cast import Cast
from deidlab.make.composed import compose
from deidlab.make.layout import english
from deidlab.make.organisations import COMPOSED, first_letters, make_organisation
from deidlab.make.pen import Pen
from deidlab.make.slots import SLOTS

COUNTRIES = ("US", "UK", "CA", "IE", "AU", "NZ", "IN")
RULES = ("hospital", "organisation", "employer", "school", "agency", "pharmacy", "insurer", "law", "landmark",
         "trade", "street", "town", *COMPOSED)  # fmt: skip


def pens(n: int, country: str = "") -> Iterator[Pen]:
    for seed in range(n):
        yield Pen(random.Random(seed), Cast(f"composed/{seed}", country=country))


@pytest.mark.parametrize("rule", RULES)
def test_names_are_whole_in_every_country(rule: str) -> None:
    for country in COUNTRIES:
        for pen in pens(40, country):
            name = compose(pen, rule)
            assert name == " ".join(name.split()) and any(sign.isalnum() for sign in name)
            assert not set(name) & set("{}|<>^\\"), name
            assert not pen.parts


@pytest.mark.parametrize(
    ("rule", "share"), [("hospital", 0.9), ("organisation", 0.9), ("landmark", 0.95), ("street", 0.95)]
)
def test_names_hardly_ever_come_twice(rule: str, share: float) -> None:
    assert len({compose(pen, rule) for pen in pens(2000)}) > share * 2000


def test_houses_have_the_usage_of_their_country() -> None:
    names = {country: [compose(pen, "hospital") for pen in pens(1500, country)] for country in COUNTRIES}
    assert any("NHS Trust" in name for name in names["UK"]) and not any(
        "NHS Trust" in name for name in names["US"]
    )
    assert any("PLLC" in name for name in names["US"]) and not any("PLLC" in name for name in names["UK"])
    assert any("CHSLD" in name for name in names["CA"]) and any(
        "Nursing Home" in name for name in names["IN"]
    )


def test_an_article_that_waits_stands_before_the_name_and_outside_of_it() -> None:
    for pen in pens(60):
        pen.begin_article()
        SLOTS["job"](pen)
        (article, no_label), (trade, label) = pen.parts
        assert article in ("a ", "an ") and not no_label
        assert trade and label == "PROFESSION" and not trade.startswith(("a ", "an "))


def test_slots_of_notes_write_many_names() -> None:
    for slot, share in (("hosp", 0.7), ("org", 0.8), ("landmark", 0.9), ("job", 0.55), ("street", 0.9)):
        names = set()
        for pen in pens(500):
            SLOTS[slot](pen)
            names.add(pen.parts[0][0])
        assert len(names) > share * 500, slot


def test_letters_behind_a_name_are_its_own_and_marked_too() -> None:
    assert first_letters("University of Ohio Medical Center, LLC") == "UOMCL"
    assert first_letters("Mercy West") == ""
    found = 0
    for pen in pens(200):
        SLOTS["hosp.letters"](pen)
        marked = [text for text, label in pen.take() if label == "HOSPITAL"]
        if len(marked) == 2:
            found += 1
            assert marked[1] == first_letters(marked[0])
    assert found > 50


def test_kinds_of_organisations_are_what_they_are_called() -> None:
    tails = {
        "police": ("PD", "Police", "Sheriff"),
        "union": ("Local", "Union"),
        "sponsor": ("Group", "Pharma"),
    }
    for kind, words in tails.items():
        names = [make_organisation(pen, kind) for pen in pens(300)]
        for word in words:
            assert any(word in name for name in names), (kind, word)


def test_what_only_looks_like_a_name_is_not_marked() -> None:
    grammar = english()
    for number, way in enumerate(grammar.ways("s.hard")):
        pen = Pen(random.Random(number), Cast(f"hard/{number}"))
        grammar.compile(way.text, "s.hard")(pen)
        assert not any(label for _, label in pen.take()), way.text
