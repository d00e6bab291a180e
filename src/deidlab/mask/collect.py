"""A document with spans in, its facts out: the first of the two passes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from deidlab import languages
from deidlab.banks import fold, known_name, origins, script_of
from deidlab.carriers import split_label
from deidlab.labels import language_of_label
from deidlab.languages.language import Language
from deidlab.mask.ages import is_over_89
from deidlab.mask.base_labels import base_label
from deidlab.mask.dates import years_in
from deidlab.mask.facts import Fact, Part, mention_digest, year_digest
from deidlab.mask.genders import gender_of_pronouns
from deidlab.mask.keys import Keyring
from deidlab.mask.people import Name, NamePart, parse_name
from deidlab.mask.places import place_group
from deidlab.types import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
PLACES = frozenset({"CITY", "STATE", "ZIP", "LOCATION-OTHER", "PHONE", "FAX"})
_GENDERS = ("", "m", "f", "mf", "fm")


def word_digest(keyring: Keyring, patient: str, word: str) -> bytes:
    return keyring.digest("names", "word", patient, fold(word))


def initial_digest(keyring: Keyring, patient: str, word: str) -> bytes:
    return keyring.digest("names", "initial", patient, fold(word)[:1])


def collect(
    keyring: Keyring, patient: str, text: str, span: Span, language: str = "", told: str = ""
) -> Iterator[Fact]:
    """What one span tells; the texts that people wrote stay behind. `told` is the gender that the word right
    before a name tells."""
    base = base_label(span.label)
    if base in NAMES:
        yield name_fact(keyring, patient, text, span.label, language, told)
        return
    if not split_label(span.label)[1]:
        # A typed field becomes no tag, so nobody asks for its number.
        mention = mention_digest(keyring, patient, text)
        if base in PLACES:
            group = place_group(keyring, patient, base, text, spoken_in(span.label, language))
            yield Fact("place", span.label, mention, group)
            return
        yield Fact("text", span.label, mention)
    if base == "DATE":
        for year in years_in(text):
            yield Fact("year", "", year_digest(keyring, patient, year))
    if base == "AGE" and is_over_89(text):
        yield Fact("old", "", keyring.digest("state", "old", patient))


def seat_facts(
    keyring: Keyring, patient: str, text: str, spans: Sequence[Span], language: str = ""
) -> Iterator[Fact]:
    """Which state a town lies in where one is written right behind it (many towns share a name), and every
    state: one that the policy keeps is still where the patient's places lie."""
    for span in spans:
        if base_label(span.label) == "STATE":
            written = text[span.start : span.end]
            group = place_group(keyring, patient, "STATE", written, spoken_in(span.label, language))
            if group:
                yield Fact("seat", span.label, mention_digest(keyring, patient, written), group)
    for town, state in itertools.pairwise(spans):
        close = len(text[town.end : state.start].strip(" ,.\n")) == 0 and state.start - town.end <= 4
        if close and base_label(town.label) == "CITY" and base_label(state.label) == "STATE":
            written = text[state.start : state.end]
            group = place_group(keyring, patient, "STATE", written, spoken_in(state.label, language))
            if group:
                mention = mention_digest(keyring, patient, text[town.start : town.end])
                yield Fact("seat", town.label, mention, group)


def patient_fact(keyring: Keyring, patient: str, text: str, language: Language) -> Iterator[Fact]:
    """The gender of the patient, where the note's pronouns tell it."""
    gender = gender_of_pronouns(text, language)
    if gender:
        yield Fact("gender", "", gender_digest(keyring, patient, gender))


def name_fact(
    keyring: Keyring, patient: str, text: str, label: str, language: str = "", told: str = ""
) -> Fact:
    name = parse_name(text, spoken_in(label, language))
    # What leads a family name comes behind it: people are told apart by the word that follows.
    ordered = sorted(name.parts, key=lambda part: part.leads)
    home = spoken_in(label, language).people.origin
    parts = tuple(_part(keyring, patient, text, part, name.title_gender or told, home) for part in ordered)
    gender = _gender(text, name, home)
    group = gender_digest(keyring, patient, gender) if gender in ("m", "f") else b""
    return Fact("name", label, mention_digest(keyring, patient, text), group, parts)


def spoken_in(label: str, language: str = "") -> Language:
    """The language of a span: its label may tell, else it is that of the notes."""
    return languages.of(language_of_label(label) or language)


def open_profile(keyring: Keyring, patient: str, part: Part) -> tuple[str, str]:
    """Gender and origin as sealed into a name part."""
    gender, origin = keyring.unseal(part.profile, patient, part.word)
    return _GENDERS[gender], ("", *origins())[origin]


def gender_digest(keyring: Keyring, patient: str, gender: str) -> bytes:
    return keyring.digest("state", "gender", patient, gender)


def _part(keyring: Keyring, patient: str, text: str, part: NamePart, told: str, home: str) -> Part:
    word = text[part.start : part.end]
    initial = initial_digest(keyring, patient, word)
    role = part.role
    gender, given, family = known_name(word, home)
    if part.initial:
        return Part(role, b"", initial)
    digest = word_digest(keyring, patient, word)
    if role[-1] == "f":
        # A family name has no gender; whose it is has one.
        gender, origin = told, script_of(word) or family or given
    else:
        gender, origin = (told or gender) if len(gender) != 1 else gender, script_of(word) or given
    plain = bytes([_GENDERS.index(gender), ("", *origins()).index(origin)])
    return Part(role, digest, initial, keyring.seal(plain, patient, digest))


def _gender(text: str, name: Name, home: str) -> str:
    if name.title_gender:
        return name.title_gender
    given = next((p for p in name.parts if p.role == "g" and not p.initial), None)
    return known_name(text[given.start : given.end], home)[0] if given else ""
