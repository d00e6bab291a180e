"""A masked corpus in, what it still tells of each patient out: values in memory, for nothing but counting.

Of text it is what the policy let stay: what the record says was replaced in part, and what rules find outside
every replacement. Of columns it is what was kept, and what of a masked column stays. Of several values of a
patient the most frequent counts.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab import languages
from deidlab.errors import ConfigError
from deidlab.evaluate.risk import Profiles
from deidlab.inputfile import open_input
from deidlab.mask.ages import ages_in, is_plain_age
from deidlab.mask.base_labels import base_label
from deidlab.mask.dates import anchor_of, years_in
from deidlab.mask.genders import gender_of_pronouns
from deidlab.mask.reduce import zip3
from deidlab.report.audit.record import NoteFacts, RunRecord
from deidlab.report.audit.second import Finder, spans_outside
from deidlab.types import Document, Region

_BATCH = 32
_LEAVES = frozenset({"year", "over-89", "age-band", "zip3", "fsa"})
_TOLD = {"PROFESSION": "profession", "STATE": "state", "COUNTRY": "country", "CITY": "city"}
_COLUMNS = {
    "sex": ("sex", "gender"), "age": ("age",), "zip": ("zip", "zip3", "zipcode", "postcode"),
    "year": ("year",), "state": ("state", "province"), "profession": ("profession", "occupation", "job"),
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{4,}")
_BAND = re.compile(r"\d+\s*[-–]\s*\d+")
_FEW = 5


@dataclass(slots=True)
class Told:
    """What is told of patients, filled as notes pass; it never shows a value."""

    values: dict[str, defaultdict[str, Counter[str]]] = field(default_factory=dict, repr=False)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def add(self, patient: str, attribute: str, value: str) -> None:
        if value:
            self.values.setdefault(patient, defaultdict(Counter))[attribute][value] += 1

    def add_words(self, patient: str, text: str) -> None:
        self.values.setdefault(patient, defaultdict(Counter))
        for word in {word.casefold() for word in _WORD.findall(text)}:
            known = self.words.get(word, ())
            if len(known) < _FEW and patient not in known:
                self.words[word] = (*known, patient)

    def profiles(self) -> Profiles:
        attributes = sorted({name for own in self.values.values() for name in own})
        rows = (tuple(_usual(own.get(name)) for name in attributes) for own in self.values.values())
        return Profiles(tuple(attributes), tuple(rows))

    def zip_digits(self) -> int:
        """How much of a postcode stands there, at most."""
        found = (len(value) for own in self.values.values() for value in own.get("zip", ()))
        return max(found, default=0)

    def rare_words(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Words that one patient alone has, and those of fewer than five: words, and patients with any."""
        found = []
        for most in (1, _FEW - 1):
            rare = [patients for patients in self.words.values() if len(patients) <= most]
            found.append((len(rare), len({each for patients in rare for each in patients})))
        return found[0], found[1]


def _usual(values: Counter[str] | None) -> str:
    return min(values, key=lambda value: (-values[value], value)) if values else ""


def read_told(record: RunRecord, detector: Finder) -> Told:
    """What the whole output tells."""
    told = Told()
    documents = record.documents()
    kept = tuple(record.settings.get("kept_columns", ()))
    while batch := list(islice(documents, _BATCH)):
        found = detector.detect([document for document, _ in batch], with_words=False)
        for (document, facts), detection in zip(batch, found, strict=True):
            places = [(span.label, *place) for span, place in zip(facts.spans, facts.places, strict=True)
                      if _leaves(span.label, record.settings)]  # fmt: skip
            places += [(each.label, each.start, each.end) for each in spans_outside(detection.spans, facts)]
            for label, start, end in places:
                for attribute, value in _values(base_label(label), document, start, end):
                    told.add(document.patient, attribute, value)
            _add_whole(told, document, facts, kept, str(record.settings.get("language", "")))
    return told


def _leaves(label: str, settings: Mapping[str, Any]) -> bool:
    """Whether something of a span with that label stayed where it was replaced."""
    actions = settings["actions"]
    action = actions.get(label, actions.get(base_label(label), "mask"))
    return action in _LEAVES or (base_label(label) == "AGE" and settings["style"] == "surrogate")


def _values(label: str, document: Document, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Attributes that a span tells, and their values."""
    text = document.text[start:end]
    if label == "AGE" and is_plain_age(text):
        band, ages = _BAND.search(text), ages_in(text)
        yield "age", band[0] if band else ("90+" if max(ages) > 89 else str(min(ages))) if ages else ""
    elif label == "ZIP":
        yield "zip", text.strip()
    elif label == "DATE":
        column, day, years = _column_at(document, start), anchor_of(text), years_in(text)
        yield column or "year", str(min(years)) if years else ""
        if day is not None:
            yield f"{column} day" if column else "day", day.isoformat()
    elif label in _TOLD:
        yield _TOLD[label], " ".join(text.casefold().split())


def _column_at(document: Document, place: int) -> str:
    """The column of a field that holds nothing else; empty in text."""
    container = document.container
    if container is None:
        return ""
    pairs: Iterator[tuple[str, Region]] = zip(container.columns, container.regions, strict=True)
    return next((name for name, each in pairs if each.label and each.start <= place <= each.end), "")


def _add_whole(told: Told, document: Document, facts: NoteFacts, kept: tuple[str, ...], code: str) -> None:
    """What a note tells as a whole: sex by its pronouns, kept columns, its words outside replacements."""
    patient, done, free = document.patient, 0, []
    for start, end in facts.places:
        free.append(document.text[done:start])
        done = end
    told.add_words(patient, " ".join((*free, document.text[done:])))
    told.add(patient, "sex", gender_of_pronouns(document.text, languages.in_note(code, document.text)))
    for column in kept:
        value = document.meta.get(column)
        told.add(patient, *column_value(column, "" if value is None else str(value)))


def column_value(column: str, value: str) -> tuple[str, str]:
    """The attribute that a column is, and a cell as a value of it."""
    plain = column.strip().casefold()
    name = next((name for name, words in _COLUMNS.items() if plain in words), plain)
    value = " ".join(value.split())
    if name == "sex":
        return name, value[:1].casefold()
    if name == "age" and (ages := ages_in(value)) and not _BAND.search(value):
        return name, "90+" if max(ages) > 89 else str(min(ages))
    return name, value.casefold()


def read_population(path: Path, attributes: tuple[str, ...], digits: int) -> Profiles:
    """People of a table (CSV), by those columns that are attributes; postcodes to so many digits."""
    try:
        with io.TextIOWrapper(open_input(path), "utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            names = {column: column_value(column, "")[0] for column in rows.fieldnames or ()}
            known = [column for column, name in names.items() if name in attributes]
            if not known:
                raise ConfigError(
                    f"{path}: no column of it is known of the patients; known are: "
                    f"{', '.join(attributes) or 'none'}"
                )
            people = tuple(
                tuple(_person(names[column], row[column] or "", digits) for column in known) for row in rows
            )
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (UnicodeDecodeError, csv.Error):
        raise ConfigError(f"{path}: not a table in CSV and UTF-8") from None
    return Profiles(tuple(names[column] for column in known), people)


def _person(attribute: str, value: str, digits: int) -> str:
    found = column_value(attribute, value)[1]
    # The small areas are 000 in masked notes, and so among the people.
    return zip3(found) or found if attribute == "zip" and digits == 3 else found
