"""An invented OMOP database: persons, visits, conditions, measurements, notes and findings in the notes.

Nobody in it exists, and no name in it is one that masking draws from, so that whatever is found again in the
output has leaked. `tables` yields every table with its rows; `build_postgresql`, `build_sqlite`,
`build_duckdb` and `build_folder` put them somewhere.

    python benchmarks/omop.py sqlite omop.db --persons 2000 --notes 20000
    python benchmarks/omop.py csv folder --persons 2000 --notes 20000
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

_DDL = {
    "concept": """
        concept_id INTEGER PRIMARY KEY, concept_name VARCHAR(255) NOT NULL, valid_start_date DATE NOT NULL,
        valid_end_date DATE NOT NULL
    """,
    "location": """
        location_id INTEGER PRIMARY KEY, address_1 VARCHAR(50), city VARCHAR(50), state VARCHAR(2), zip
        VARCHAR(9), location_source_value VARCHAR(50)
    """,
    "care_site": """
        care_site_id INTEGER PRIMARY KEY, care_site_name VARCHAR(255), location_id INTEGER REFERENCES
        location (location_id)
    """,
    "provider": """
        provider_id INTEGER PRIMARY KEY, provider_name VARCHAR(255), npi VARCHAR(20), care_site_id INTEGER
        REFERENCES care_site (care_site_id), year_of_birth INTEGER
    """,
    "person": """
        person_id INTEGER PRIMARY KEY, gender_concept_id INTEGER NOT NULL REFERENCES concept (concept_id),
        year_of_birth INTEGER NOT NULL, month_of_birth INTEGER, day_of_birth INTEGER, birth_datetime
        TIMESTAMP, location_id INTEGER REFERENCES location (location_id), provider_id INTEGER REFERENCES
        provider (provider_id), person_source_value VARCHAR(50)
    """,
    "person_contact": """
        person_id INTEGER NOT NULL REFERENCES person (person_id), given_name TEXT, family_name TEXT, phone
        TEXT, email TEXT
    """,
    "visit_occurrence": """
        visit_occurrence_id BIGINT PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (person_id),
        visit_start_date DATE NOT NULL, visit_start_datetime TIMESTAMP, visit_end_date DATE NOT NULL,
        provider_id INTEGER REFERENCES provider (provider_id), preceding_visit_occurrence_id BIGINT
        REFERENCES visit_occurrence (visit_occurrence_id)
    """,
    "condition_occurrence": """
        condition_occurrence_id BIGINT PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person
        (person_id), condition_concept_id INTEGER NOT NULL REFERENCES concept (concept_id),
        condition_start_date DATE NOT NULL, condition_end_date DATE, visit_occurrence_id BIGINT REFERENCES
        visit_occurrence (visit_occurrence_id), condition_source_value VARCHAR(50)
    """,
    "measurement": """
        measurement_id BIGINT PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (person_id),
        measurement_concept_id INTEGER NOT NULL REFERENCES concept (concept_id), measurement_date DATE NOT
        NULL, measurement_datetime TIMESTAMP, value_as_number NUMERIC, visit_occurrence_id BIGINT REFERENCES
        visit_occurrence (visit_occurrence_id)
    """,
    "death": """
        person_id INTEGER PRIMARY KEY REFERENCES person (person_id), death_date DATE NOT NULL
    """,
    "note": """
        note_id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (person_id), note_date
        DATE NOT NULL, note_datetime TIMESTAMP, note_type_concept_id INTEGER NOT NULL REFERENCES concept
        (concept_id), note_title VARCHAR(250), note_text TEXT NOT NULL, provider_id INTEGER REFERENCES
        provider (provider_id), visit_occurrence_id BIGINT REFERENCES visit_occurrence (visit_occurrence_id)
    """,
    "note_nlp": """
        note_nlp_id BIGINT PRIMARY KEY, note_id INTEGER NOT NULL REFERENCES note (note_id), snippet
        VARCHAR(250), "offset" VARCHAR(50), lexical_variant VARCHAR(250) NOT NULL, note_nlp_concept_id
        INTEGER REFERENCES concept (concept_id), nlp_system VARCHAR(250), nlp_date DATE NOT NULL,
        term_exists VARCHAR(1)
    """,
}
DDL = {name: " ".join(cells.split()) for name, cells in _DDL.items()}
TABLES = tuple(DDL)
TERMS = (
    "pneumonia",
    "atrial fibrillation",
    "hyponatremia",
    "cellulitis",
    "asthma",
    "gout",
    "anemia",
    "migraine",
)
BODY = (
    "Blood pressure 132/84, pulse 76, afebrile. Chest clear, abdomen soft, wound dry. Creatinine 1.3, "
    "sodium 139. Furosemide 40 mg twice a day was continued and metolazone added on hospital day 2. Plan: "
    "diet, physiotherapy, labs again in two days. Strength 4/5 on the left; no sign of stroke. Oriented."
)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


def word(number: int, syllables: int) -> str:
    """A word that no other number has, and no bank of names."""
    letters = []
    for _ in range(syllables):
        number, c = divmod(number, len(_CONSONANTS))
        number, v = divmod(number, len(_VOWELS))
        letters += [_CONSONANTS[c], _VOWELS[v]]
    return "".join(letters).capitalize() + "q"


def given_name(person: int) -> str:
    return word(person * 7919 + 3, 3)


def family_name(person: int) -> str:
    return word(person * 104_729 + 11, 4)


def provider_name(provider: int) -> str:
    return f"{word(provider * 31 + 5, 3)}x {word(provider * 6133 + 17, 4)}x"


def phone(person: int) -> str:
    return f"802-{person % 900 + 100}-{person % 9000 + 1000}"


def mrn(person: int) -> str:
    return f"MR-{4_000_000 + person * 37}"


def tables(n_persons: int, n_notes: int, seed: int = 7) -> Iterator[tuple[str, Iterator[tuple[Any, ...]]]]:
    """Every table, parents first; the same arguments give the same rows."""
    n_providers, n_locations = max(5, n_persons // 100), max(5, n_persons // 20)
    draw = random.Random(seed)
    visits = [_visit(n, n_persons, draw) for n in range(1, n_notes + 1)]
    notes = [_note(n, visits[n - 1], n_providers, draw) for n in range(1, n_notes + 1)]
    births = _births(n_persons, draw)
    yield from _places(n_locations, n_providers)
    yield "person", (_person(n, born, n_locations, n_providers) for n, born in births.items())
    yield "person_contact", map(_contact, births)
    yield from _events(visits, n_persons)
    yield "note", (note[:-1] for note in notes)
    yield "note_nlp", _findings(notes)


def _births(n_persons: int, draw: random.Random) -> dict[int, dt.date]:
    births = {
        n: dt.date(1955 + draw.randrange(60), draw.randrange(1, 13), draw.randrange(1, 29))
        for n in range(1, n_persons + 1)
    }
    for n in range(1, n_persons + 1, 50):
        births[n] = births[n].replace(year=1920)  # over 89 when the last note is written
    return births


def _places(n_locations: int, n_providers: int) -> Iterator[tuple[str, Iterator[tuple[Any, ...]]]]:
    """What stands before there are patients."""
    yield "concept", ((n, f"concept {n}", dt.date(1970, 1, 1), dt.date(2099, 12, 31)) for n in range(1, 200))
    yield "location", map(_location, range(1, n_locations + 1))
    yield "care_site", ((n, f"{word(n * 71 + 1, 4)}x Hospital", n) for n in range(1, 6))
    yield "provider", (
        (n, provider_name(n), f"{1_000_000_000 + n * 7}", n % 5 + 1, 1950 + n % 40)
        for n in range(1, n_providers + 1)
    )  # fmt: skip


def _location(n: int) -> tuple[Any, ...]:
    street, town = f"{n} {word(n * 97 + 2, 3)}x Street", word(n * 53 + 9, 4) + "ville"
    return n, street, town, "VT", f"{5000 + n % 900:05}", f"LOC{n:07}"


def _person(n: int, born: dt.date, n_locations: int, n_providers: int) -> tuple[Any, ...]:
    at = dt.datetime(born.year, born.month, born.day)
    where = 1 + n % n_locations, 1 + n % n_providers
    return n, 1 + n % 2, born.year, born.month, born.day, at, *where, mrn(n)


def _contact(n: int) -> tuple[Any, ...]:
    return n, given_name(n), family_name(n), phone(n), f"{family_name(n).lower()}@mail.example"


def _events(
    visits: Sequence[tuple[Any, ...]], n_persons: int
) -> Iterator[tuple[str, Iterator[tuple[Any, ...]]]]:
    """What happened to patients beside their notes."""
    yield "visit_occurrence", iter(visits)
    yield "condition_occurrence", (
        (n, v[1], 10 + n % 100, v[2], v[4] if n % 3 else None, v[0], f"I{n % 90:02}.{n % 10}")
        for n, v in enumerate(visits, 1)
    )  # fmt: skip
    yield "measurement", (
        (n, v[1], 110 + n % 80, v[2], v[3], f"{n % 900 / 10:.1f}", v[0]) for n, v in enumerate(visits, 1)
    )  # fmt: skip
    yield "death", ((n, dt.date(2073, 1, 1) + dt.timedelta(n % 300)) for n in range(1, n_persons + 1, 40))


def _visit(n: int, n_persons: int, draw: random.Random) -> tuple[Any, ...]:
    start = dt.date(2064, 1, 1) + dt.timedelta(draw.randrange(3000))
    at = dt.datetime(start.year, start.month, start.day, draw.randrange(24), draw.randrange(60))
    person = (n - 1) % n_persons + 1
    before = n - n_persons if n > n_persons else None
    return n, person, start, at, start + dt.timedelta(draw.randrange(9)), n % 5 + 1, before


def _note(n: int, visit: tuple[Any, ...], n_providers: int, draw: random.Random) -> tuple[Any, ...]:
    _, person, start, _, end, *_ = visit
    term, provider = TERMS[n % len(TERMS)], n % n_providers + 1
    told = "\n".join((
        f"Patient: {given_name(person)} {family_name(person)}    MRN: {mrn(person)}",
        f"Date of note: {end.isoformat()}. Admitted on {start.month}/{start.day}/{start.year}.",
        f"Seen by Dr. {provider_name(provider)}.",
        f"Mr. {family_name(person)} has {term}. {BODY}",
        f"Call {given_name(person)} at {phone(person)} before the next visit.",
    ))  # fmt: skip
    at = dt.datetime(end.year, end.month, end.day, draw.randrange(24), draw.randrange(60))
    return n, person, end, at, 190, f"Note for Mr. {family_name(person)}", told, provider, visit[0], term


def _findings(notes: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """A term of each note; of every tenth the patient's name too, as systems find it."""
    number = 0
    for note in notes:
        words = (note[-1], *((family_name(note[1]),) if note[0] % 10 == 0 else ()))
        for found in words:
            number, start = number + 1, note[6].index(found)
            around = note[6][max(0, start - 20) : start + len(found) + 20]
            yield number, note[0], around, str(start), found, 20, "made", note[2], "Y"


