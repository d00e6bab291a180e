"""The name words of a patient's notes (as digests) in, their surrogates out, settled once a patient.

Every real word maps to one new word of the same kind, gender and origin for each role, so that mentions agree
with each other in every form. A new word is never a real name of the same notes, nor given twice, and begins
with another letter than the old one.
"""

from __future__ import annotations

import functools

from deidlab import languages
from deidlab.banks import fold, name_pool, script_of
from deidlab.languages.language import Language
from deidlab.mask.base_labels import base_label
from deidlab.mask.collect import gender_digest, initial_digest, open_profile, word_digest
from deidlab.mask.facts import Fact, Part, mention_digest
from deidlab.mask.keys import Keyring
from deidlab.mask.people import NamePart, parse_name
from deidlab.mask.persons import Person
from deidlab.mask.shapes import like_case, scramble
from deidlab.mask.state import PatientState
from deidlab.mask.tag import tag

_TRIES_FRESH, _TRIES = 60, 400
_WHOLE_NAMES = ("han-script", "hangul-script")
WordKey = tuple[str, str, bytes]


class NamePlan:
    """The surrogates of one patient's name words."""

    def __init__(self, keyring: Keyring, patient: str, state: PatientState, language: str = "") -> None:
        self._keyring, self._patient, self._state = keyring, patient, state
        self._language = language
        self._words: dict[WordKey, str] = {}
        self._first: dict[bytes, str] = {}
        self._taken: set[str] = set()
        self._bearers: dict[bytes, list[Person]] = {}
        self._by_initials: dict[tuple[bytes, bytes], Person] = {}
        for person in state.persons:
            self._index(person)
        profiles: dict[WordKey, tuple[Part, str, str]] = {}
        self._told: dict[int, set[str]] = {}
        self._named: dict[WordKey, set[int]] = {}
        for fact in state.facts:
            if fact.kind == "name":
                self._note_profiles(fact, profiles)
        for key, (part, gender, origin) in profiles.items():
            known = gender if len(gender) == 1 else self._gender(key) or gender
            new = self._choose(key, part, known, origin)
            self._words[key] = new
            self._first.setdefault(key[2], new)
            self._taken.add(fold(new))

    def _index(self, person: Person) -> None:
        # A family name before another is taken for a middle name, where names end with one.
        for part in (*person.family, person.given, person.middle):
            if part is not None and part.word:
                self._bearers.setdefault(part.word, []).append(person)
        if person.given:
            for part in person.family:
                self._by_initials.setdefault((person.given.initial, part.initial), person)

    def surrogate_of(self, word: str) -> str | None:
        """The surrogate of a real name word, whoever bears it; None for any other word."""
        return self._first.get(word_digest(self._keyring, self._patient, word))

    def letter_for(self, letter: str, family: str) -> str:
        """The new initial of whoever bears that family name and initial; a made-up one where nobody does."""
        word = word_digest(self._keyring, self._patient, family)
        digest = initial_digest(self._keyring, self._patient, letter)
        bearers = self._bearers.get(word, [])
        for person in bearers:
            for role, part in (("g", person.given), *(("f", part) for part in person.family)):
                if part is not None and part.word != word and part.initial == digest:
                    return self._initial(person, letter, role)
        if bearers:
            return self._initial(bearers[0], letter, "g")
        return self._made_up((self._patient, "", word, "g", digest), "g", digest)

    def initials_for(self, letters: str) -> str | None:
        """The new initials of a person with these two or three; None where nobody has them."""
        first, last = (initial_digest(self._keyring, self._patient, letters[at]) for at in (0, -1))
        person = self._by_initials.get((first, last))
        if person is None:
            return None
        roles = "gf" if len(letters) == 2 else "gmf"
        return "".join(
            self._initial(person, letter, role) for letter, role in zip(letters, roles, strict=True)
        )

    def replace(self, label: str, text: str, language: Language) -> str:
        """The mention, of a note in that language, with its words and initials replaced, all else kept."""
        mention = (label, mention_digest(self._keyring, self._patient, text))
        person = self._state.persons[self._state.meant[mention]]
        name = parse_name(text, language)
        if not name.parts:
            return tag(label)
        out: list[str] = []
        done = 0
        for part in name.parts:
            gap = scramble(
                self._keyring.stream("names", "gap", self._patient, text),
                text[done : part.start],
                letters=False,
            )
            out += (gap, self._new_part(person, label, text, part))
            done = part.end
        return "".join(out) + scramble(
            self._keyring.stream("names", "gap", self._patient, text), text[done:], letters=False
        )

    def _new_part(self, person: Person, label: str, text: str, part: NamePart) -> str:
        word = text[part.start : part.end]
        if part.initial:
            return like_case(word, self._initial(person, word, part.role))
        digest = word_digest(self._keyring, self._patient, word)
        kind = _class_of(part.role, digest, person)
        new = self._words[label, kind, digest]
        if script_of(word) in _WHOLE_NAMES and part.role.startswith("?") and len(word) > 1:
            pool = name_pool(script_of(word), "mf")
            return new + pool[self._keyring.number("names", "rest", self._patient, label, digest) % len(pool)]
        return like_case(word, new)

    def _initial(self, person: Person, letter: str, role: str) -> str:
        """The first letter of the person's new name at that place; a made-up one where no name is known."""
        digest = initial_digest(self._keyring, self._patient, letter)
        families: list[tuple[str, Part | None]] = [("f", part) for part in person.family]
        known: dict[str, list[tuple[str, Part | None]]] = {
            "g": [("g", person.given)],
            # The letter in the middle may be that of the first of two family names.
            "m": [("g", person.middle), *families],
            "f": families[::-1],
        }
        for kind, part in known[role[-1]]:
            if part is not None and part.word and part.initial == digest:
                new = self._words.get((person.label, kind, part.word))
                if new:
                    return new[0]
        return self._made_up((self._patient, person.label, person.anchor, role[-1], digest), role[-1], digest)

    def _made_up(self, seed: tuple[str | bytes, ...], role: str, digest: bytes) -> str:
        """An initial that is not the one with that digest."""
        pool = name_pool("english", "family" if role == "f" else "mf")
        stream = self._keyring.stream("names", "initial", *seed)
        while True:
            first = pool[stream.below(len(pool))][0]
            if initial_digest(self._keyring, self._patient, first) != digest:
                return first

    def _note_profiles(self, fact: Fact, profiles: dict[WordKey, tuple[Part, str, str]]) -> None:
        number = self._state.meant[fact.label, fact.mention]
        for part in fact.parts:
            if not part.word:
                continue
            key = (fact.label, _class_of(part.role, part.word, self._state.persons[number]), part.word)
            gender, origin = open_profile(self._keyring, self._patient, part)
            if part.role[-1] == "f" and gender:
                self._told.setdefault(number, set()).add(gender)
            if part.role != "m":
                self._named.setdefault(key, set()).add(number)
            if key in profiles:
                _, old_gender, old_origin = profiles[key]
                better = old_gender if len(old_gender) == 1 else gender or old_gender
                gender, origin = better, old_origin or origin
            profiles[key] = (part, gender, origin)

    def _gender(self, key: WordKey) -> str:
        """The gender of whoever bears a given name that no bank knows: by a title, or by the pronouns."""
        told = {gender for number in self._named.get(key, ()) for gender in self._told.get(number, ())}
        if not told and base_label(key[0]) == "PATIENT" and key in self._named:
            told = self._patient_genders
        return next(iter(told)) if len(told) == 1 else ""

    @functools.cached_property
    def _patient_genders(self) -> set[str]:
        noted = {fact.mention for fact in self._state.facts if fact.kind == "gender"}
        return {
            gender for gender in ("f", "m") if gender_digest(self._keyring, self._patient, gender) in noted
        }

    def _choose(self, key: WordKey, part: Part, gender: str, origin: str) -> str:
        label, kind, digest = key
        origin = origin or languages.of(self._language).people.origin
        pool = name_pool(origin, "family" if kind == "f" else gender if gender in ("m", "f") else "mf")
        stream = self._keyring.stream("names", "choose", self._patient, label, kind, digest)
        candidate = ""
        for attempt in range(_TRIES):
            candidate = pool[stream.below(len(pool))]
            # What costs nothing first: where a bank has run out, each try would else cost two digests.
            fresh = attempt >= _TRIES_FRESH or fold(candidate) not in self._taken
            if fresh and self._suits(candidate, part, attempt < _TRIES_FRESH):
                return candidate
        return _made_up(candidate, stream.below(1 << 16))

    def _suits(self, candidate: str, part: Part, other_letter: bool) -> bool:
        """Whether no real name of the notes is this word; with `other_letter`, nor has its first letter."""
        if word_digest(self._keyring, self._patient, candidate) in self._state.real_words:
            return False
        same_letter = other_letter and (
            initial_digest(self._keyring, self._patient, candidate) == part.initial
        )
        return not same_letter


def _made_up(name: str, number: int) -> str:
    """A word in no bank, for notes that name all of a bank."""
    return name[:3] + "".join("aeiou"[number >> s & 3] + "lnrst"[number >> s + 2 & 3] for s in (0, 4, 8))


def _class_of(role: str, word: bytes, person: Person) -> str:
    """'f' for a family name, else 'g'; a word that stood alone is what the person's other mentions say."""
    if role.startswith("?"):
        given = [part.word for part in (person.given, person.middle) if part is not None]
        family = [part.word for part in person.family]
        if word in given:
            return "g"
        return "f" if word in family or role != "?g" else "g"
    return "f" if role == "f" else "g"
