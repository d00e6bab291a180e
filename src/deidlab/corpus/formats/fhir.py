"""FHIR: a JSON file a resource or bundle, and NDJSON as bulk exports write it."""

from __future__ import annotations

from deidlab.carriers.fhir import FHIR, begins
from deidlab.corpus.carried import container_a_file, containers_in_a_file
from deidlab.corpus.files import lines_of
from deidlab.corpus.format import register

ONE = register(container_a_file("fhir", FHIR(), (".json",), begins, is_special=True))
LINES = register(
    containers_in_a_file(
        "fhir-ndjson", FHIR(lines=True), lines_of, (".ndjson", ".jsonl"), begins, is_special=True
    )
)
