"""French ships with rules and surrogates and without a model; its lists are whole."""

from __future__ import annotations

import re
import time

import pytest

from deidlab import languages
from deidlab.detect import DetectorSettings, load_detector
from deidlab.detect.embedded import EMBEDDED
from deidlab.errors import ModelError
from deidlab.languages.fr.rules.words import everyday
from deidlab.rules.folding import folded
from deidlab.types import Document

FRENCH = languages.find("fr")


def test_it_has_no_model_of_its_own_and_says_which_there_are() -> None:
    assert "fr" not in EMBEDDED and set(EMBEDDED) <= {*languages.SHIPPED, "all"}
    with pytest.raises(ModelError, match="embedded are all, en, es"):
        load_detector("fr")
    assert load_detector(None, DetectorSettings("only", language="fr")).rules == FRENCH.rules


def test_its_lists_are_whole() -> None:
    assert len(FRENCH.professions()) >= 250 and len(FRENCH.stems()) >= 50
    assert {"rose", "pierre", "claire", "olivier", "marin", "constant", "blanche", "prudence"} <= everyday()
    assert all(word == folded(word).strip() for word in everyday())
    for load in FRENCH.places.banks.values():
        bank = load()
        assert len(bank.regions) > 2 and len(bank.towns) > 8
    assert len(FRENCH.places.banks["FR"]().regions) > 90


@pytest.mark.parametrize("rule", FRENCH.rules, ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "piece",
    ["1 ", "d'", "Le ", "A.", "rue de la ", "1234 ", "06 12 ", "DUPONT ", "de ", "Jean-", "née ", "dr "],
)
def test_no_rule_needs_long_for_a_hostile_text(rule: object, piece: str) -> None:
    text = piece * (20_000 // len(piece))
    start = time.perf_counter()
    rule.find(text)  # type: ignore[attr-defined]
    assert time.perf_counter() - start < 5


def test_what_it_finds_is_the_same_with_narrow_blanks() -> None:
    detector = load_detector(None, DetectorSettings("only", language="fr"))
    plain = "Tél. : 06 12 34 56 78, M. Tremblay, 72 ans"
    narrow = re.sub(" ", "\u202f", plain)
    labels = [
        [span.label for span in detector.detect([Document("n", text=text)])[0].spans]
        for text in (plain, narrow)
    ]
    assert labels[0] == labels[1] == ["PHONE", "PATIENT", "AGE"]
