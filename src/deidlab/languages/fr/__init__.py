"""French, as it is written in Québec, France, Belgium, Switzerland, Luxembourg, the Maghreb and Africa."""

from __future__ import annotations

from functools import partial

from deidlab.languages.fr.calendar import CALENDAR
from deidlab.languages.fr.elision import join
from deidlab.languages.fr.words import (
    AGES,
    COUNTRIES,
    DEPARTMENTS,
    FICTIONAL_PHONES,
    PEOPLE,
    PLACES,
    professions,
    stems,
)
from deidlab.languages.language import Language, MadeNotes
from deidlab.rules import INSTITUTIONS, NATIONAL, WEB, Rule
from deidlab.rules.wordlists import read_words

_RULES = f"{__name__}.rules"


def _everyday() -> frozenset[str]:
    from deidlab.languages.fr.rules.words import everyday

    return everyday()


def _notes() -> MadeNotes:
    from deidlab.languages.fr.notes import made_notes

    return made_notes()


LANGUAGE = Language(
    "fr",
    "French",
    day_first=True,
    # Rules for any language that go by words go by others: `main` is a street there, a hand here.
    rules=(
        WEB,
        NATIONAL,
        Rule("phones", "telephone and fax numbers, extensions", f"{_RULES}.phones"),
        Rule("places", "streets, postcodes, and towns beside them", f"{_RULES}.addresses"),
        Rule("rooms", "numbers of rooms, beds and wards", f"{_RULES}.rooms"),
        Rule("dates", "dates in numbers and words, weekdays, seasons, feasts", f"{_RULES}.dates"),
        Rule("ages", "ages of patients and relatives, in words and shorthand", f"{_RULES}.ages"),
        Rule("kin", "given names of relatives and friends", f"{_RULES}.kin"),
        Rule("names", "people beside a title, a label or a calling", f"{_RULES}.names"),
        Rule("listed-names", "listed names, with their capital, in capitals or with none",
             f"{_RULES}.gazetteer"),
        Rule("ids", "numbers that a word or a check digit gives away", f"{_RULES}.ids"),
        Rule("organisations", "hospitals, health centres, schools and firms", f"{_RULES}.organisations"),
        INSTITUTIONS,
        Rule("listed-places", "listed countries, regions and towns, and where people are from",
             f"{_RULES}.places"),
        Rule("professions", "lines of work, where the text speaks of work or a person",
             f"{_RULES}.professions"),
    ),
    rules_need_backing=False,
    everyday=_everyday,
    common=partial(read_words, "deidlab.languages.fr", "common.txt"),
    letters="çèêëîœûàù",
    calendar=CALENDAR,
    people=PEOPLE,
    ages=AGES,
    places=PLACES,
    professions=professions,
    stems=stems,
    countries=lambda: COUNTRIES,
    departments=lambda: DEPARTMENTS,
    join=join,
    fictional_phones=FICTIONAL_PHONES,
    notes=_notes,
)  # fmt: skip
