"""One patient's identifiers in, their mentions in a text out: exact in any case and format, and near ones.

Words of names match as whole words, and with one slip of the pen (two in long words); numbers match whatever
stands between their characters, and with one wrong character; dates match in every usual way of writing them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from deidlab.rules.folding import Terms, folded
from deidlab.rules.readings import plain_form
from deidlab.rules.wordlists import is_everyday
from deidlab.types import Span

SOURCE = "known"
NAME_LABELS = frozenset({"PATIENT", "DOCTOR"})
_NUMBER_LABELS = frozenset(
    [
        "PHONE",
        "FAX",
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
        "IDNUM",
        "ZIP",
    ]
)
_NEAR_FROM = 5
_NEAR_NUMBER_FROM = 6
_NUMBER = re.compile(
    r"(?<![^\W_])(?:[A-Za-z]{1,4}[- ]?)?\(?[0-9](?:[0-9A-Za-z]|[-./ ()]{1,2}(?=[0-9])){3,40}(?![^\W_])"
)
_BARE = re.compile(r"[^0-9a-z]+")
_LETTERS_AND_DIGITS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")
_DATE_ORDERS = ("%Y-%m-%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d", "%d %b %Y", "%d %B %Y",
                "%b %d, %Y", "%B %d, %Y", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Terms by label, words of names, and numbers stripped of their separators."""

    terms: tuple[tuple[str, str], ...] = field(repr=False)
    name_words: tuple[tuple[str, str], ...] = field(repr=False)
    numbers: tuple[tuple[str, str], ...] = field(repr=False)

    def __bool__(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.terms or self.name_words or self.numbers)

    def find(self, text: str) -> list[Span]:
        """Every mention in the text."""
        return [*self._exact(text), *self._near_words(text), *self._numbers(text)]

    def _exact(self, text: str) -> list[Span]:
        labels = {term: label for label, term in (*self.name_words, *self.terms)}
        spans = []
        for start, end, term in Terms(labels, loose=True).find(text):
            # A name that is an everyday word too (Will, Young) is told by its capital.
            if labels[term] in NAME_LABELS and is_everyday(term) and not text[start].isupper():
                continue
            spans.append(Span(start, end, labels[term], 1.0, SOURCE))
        return spans

    def _near_words(self, text: str) -> list[Span]:
        from rapidfuzz.distance import OSA

        known = [(label, word) for label, word in self.name_words if len(word) >= _NEAR_FROM]
        if not known:
            return []
        spans, seen = [], dict[str, tuple[str, float] | None]()
        plain = folded(text)
        for match in re.finditer(r"[^\W\d_]{4,40}", plain):
            word = match.group()
            if word not in seen:
                seen[word] = None
                for label, name in known:
                    slips = 1 if len(name) < 9 else 2
                    distance = OSA.distance(word, name, score_cutoff=slips)
                    if 0 < distance <= slips and not is_everyday(word):
                        seen[word] = (label, 0.9 - 0.1 * distance)
                        break
            found = seen[word]
            if found:
                spans.append(Span(match.start(), match.end(), found[0], found[1], f"{SOURCE}:near"))
        return spans

    def _numbers(self, text: str) -> list[Span]:
        if not self.numbers:
            return []
        spans: list[Span] = []
        for match in _NUMBER.finditer(text):
            exact = [
                Span(start, end, label, 1.0, SOURCE)
                for label, number in self.numbers
                for start, end in _places_in(match, number)
            ]
            spans += exact or self._near_number(match)
        return spans

    def _near_number(self, match: re.Match[str]) -> list[Span]:
        from rapidfuzz.distance import OSA

        bare = _BARE.sub("", match.group().lower())
        for label, number in self.numbers:
            tail = bare[-len(number) :]
            if len(number) >= _NEAR_NUMBER_FROM and OSA.distance(tail, number, score_cutoff=1) <= 1:
                start = _tail_start(match, len(number))
                return [Span(start, match.end(), label, 0.8, f"{SOURCE}:near")]
        return []


def _places_in(match: re.Match[str], number: str) -> Iterator[tuple[int, int]]:
    """Where a run of numbers is the known one, ends in it, or holds it between two separators."""
    text = match.group().lower()
    places = [place for place, char in enumerate(text) if char in _LETTERS_AND_DIGITS]
    bare = "".join(text[place] for place in places)
    if bare.endswith(number) and (len(bare) == len(number) or len(number) >= _NEAR_NUMBER_FROM):
        yield _tail_start(match, len(number)), match.end()
    at = bare.find(number) if len(number) >= _NEAR_NUMBER_FROM else -1
    while 0 <= at < len(bare) - len(number):
        first, last = places[at], places[at + len(number) - 1]
        if (not at or places[at - 1] < first - 1) and places[at + len(number)] > last + 1:
            first -= first > 0 and text[first - 1] == "("
            yield match.start() + first, match.start() + last + 1
        at = bare.find(number, at + 1)


def _tail_start(match: re.Match[str], length: int) -> int:
    """Where the last `length` letters and digits of a match begin, an opening bracket included."""
    text, place = match.group(), len(match.group())
    while place and length:
        place -= 1
        length -= text[place].isalnum()
    place -= place > 0 and text[place - 1] == "("
    return match.start() + place


def collect(cells: Iterable[tuple[str, str]]) -> Identifiers:
    """The identifiers of one patient from (label, value) cells."""
    terms: dict[tuple[str, str], None] = {}
    words: dict[tuple[str, str], None] = {}
    numbers: dict[tuple[str, str], None] = {}
    for label, written in cells:
        value = plain_form(written)
        plain = " ".join(folded(value).split())
        if label in NAME_LABELS:
            words.update(((label, word), None) for word in plain.split() if len(word) >= 2)
        elif label == "DATE":
            terms.update(((label, form), None) for form in _date_forms(value))
        elif label in _NUMBER_LABELS:
            numbers[label, _BARE.sub("", value.lower())] = None
            terms[label, plain] = None
        elif label != "AGE":
            terms[label, plain] = None
    return Identifiers(tuple(terms), tuple(words), tuple(pair for pair in numbers if len(pair[1]) >= 4))


def _date_forms(value: str) -> list[str]:
    """A date in every usual way of writing it, folded; the value itself where it is no date."""
    day = _parse(value)
    plain = " ".join(folded(value).split())
    if day is None:
        return [plain]
    d, m, year, short = day.day, day.month, f"{day.year}", f"{day.year % 100:02d}"
    forms = {plain}
    for days in {f"{d}", f"{d:02d}"}:
        for months in {f"{m}", f"{m:02d}"}:
            for years in (year, short):
                forms |= {f"{months} {days} {years}", f"{days} {months} {years}", f"{years} {months} {days}"}
        for name in (f"{day:%b}".lower(), f"{day:%B}".lower()):
            suffix = "th" if 10 < d < 14 else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th")
            for written in (days, f"{d}{suffix}"):
                forms |= {f"{written} {name} {year}", f"{name} {written} {year}", f"{written} {name} {short}"}
    return sorted(forms | {f"{day:%Y%m%d}"})


def _parse(value: str) -> dt.date | None:
    for order in _DATE_ORDERS:
        try:
            return dt.datetime.strptime(value.strip(), order).date()
        except ValueError:
            continue
    return None
