"""What must hold between the invented OMOP database and the same masked: rows of both in, complaints out.

A complaint names tables and columns and how many rows; it shows nothing of a row.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from omop import DDL, TERMS, columns

Rows = Mapping[str, Sequence[Sequence[Any]]]
KEYS = {
    "person_id": "person", "visit_occurrence_id": "visit", "preceding_visit_occurrence_id": "visit",
    "note_id": "note", "provider_id": "provider", "care_site_id": "care_site", "location_id": "location",
    "condition_occurrence_id": "condition", "measurement_id": "measurement", "note_nlp_id": "finding",
}  # fmt: skip
SAME = (
    "concept_id", "gender_concept_id", "condition_concept_id", "measurement_concept_id", "value_as_number",
    "condition_source_value", "note_type_concept_id", "term_exists", "concept_name",
)  # fmt: skip
NAMED = (
    ("person", "person_source_value"), ("person_contact", "given_name"), ("person_contact", "family_name"),
    ("person_contact", "phone"), ("person_contact", "email"), ("provider", "provider_name"),
    ("provider", "npi"), ("location", "address_1"), ("location", "city"),
    ("location", "location_source_value"), ("care_site", "care_site_name"),
)  # fmt: skip
_TOKEN = re.compile(r"[\w@.+-]*\w")
_COMMON = frozenset(("Street", "Hospital"))
_ISO, _US = re.compile(r"\d{4}-\d{2}-\d{2}"), re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


def column(rows: Rows, table: str, name: str) -> list[Any]:
    place = columns(table).index(name)
    return [row[place] for row in rows[table]]


def day_of(cell: Any) -> dt.date | None:
    return None if cell in (None, "") else dt.date.fromisoformat(str(cell)[:10])


def complaints(before: Rows, after: Rows) -> list[str]:
    """All that does not hold."""
    return [
        *_shapes(before, after), *_keys(before, after), *_joins(before, after), *_dates(before, after),
        *_words(before, after), *_findings(before, after),
    ]  # fmt: skip


def _shapes(before: Rows, after: Rows) -> Iterator[str]:
    """Rows, types, and what is nothing."""
    for table in DDL:
        if len(before[table]) != len(after[table]):
            yield f"{table}: {len(before[table])} rows became {len(after[table])}"
        for name in columns(table):
            cells = zip(column(before, table, name), column(after, table, name), strict=False)
            changed = sum(type(one) is not type(two) for one, two in cells)
            if changed:
                yield f"{table}.{name}: {changed} cells of another type"
            if name in SAME and column(before, table, name) != column(after, table, name):
                yield f"{table}.{name}: codes or numbers changed"


def _keys(before: Rows, after: Rows) -> Iterator[str]:
    """One key for one key, over all tables; no original one anywhere among the new."""
    pairs: dict[str, dict[Any, Any]] = {}
    for table in DDL:
        for name in columns(table):
            if name not in KEYS:
                continue
            known = pairs.setdefault(KEYS[name], {})
            cells = zip(column(before, table, name), column(after, table, name), strict=False)
            wrong = sum(known.setdefault(one, two) != two for one, two in cells)
            if wrong:
                yield f"{table}.{name}: {wrong} keys are not the same as in other tables"
    for space, known in pairs.items():
        old, new = set(known) - {None, ""}, {two for one, two in known.items() if one not in (None, "")}
        if len(old) != len(new):
            yield f"{space}: two keys became one"
        if old & new:
            yield f"{space}: {len(old & new)} original keys in the output"


def _joins(before: Rows, after: Rows) -> Iterator[str]:
    for table, cells in DDL.items():
        for name, parent, own in re.findall(
            r"\"?(\w+)\"? \w+(?: PRIMARY KEY| NOT NULL)? REFERENCES (\w+) \((\w+)\)", cells
        ):
            counts = []
            for rows in (before, after):
                there = Counter(column(rows, parent, own))
                counts.append(sum(there[cell] for cell in column(rows, table, name)))
                lost = sum(
                    1 for cell in column(rows, table, name) if cell not in (None, "") and not there[cell]
                )
                if lost:
                    yield f"{table}.{name}: {lost} keys lead nowhere"
            if counts[0] != counts[1]:
                yield f"{table}.{name}: {counts[0]} joined rows became {counts[1]}"


def _dates(before: Rows, after: Rows) -> Iterator[str]:
    """One offset a patient, in tables and texts; nobody's is nothing."""
    offsets: dict[Any, int] = {}
    notes = dict(zip(column(before, "note", "note_id"), column(before, "note", "person_id"), strict=True))
    for table in DDL:
        names = columns(table)
        if table == "concept" or not {"person_id", "note_id"} & set(names):
            continue
        dates = [name for name in names if name.endswith(("date", "datetime")) and "birth" not in name]
        owner = column(before, table, "person_id" if "person_id" in names else "note_id")
        owner = owner if "person_id" in names else [notes[note] for note in owner]
        for name in dates:
            cells = zip(owner, column(before, table, name), column(after, table, name), strict=True)
            wrong = sum(not _is_moved(offsets, who, day_of(one), day_of(two)) for who, one, two in cells)
            if wrong:
                yield f"{table}.{name}: {wrong} intervals are not as they were"
    if any(offset == 0 for offset in offsets.values()):
        yield "dates did not move"
    texts = zip(
        column(before, "note", "person_id"),
        column(before, "note", "note_text"),
        column(after, "note", "note_text"),
        strict=True,
    )
    wrong = sum(
        not all(_is_moved(offsets, who, a, b) for a, b in zip(_days(one), _days(two), strict=True))
        if len(_days(one)) == len(_days(two))
        else 1
        for who, one, two in texts
    )
    if wrong:
        yield f"{wrong} notes whose dates are not those of the tables"


