"""A table of what is known of each patient in, exact and near matches in that patient's notes out.

CSV, Parquet or JSONL, with a column `patient`; every other column is a kind of identifier, and its name
decides the label (`name`, `last`, `dob`, `phone`, `mrn`, ...). A patient may have any number of rows.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.detect.known_match import SOURCE, Identifiers, collect
from deidlab.errors import ConfigError, CorpusError, needing
from deidlab.inputfile import open_input, require_regular
from deidlab.rules.readings import find_in_readings
from deidlab.types import Document, Span

__all__ = ["SOURCE", "KnownTable", "label_of_column"]

# What the patient of standard input is called.
_STREAM = "stdin"
PATIENT_COLUMNS = ("patient", "patient_id", "patientid")
# The first word of a column's name that is found here decides; order matters where two could.
_COLUMN_LABELS = (
    (("email", "mail"), "EMAIL"),
    (("fax",), "FAX"),
    (("phone", "mobile", "cell", "telephone", "tel", "pager"), "PHONE"),
    (("ssn", "social"), "SSN"),
    (("dob", "date", "birth", "birthdate", "born", "death", "admission", "discharge"), "DATE"),
    (("mrn", "nhs", "chi", "record", "chart", "hospitalnumber"), "MEDICALRECORD"),
    (("plan", "insurance", "member", "policy", "healthcard", "medicare", "health"), "HEALTHPLAN"),
    (("account", "acct"), "ACCOUNT"),
    (("licence", "license", "dea", "npi"), "LICENSE"),
    (("vehicle", "vin", "plate"), "VEHICLE"),
    (("device", "serial"), "DEVICE"),
    (("zip", "postcode", "postal", "eircode"), "ZIP"),
    (("street", "address", "addr"), "STREET"),
    (("city", "town"), "CITY"),
    (("state", "province", "county"), "STATE"),
    (("country",), "COUNTRY"),
    (("username", "login", "user"), "USERNAME"),
    (("doctor", "physician", "gp", "provider", "surgeon", "clinician", "nurse"), "DOCTOR"),
    (("hospital", "clinic", "facility"), "HOSPITAL"),
    (("employer", "organization", "organisation", "school", "company"), "ORGANIZATION"),
    (("profession", "occupation", "job"), "PROFESSION"),
    (("url", "website"), "URL"),
    (("ip", "ipaddr"), "IPADDR"),
    (("age",), "AGE"),
    (("name", "first", "last", "middle", "given", "family", "surname", "alias", "maiden", "nickname",
      "relative", "spouse", "mother", "father", "kin"), "PATIENT"),
    (("id", "number", "no", "identifier"), "IDNUM"),
)  # fmt: skip


def label_of_column(column: str) -> str:
    """The label that a column's name stands for; OTHER where it says nothing."""
    parts = set(re.split(r"[^a-z]+", column.lower())) | {re.sub("[^a-z]", "", column.lower())}
    return next((label for words, label in _COLUMN_LABELS if parts & set(words)), "OTHER")


@dataclass(frozen=True, slots=True)
class KnownTable:
    """What is known of each patient; it never shows a value."""

    patients: Mapping[str, Identifiers] = field(repr=False)

    def __len__(self) -> int:
        return len(self.patients)

    @classmethod
    def read(cls, path: Path | str) -> KnownTable:
        """The table in a CSV, Parquet or JSONL file."""
        path = Path(path)
        try:
            return cls.of(_rows(path), str(path))
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"{path}: not a text file in UTF-8") from None
        except csv.Error:
            raise ConfigError(f"{path}: not a table: a quote is never closed, or a cell is huge") from None

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], name: str = "known table") -> KnownTable:
        """The table made of rows; empty cells are passed over."""
        values: dict[str, set[tuple[str, str]]] = {}
        for number, row in enumerate(rows, 1):
            columns = {column.strip().lower(): column for column in row if column}
            owner = next((columns[known] for known in PATIENT_COLUMNS if known in columns), None)
            if owner is None:
                raise ConfigError(f"{name}: no column 'patient'; columns are kept apart by it")
            patient = str(row[owner] if row[owner] is not None else "").strip()
            if not patient:
                raise CorpusError(f"{name}: row {number} has no patient")
            cells = values.setdefault(patient, set())
            for column, value in row.items():
                if column and column != owner and value is not None and str(value).strip():
                    cells.add((label_of_column(column), str(value).strip()))
        table = cls({patient: collect(sorted(cells)) for patient, cells in values.items()})
        if not any(table.patients.values()):
            raise ConfigError(
                f"{name}: no identifier in it ({len(table)} patients); beside 'patient' it needs columns "
                "such as name, dob, phone or mrn, with values"
            )
        return table

    def find(self, document: Document) -> list[Span]:
        """Every mention of what is known of the document's patient.

        A table of one patient is about every note whose patient is not known, too.
        """
        identifiers = self.patients.get(document.patient)
        if identifiers is None and len(self.patients) == 1 and document.patient in (document.id, _STREAM):
            identifiers = next(iter(self.patients.values()))
        return [] if identifiers is None else find_in_readings(document.text, identifiers.find)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        yield from _parquet_rows(path)
    elif suffix in {".jsonl", ".ndjson"}:
        yield from _jsonl_rows(path)
    elif suffix in {".csv", ".tsv"}:
        with io.TextIOWrapper(open_input(path), "utf-8-sig", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ",")
    else:
        raise ConfigError(f"{path}: a table of known identifiers ends in .csv, .tsv, .parquet or .jsonl")


def _parquet_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with needing("Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        require_regular(path)
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except pa.ArrowInvalid:
        raise ConfigError(f"{path}: not a Parquet file") from None


def _jsonl_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with io.TextIOWrapper(open_input(path), "utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                raise ConfigError(f"{path}: line {number} is not JSON") from None
            if not isinstance(row, dict):
                raise ConfigError(f"{path}: line {number} is not a JSON object")
            yield row
