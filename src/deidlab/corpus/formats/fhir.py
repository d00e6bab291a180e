"""FHIR: a JSON file a resource or bundle, and NDJSON as bulk exports write it."""

from __future__ import annotations

from deidlab.carriers.beginnings import is_fhir
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file, containers_in_a_file
from deidlab.corpus.files import lines_of
from deidlab.corpus.format import register

_RESOURCE, _LINE = OnDemand("fhir", "FHIR"), OnDemand("fhir", "FHIR", lines=True)
ONE = register(container_a_file("fhir", _RESOURCE, (".json",), is_fhir, is_special=True))
LINES = register(
    containers_in_a_file("fhir-ndjson", _LINE, lines_of, (".ndjson", ".jsonl"), is_fhir, is_special=True)
)
