"""Spanish, as it is written in Spain."""

from __future__ import annotations

from functools import partial

from deidlab.banks import professions, stems
from deidlab.languages.es.calendar import CALENDAR
from deidlab.languages.es.words import AGES, COUNTRIES, PEOPLE, PLACES
from deidlab.languages.language import Language, MadeNotes
from deidlab.rules import INSTITUTIONS, NATIONAL, PHONES, ROOMS, WEB, Rule
from deidlab.rules import PLACES as ADDRESSES
from deidlab.rules.wordlists import read_words

_RULES = f"{__name__}.rules"


def _everyday() -> frozenset[str]:
    from deidlab.languages.es.rules.words import everyday

    return everyday()


def _notes() -> MadeNotes:
    from deidlab.languages.es.notes import made_notes

    return made_notes()


LANGUAGE = Language(
    "es",
    "Spanish",
    day_first=True,
    # The rules of English find more in Spanish that is no PHI than PHI that the Spanish model misses.
    rules=(
        WEB,
        PHONES,
        NATIONAL,
        ADDRESSES,
        ROOMS,
        Rule("dates", "dates in numbers and words, weekdays, seasons, feasts", f"{_RULES}.dates"),
        Rule("ages", "ages of patients and relatives, in words and shorthand", f"{_RULES}.ages"),
        Rule("kin", "given names of relatives and friends", f"{_RULES}.kin"),
        Rule("names", "people beside a title, a label or a calling", f"{_RULES}.names"),
        Rule("listed-names", "listed names, with their capital, in capitals or with none",
             f"{_RULES}.gazetteer"),
        Rule("ids", "numbers that a word announces, number plates, accounts", f"{_RULES}.ids"),
        Rule("organisations", "hospitals, health centres, schools and firms", f"{_RULES}.organisations"),
        INSTITUTIONS,
        Rule("listed-places", "listed countries, regions and towns, and where people are from",
             f"{_RULES}.places"),
        Rule("professions", "lines of work, where the text speaks of work or a person",
             f"{_RULES}.professions"),
    ),
    model_first=True,
    rules_need_backing=False,
    everyday=_everyday,
    common=partial(read_words, "deidlab.languages.es", "common.txt"),
    letters="ñ¿¡",
    calendar=CALENDAR,
    people=PEOPLE,
    ages=AGES,
    places=PLACES,
    professions=partial(professions, "es"),
    stems=partial(stems, "es"),
    countries=lambda: COUNTRIES,
    notes=_notes,
)  # fmt: skip