def _is_moved(offsets: dict[Any, int], who: Any, one: dt.date | None, two: dt.date | None) -> bool:
    if one is None or two is None:
        return one is two
    return offsets.setdefault(who, (two - one).days) == (two - one).days


def _days(text: str) -> list[dt.date]:
    us = [dt.date(int(year), int(month), int(day)) for month, day, year in _US.findall(text)]
    return [dt.date.fromisoformat(found) for found in _ISO.findall(text)] + us


def _words(before: Rows, after: Rows) -> Iterator[str]:
    """Every word of every identifying column, looked for in every cell of text of the output."""
    words: set[str] = set()
    for table, name in NAMED:
        for cell in column(before, table, name):
            words.update(token for token in _TOKEN.findall(str(cell)) if len(token) > 3)
    words -= _COMMON
    for table in DDL:
        for n, name in enumerate(columns(table)):
            found = sum(
                1
                for row in after[table]
                if isinstance(row[n], str) and words.intersection(_TOKEN.findall(row[n]))
            )
            if found:
                yield f"{table}.{name}: {found} cells hold an original value"


def _findings(before: Rows, after: Rows) -> Iterator[str]:
    """Findings stand where they say, and terms that are no PHI are what they were."""
    texts = dict(zip(column(after, "note", "note_id"), column(after, "note", "note_text"), strict=True))
    place = {name: n for n, name in enumerate(columns("note_nlp"))}
    wrong = changed = 0
    for old, new in zip(before["note_nlp"], after["note_nlp"], strict=True):
        text, start = texts[new[place["note_id"]]], int(new[place["offset"]])
        words = new[place["lexical_variant"]]
        wrong += text[start : start + len(words)] != words or new[place["snippet"]] not in text
        changed += old[place["lexical_variant"]] in TERMS and old[place["lexical_variant"]] != words
    if wrong:
        yield f"note_nlp: {wrong} findings are not in the masked note where they say"
    if changed:
        yield f"note_nlp: {changed} terms changed"
