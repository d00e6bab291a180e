"""FHIR R4 and R5 as JSON: what `data/carriers/fhir.toml` knows of a resource, and nothing else, goes through.

One container is about one patient: a resource, a line of a bulk export, or a bundle of one patient's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from deidlab.carriers.carrier import Parts, Refused, put_all
from deidlab.carriers.fhir_fields import split_reference
from deidlab.carriers.fhir_place import sweep
from deidlab.carriers.fhir_table import is_read, table
from deidlab.carriers.fhir_walk import Walk
from deidlab.carriers.json_text import read_json, write_json


@dataclass(frozen=True, slots=True)
class FHIR:
    """The carrier: one resource; `lines` writes it as a line."""

    lines: bool = False

    def take_apart(self, content: bytes) -> Parts:
        record = _read(content)
        types, patient = _look_around(record)
        walk = Walk(types)
        pieces = tuple(slot.piece for slot in walk.resource(record))
        return Parts(pieces, patient, "", +walk.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        record = _read(content)
        walk = Walk(_look_around(record)[0])
        put_all(walk.resource(record), texts)
        for close in walk.closing:
            close()
        indented = not self.lines and b"\n" in content.strip()
        return (write_json(sweep(record), indented) + "\n").encode()


def unwrapped(content: bytes) -> bytes:
    """The resource itself where it is the one parameter of Parameters, as operations take it."""
    record = read_json(content)
    if record.get("resourceType") != "Parameters":
        return content
    parameters = record.get("parameter")
    if isinstance(parameters, list) and len(parameters) == 1 and isinstance(parameters[0], dict):
        (only,) = parameters
        if (
            only.keys() == {"name", "resource"}
            and only["name"] == "resource"
            and isinstance(only["resource"], dict)
        ):
            return write_json(only["resource"], indented=False).encode()
    raise Refused("Parameters have one parameter here, a resource whose name is `resource`")


def _read(content: bytes) -> dict[str, Any]:
    record = read_json(content)
    if not is_read(record.get("resourceType")):
        raise Refused("it is no FHIR resource of a type that is known; take it out")
    return record


def _look_around(record: dict[str, Any]) -> tuple[dict[str, str], str]:
    """What each full URL is, and whose the record is; one about several patients is refused."""
    types: dict[str, str] = {}
    ids: dict[str, str] = {}
    resources = list(_resources(record))
    for url, resource in resources:
        if url and isinstance(resource.get("id"), str):
            ids[_tail(url)] = resource["id"]
        types[url] = str(resource["resourceType"])
    found = {
        ids.get(key, key)
        for url, resource in resources
        for key in _patients(resource, types, url)
        if not key.startswith("#")
    }
    if len(found) > 1:
        raise Refused("a bundle about several patients: split it into lines of NDJSON, one resource a line")
    return types, next(iter(found), "")


def _resources(record: Any, url: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """A resource and those of its entries and parameters, with their full URLs."""
    if not (isinstance(record, dict) and is_read(record.get("resourceType"))):
        return
    yield url, record
    for name in ("entry", "parameter", "part"):
        yield from _below(record.get(name))


def _below(entries: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            url = entry.get("fullUrl")
            yield from _resources(entry.get("resource"), url if isinstance(url, str) else "")
            yield from _below(entry.get("part"))


def _patients(resource: dict[str, Any], types: dict[str, str], url: str) -> Iterator[str]:
    if resource["resourceType"] == "Patient":
        own = resource.get("id", url and _tail(url))
        if isinstance(own, str) and own:
            yield own
    for name in table()["whose"]:
        yield from _referred(resource.get(name), types)
    for each in _objects(resource.get("participant")) if resource["resourceType"] == "Appointment" else ():
        yield from _referred(each.get("actor"), types)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def _referred(value: Any, types: dict[str, str]) -> Iterator[str]:
    """The patients that references name; what is referred to may be of another type."""
    for each in _objects(value):
        reference, said, identifier = each.get("reference"), each.get("type"), each.get("identifier")
        found = split_reference(reference) if isinstance(reference, str) else None
        if found is not None and isinstance(reference, str):
            type_ = types.get(reference) or found[0] or said or "Patient"
            if type_ == "Patient" and found[1]:
                yield found[1] if not reference.startswith("#") else reference
        elif isinstance(identifier, dict) and said in (None, "Patient"):
            yield from filter(None, [value] if isinstance(value := identifier.get("value"), str) else ())


def _tail(url: str) -> str:
    found = split_reference(url)
    return found[1] if found else url