def build_postgresql(connection: Any, n_persons: int, n_notes: int) -> None:
    for name, cells in DDL.items():
        connection.execute(f"CREATE TABLE {name} ({cells})")
    for name, rows in tables(n_persons, n_notes):
        with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def build_sqlite(path: Path, n_persons: int, n_notes: int) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for name, cells in DDL.items():
            db.execute(f"CREATE TABLE {name} ({cells})")
        for name, rows in tables(n_persons, n_notes):
            plain = (tuple(str(c) if isinstance(c, dt.date) else c for c in row) for row in rows)
            marks = ", ".join("?" * len(columns(name)))
            db.executemany(f"INSERT INTO {name} VALUES ({marks})", plain)


def build_duckdb(path: Path, n_persons: int, n_notes: int) -> None:
    import duckdb

    with duckdb.connect(str(path)) as db:
        for name, cells in DDL.items():
            db.execute(f"CREATE TABLE {name} ({cells})")
        for name, rows in tables(n_persons, n_notes):
            # One row after another: some point to one before them.
            db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns(name)))})", list(rows))


def columns(name: str) -> list[str]:
    return [part.split()[0].strip('"') for part in DDL[name].split(", ")]


def build_folder(path: Path, n_persons: int, n_notes: int, ending: str = "csv") -> None:
    path.mkdir(parents=True)
    for name, rows in tables(n_persons, n_notes):
        if ending == "csv":
            with (path / f"{name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(columns(name))
                writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
        else:
            import pyarrow as pa
            import pyarrow.parquet as pq

            cells = zip(*rows, strict=True)
            pq.write_table(
                pa.table(dict(zip(columns(name), map(list, cells), strict=True))), path / f"{name}.parquet"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kind", choices=("sqlite", "duckdb", "csv", "parquet"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--persons", type=int, default=20_000)
    parser.add_argument("--notes", type=int, default=200_000)
    asked = parser.parse_args()
    if asked.kind in ("sqlite", "duckdb"):
        build = build_sqlite if asked.kind == "sqlite" else build_duckdb
        build(asked.out, asked.persons, asked.notes)
    else:
        build_folder(asked.out, asked.persons, asked.notes, asked.kind)


if __name__ == "__main__":
    main()
