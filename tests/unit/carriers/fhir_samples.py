"""FHIR resources with something in every element that the standard defines, made from its models."""

from __future__ import annotations

import base64
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

SECRET = "Xylosentinel"
DAY = "2031-07-29"
_DEEPEST = 5
_PRIMITIVES: dict[str, Any] = {
    "Date": DAY, "DateTime": f"{DAY}T08:15:00-05:00", "Instant": f"{DAY}T08:15:00.000Z", "Time": "08:15:00",
    "Uri": f"http://{SECRET}.example/a", "Url": f"http://{SECRET}.example/b",
    "Canonical": f"http://{SECRET}.example/c", "Oid": "urn:oid:1.2.66.31337", "Code": "a-code", "Id": SECRET,
    "Uuid": "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7", "Markdown": f"Seen by Dr. Tom {SECRET}.",
    "String": f"Seen by Dr. Tom {SECRET}.", "Base64Binary": base64.b64encode(SECRET.encode()).decode(),
    "Decimal": 7, "Integer": 7, "Integer64": 7, "PositiveInt": 7, "UnsignedInt": 7, "bool": True,
}  # fmt: skip
_KNOWN: dict[str, Any] = {
    "Narrative": {"status": "generated", "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>Dr. Tom <b>{SECRET}</b></p></div>'},
    "Reference": {"reference": f"Patient/{SECRET}", "display": f"Tom {SECRET}"},
    "Extension": {"url": f"http://{SECRET}.example/x", "valueString": SECRET},
    "Resource": {"resourceType": "Organization", "id": SECRET, "name": f"{SECRET} Clinic"},
    "Attachment": {"contentType": "text/plain", "title": SECRET, "url": f"http://{SECRET}.example/d",
                   "data": base64.b64encode(f"Seen by Dr. Tom {SECRET}.".encode()).decode()},
    # A state and a country may stay, as the policy says.
    "Address": {"text": SECRET, "line": [SECRET], "city": SECRET, "district": SECRET, "state": "MA", "country": "US"},
    "Age": {"value": 93, "unit": "years", "system": "http://unitsofmeasure.org", "code": "a"},
    "Signature": {"type": [{"code": "a"}], "when": f"{DAY}T08:15:00.000Z", "who": {"display": SECRET},
                  "data": base64.b64encode(SECRET.encode()).decode()},
}  # fmt: skip


def model(release: str, name: str) -> Any:
    """The class of a resource or type."""
    package = "fhir.resources.R4B" if release == "R4B" else "fhir.resources"
    return getattr(importlib.import_module(f"{package}.{name.lower()}"), name)


@dataclass
class Maker:
    """Makes one sample; `turn` says which of several types a value is of.

    With `beside`, ids of elements and what may stand beside a value are made too. A `word` stands in the place
    of all text: a single one may pass for a code.
    """

    release: str
    turn: int
    beside: bool = False
    word: str = ""
    _of: dict[str, Any] = field(default_factory=dict)

    def resource(self, name: str) -> dict[str, Any]:
        return {"resourceType": name, **self._members(self._find(name), 0), "id": SECRET}

    def _find(self, name: str) -> Any:
        if name not in self._of:
            fhirtypes = importlib.import_module(
                "fhir.resources.R4B.fhirtypes" if self.release == "R4B" else "fhir.resources.fhirtypes"
            )
            self._of[name] = getattr(fhirtypes, f"{name}Type").get_model_klass()
        return self._of[name]

    def _members(self, of: Any, depth: int) -> dict[str, Any]:
        choices: dict[str, list[str]] = {}
        for key, info in of.model_fields.items():
            if group := (info.json_schema_extra or {}).get("one_of_many"):
                choices.setdefault(group, []).append(key)
        chosen = {group: keys[self.turn % len(keys)] for group, keys in choices.items()}
        found: dict[str, Any] = {}
        for key, info in of.model_fields.items():
            extra = info.json_schema_extra or {}
            group = extra.get("one_of_many")
            if key == "fhir_comments" or key.endswith("__ext") or (group and chosen[group] != key):
                continue
            if key in ("resource_type", "id") or (key == "contained" and depth):
                continue
            value = "application/pdf" if key == "contentType" else self._value(info, extra, depth)
            if value is not None:
                found[info.alias or key] = value
            if self.beside and isinstance(value, str):
                found[f"_{info.alias or key}"] = {"id": SECRET, "extension": [_KNOWN["Extension"]]}
        return {**found, "id": SECRET} if self.beside else found

    def _value(self, info: Any, extra: dict[str, Any], depth: int) -> Any:
        written = str(info.annotation)
        one = self._one(written, extra, depth)
        return None if one is None else [one] if "List[" in written else one

    def _one(self, written: str, extra: dict[str, Any], depth: int) -> Any:
        if extra.get("enum_values"):
            return extra["enum_values"][0]
        nested = re.search(r"abc\.(\w+?)Type\b", written)
        if nested is None:
            kinds = re.findall(r"([A-Z]\w+)\(", written)
            if self.word and {"String", "Markdown"} & set(kinds):
                return self.word
            return next((_PRIMITIVES[kind] for kind in kinds if kind in _PRIMITIVES), _plain(written))
        name = nested[1]
        if name in _KNOWN:
            return _KNOWN[name]
        return self._members(self._find(name), depth + 1) or None if depth < _DEEPEST else None


def _plain(written: str) -> Any:
    for kind, value in (
        ("bool", True),
        ("float", 7),
        ("Decimal", 7),
        ("int", 7),
        ("str", _PRIMITIVES["String"]),
    ):
        if kind in written:
            return value
    return None


def is_defined(release: str, name: str) -> bool:
    """Whether the release has a resource of that name; found without loading it."""
    types = importlib.import_module(
        "fhir.resources.R4B.fhirtypes" if release == "R4B" else "fhir.resources.fhirtypes"
    )
    return hasattr(types, f"{name}Type")


def all_types(release: str) -> list[str]:
    """Every resource that the release defines, abstract ones left out."""
    package = importlib.import_module("fhir.resources.R4B" if release == "R4B" else "fhir.resources")
    base = importlib.import_module(f"{package.__name__}.resource").Resource
    found = []
    for each in pkgutil.iter_modules(package.__path__):
        if not each.ispkg and each.name not in ("tests", "fhirtypes"):
            classes = vars(importlib.import_module(f"{package.__name__}.{each.name}"))
            found += [
                name for name, of in classes.items()
                if name.lower() == each.name and isinstance(of, type) and issubclass(of, base)
            ]  # fmt: skip
    return sorted(set(found) - {"Resource", "DomainResource", "CanonicalResource", "MetadataResource"})


def samples(
    names: list[str], release: str, turn: int, beside: bool = False, word: str = ""
) -> Iterator[dict[str, Any]]:
    """One of each resource that the release has."""
    for name in names:
        try:
            yield Maker(release, turn, beside, word).resource(name)
        except (AttributeError, ModuleNotFoundError):
            continue
