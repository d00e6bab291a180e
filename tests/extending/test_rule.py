"""A rule is a name and a function: a toy one joins a language, and can be switched off like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

import deidlab
from deidlab import languages
from deidlab.rules import Rule
from deidlab.types import Span

NOTE = "Trial TRIAL-00417, seen on 3/14/2071."


def find_trials(text: str) -> list[Span]:
    found = re.finditer(r"\bTRIAL-\d{5}\b", text)
    return [Span(*match.span(), "IDNUM", 0.95, "rules:trials") for match in found]


@pytest.fixture(autouse=True)
def english_with_trials() -> Iterator[None]:
    english = languages.find("en")
    languages.register(
        replace(english, rules=(*english.rules, Rule("trials", "numbers of trials", find_trials)))
    )
    yield
    languages.forget("en")


def test_it_finds_beside_the_others() -> None:
    found = deidlab.load(None, "only").detect(NOTE)
    assert [(NOTE[span.start : span.end], span.label) for span in found] == [
        ("TRIAL-00417", "IDNUM"),
        ("3/14/2071", "DATE"),
    ]


def test_it_can_be_switched_off_by_its_name() -> None:
    tool = deidlab.load(None, "only", without_rules=("trials",))
    assert "rules:trials" not in {span.source for span in tool.detect(NOTE)}


def test_it_is_gone_with_its_language() -> None:
    languages.forget("en")
    with pytest.raises(deidlab.UnknownNameError, match="trials"):
        deidlab.load(None, "only", without_rules=("trials",))
