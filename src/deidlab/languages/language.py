"""A language as one frozen object: all that the rest asks of the language a note is written in.

Every field has a default that suits any language, so that a new one says only what is its own. Long lists are
given as functions that read them, since most commands need none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deidlab.banks import PlaceBank, canada, spain, united_states
from deidlab.errors import UnknownNameError
from deidlab.languages.calendar import Calendar
from deidlab.rules import NEUTRAL, Rule

Words = Callable[[], tuple[str, ...]]
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class People:
    """How people are named.

    `titles` tell a gender ('m', 'f' or '' for neither) and are known in notes of any language; `own_titles`
    only in those of this one, since elsewhere they are names or initials. Nobody is called by one of the
    `abbreviations`; a title of `accented` is a name where it has no accent. `kin` are words of kinship with
    their gender, `patient` a pattern whose groups f and m are what a note calls the patient. Names that no
    bank knows are replaced by those of the `origin`.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    own_titles: Mapping[str, str] = field(default_factory=dict)
    abbreviations: frozenset[str] = frozenset()
    accented: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    kin: Mapping[str, str] = field(default_factory=dict)
    patient: re.Pattern[str] = _NOTHING
    two_family_names: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ages:
    """How ages are written: units and how many make a year, numbers in words from 90 on and below.

    `years` and `others` are patterns of the units; `beside` are further words that may stand beside an age,
    `to` stand between the ages of a range, `born` are patterns of what announces a day of birth.
    """

    units: Mapping[str, int] = field(default_factory=dict)
    years: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    old: Mapping[str, int] = field(default_factory=dict)
    young: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    to: tuple[str, ...] = ()
    born: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Places:
    """Where its notes are from: banks of places by country, that of the home country first.

    With `territories` a LOCATION-OTHER is a town or what it lies in, a province, and no building. Words that
    say what a thing is stay: of `institutions` (Hospital), of `streets` (Avenue), and `links` (of, the).
    """

    banks: Mapping[str, Callable[[], PlaceBank]] = field(
        default_factory=lambda: {"US": united_states, "CA": canada, "ES": spain}
    )
    territories: bool = False
    institutions: frozenset[str] = frozenset()
    streets: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population:
    """Who made notes are about: countries with their weights, and in them origins of names with theirs.

    `origins` under an empty country are those of all that are not named. `names` are further ones by origin
    and kind (m, f or family). `towns` are rows of country, region, its short form, town, shape of the
    postcode and area code. `two_families` is the share of people with two family names, `accents` that of
    people whose accents a system has kept.
    """

    countries: Mapping[str, int] = field(default_factory=lambda: {"": 1})
    origins: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    names: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    towns: tuple[tuple[str, ...], ...] = ()
    two_families: Mapping[str, float] = field(default_factory=dict)
    accents: float = 0.6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeNotes:
    """What notes of the language are made with: see `deidlab.make.grammar` for the grammar.

    `slots` are functions that write with a pen what the grammar leaves open, as PHI with labels of the set
    `labels`; ids of notes start with the `prefix`. `whole` are notes with slots, a share of `whole_share` of
    all; the rule `note` writes the others. `join` mends what stands between parts, as an elision does.
    """

    labels: str
    prefix: str
    grammar: str
    slots: Mapping[str, Callable[[Any], None]]
    whole: str = ""
    whole_share: float = 0.0
    population: Population = field(default_factory=Population)
    join: Callable[[list[tuple[str, str]]], list[tuple[str, str]]] = lambda parts: parts


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language.

    Beside a model, `model_first` lets rules speak only where the model found nothing, and
    `rules_need_backing` asks that it sees something in what a rule about words doubts. `everyday` words are
    used for something else than a name as a rule; `common` words and `letters` tell that a note is in the
    language, where a model serves several. Surrogates are drawn from `professions`, `stems` (of names
    of places and houses), `countries` and `departments`; where one is empty, from the first language's.
    `join` is given the text before a surrogate and the surrogate, and says how many characters before it go
    and what stands there instead: an elision (d'Isabelle, de Paul). Numbers that begin with one of the
    `fictional_phones` begin with what nobody's number begins with there.
    `notes` is what `corpus make` writes with; the first language's notes are the whole of `deidlab.make`.
    """

    code: str
    name: str = ""
    day_first: bool = False
    rules: tuple[Rule, ...] = field(default=NEUTRAL, repr=False)
    model_first: bool = False
    rules_need_backing: bool = True
    everyday: Callable[[], frozenset[str]] = field(default=frozenset, repr=False)
    common: Callable[[], frozenset[str]] = field(default=frozenset, repr=False)
    letters: str = field(default="", repr=False)
    calendar: Calendar = field(default=Calendar(), repr=False)
    people: People = field(default=People(), repr=False)
    ages: Ages = field(default=Ages(), repr=False)
    places: Places = field(default=Places(), repr=False)
    professions: Words = field(default=tuple, repr=False)
    stems: Words = field(default=tuple, repr=False)
    countries: Words = field(default=tuple, repr=False)
    departments: Words = field(default=tuple, repr=False)
    join: Callable[[str, str], tuple[int, str]] = field(default=lambda before, new: (0, ""), repr=False)
    fictional_phones: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: Callable[[], MadeNotes] | None = field(default=None, repr=False)


def check_rules(names: Iterable[str], language: Language) -> None:
    """Raise for a name that no rule of the language has."""
    known = [rule.name for rule in language.rules]
    for name in names:
        if name not in known:
            raise UnknownNameError(f"rule for {language.name or language.code}", name, known)
