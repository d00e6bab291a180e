"""A document with spans in, its facts out: the first of the two passes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from deidlab.banks import fold, known_name, origins, script_of
from deidlab.mask.ages import is_over_89
from deidlab.mask.dates import years_in
from deidlab.mask.facts import Fact, Part, mention_digest, year_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.people import Name, NamePart, parse_name
from deidlab.mask.places import place_group
from deidlab.mask.policy import base_label
from deidlab.types import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
PLACES = frozenset({"CITY", "STATE", "ZIP", "LOCATION-OTHER", "PHONE", "FAX"})
_GENDERS = ("", "m", "f", "mf", "fm")


def word_digest(keyring: Keyring, patient: str, word: str) -> bytes:
    return keyring.digest("names", "word", patient, fold(word))


def initial_digest(keyring: Keyring, patient: str, word: str) -> bytes:
    return keyring.digest("names", "initial", patient, fold(word)[:1])


def collect(keyring: Keyring, patient: str, text: str, span: Span, language: str = "") -> Iterator[Fact]:
    """What one span tells; the texts that people wrote stay behind."""
    base = base_label(span.label)
    if base in NAMES:
        yield name_fact(keyring, patient, text, span.label, language)
        return
    mention = mention_digest(keyring, patient, text)
    if base in PLACES:
        group = place_group(keyring, patient, base, text, is_spanish(span.label, language))
        yield Fact("place", span.label, mention, group)
        return
    yield Fact("text", span.label, mention)
    if base == "DATE":
        for year in years_in(text):
            yield Fact("year", "", year_digest(keyring, patient, year))
    if base == "AGE" and is_over_89(text):
        yield Fact("old", "", keyring.digest("state", "old", patient))


def seat_facts(keyring: Keyring, patient: str, text: str, spans: Sequence[Span]) -> Iterator[Fact]:
    """Which state a town lies in where one is written right behind it (many towns share a name), and every
    state: one that the policy keeps is still where the patient's places lie."""
    for span in spans:
        if base_label(span.label) == "STATE":
            written = text[span.start : span.end]
            group = place_group(keyring, patient, "STATE", written)
            if group:
                yield Fact("seat", span.label, mention_digest(keyring, patient, written), group)
    for town, state in itertools.pairwise(spans):
        close = len(text[town.end : state.start].strip(" ,.\n")) == 0 and state.start - town.end <= 4
        if close and base_label(town.label) == "CITY" and base_label(state.label) == "STATE":
            group = place_group(keyring, patient, "STATE", text[state.start : state.end])
            if group:
                mention = mention_digest(keyring, patient, text[town.start : town.end])
                yield Fact("seat", town.label, mention, group)


def name_fact(keyring: Keyring, patient: str, text: str, label: str, language: str = "") -> Fact:
    name = parse_name(text, is_spanish(label, language))
    parts = tuple(_part(keyring, patient, text, name, part) for part in name.parts)
    gender = _gender(text, name)
    group = keyring.digest("state", "gender", patient, gender) if gender in ("m", "f") else b""
    return Fact("name", label, mention_digest(keyring, patient, text), group, parts)


def is_spanish(label: str, language: str = "") -> bool:
    """Whether a span is in a Spanish note: the language says so, or the label is one of MEDDOCAN's."""
    return language == "es" or label.startswith(
        ("NOMBRE_", "TERRITORIO", "CALLE", "INSTITUCION", "CENTRO_SALUD", "PROFESION", "PAIS")
    )


def open_profile(keyring: Keyring, patient: str, part: Part) -> tuple[str, str]:
    """Gender and origin as sealed into a name part."""
    gender, origin = keyring.unseal(part.profile, patient, part.word)
    return _GENDERS[gender], ("", *origins())[origin]


def _part(keyring: Keyring, patient: str, text: str, name: Name, part: NamePart) -> Part:
    word = text[part.start : part.end]
    initial = initial_digest(keyring, patient, word)
    role = part.role
    gender, given, family = known_name(word)
    if role == "?":
        role = "?g" if gender and not family else "?f"
    if part.initial:
        return Part(role, b"", initial)
    digest = word_digest(keyring, patient, word)
    if role[-1] == "f":
        gender, origin = "", script_of(word) or family or given
    else:
        gender, origin = (
            (name.title_gender or gender) if len(gender) != 1 else gender,
            script_of(word) or given,
        )
    plain = bytes([_GENDERS.index(gender), ("", *origins()).index(origin)])
    return Part(role, digest, initial, keyring.seal(plain, patient, digest))


def _gender(text: str, name: Name) -> str:
    if name.title_gender:
        return name.title_gender
    given = next((p for p in name.parts if p.role == "g" and not p.initial), None)
    return known_name(text[given.start : given.end])[0] if given else ""
