"""English: the language of most notes, and what is meant where nobody says which."""

from __future__ import annotations

from functools import partial

from deidlab.banks import countries, professions, stems
from deidlab.languages.en.calendar import CALENDAR
from deidlab.languages.en.words import AGES, DEPARTMENTS, PEOPLE, PLACES
from deidlab.languages.language import Language
from deidlab.rules import DATES, INSTITUTIONS, NATIONAL, PHONES, ROOMS, WEB, Rule
from deidlab.rules import PLACES as ADDRESSES
from deidlab.rules.wordlists import read_words

_RULES = f"{__name__}.rules"


LANGUAGE = Language(
    "en",
    "English",
    rules=(
        DATES,
        Rule("ages", "ages in numbers, words and shorthand; decades", f"{_RULES}.ages"),
        WEB,
        PHONES,
        Rule("ids", "numbers that a word announces or whose shape tells", f"{_RULES}.ids"),
        NATIONAL,
        ADDRESSES,
        Rule("organisations", "hospitals, practices, schools and firms", f"{_RULES}.organisations"),
        INSTITUTIONS,
        Rule("names", "people after titles, labels and kinship, and before degrees", f"{_RULES}.names"),
        Rule("usernames", "logins and typists' codes", f"{_RULES}.usernames"),
        Rule("professions", "lines of work, where the text speaks of work", f"{_RULES}.professions"),
        ROOMS,
        Rule("gazetteer", "listed names and places, by their capitals and neighbours", f"{_RULES}.gazetteer"),
    ),
    common=partial(read_words, "deidlab.languages.en", "common.txt"),
    calendar=CALENDAR,
    people=PEOPLE,
    ages=AGES,
    places=PLACES,
    professions=partial(professions, "en"),
    stems=partial(stems, "en"),
    countries=countries,
    departments=lambda: DEPARTMENTS,
)
