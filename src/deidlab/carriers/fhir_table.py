"""What `data/carriers/fhir.toml` says of an element: what it stands in and its name in, its kind out."""

from __future__ import annotations

import functools
import re
from typing import Any

from deidlab.carriers.tables import load_table

UNKNOWN = "unknown elements"
_ADDRESS = re.compile(r"://|^urn:|@.*\.")
_CODE = re.compile(r"[!-~]{1,64}")


def table() -> dict[str, Any]:
    return load_table("fhir")


@functools.lru_cache(maxsize=4096)
def kind_of(owner: str, name: str) -> str:
    """The kind of an element of a resource, a type or what is nested in one; empty where nobody knows it."""
    known = table()
    if owner in known["types"]:
        return str(known["types"][owner].get(name, ""))
    if found := _by_place().get(f"{owner}.{name}"):
        return found
    if name in known["ages"]["text"]:
        return "AGE"
    if name in known["ages"]["removed"]:
        return "removed"
    return _by_name().get(name) or _choice(name)


@functools.cache
def _by_name() -> dict[str, str]:
    return {name: kind for kind, names in table()["elements"].items() for name in names}


@functools.cache
def _by_place() -> dict[str, str]:
    placed = {place: kind for kind, places in table()["placed"].items() for place in places}
    return {**placed, **table()["places"]}


def _choice(name: str) -> str:
    """The kind that the type at the end of a name tells: valueString is text."""
    choices = table()["choices"]
    found = [
        choices["types"].get(name[len(each) :], "") for each in choices["first"] if name.startswith(each)
    ]
    return next(filter(None, found), "")


@functools.lru_cache(maxsize=4096)
def counted_as(owner: str, name: str) -> str:
    """What a removed element is called: by its name only where that is the standard's."""
    return f"{owner}.{name}" if kind_of(owner, name) or _is_standard(name) else UNKNOWN


def _is_standard(name: str) -> bool:
    known = table()
    places = (place.partition(".")[2] for place in _by_place())
    inside = (each for members in known["types"].values() for each in members)
    return name in {*_by_name(), *places, *inside, *known["ages"]["removed"]}


@functools.cache
def resource_types() -> frozenset[str]:
    """Those that may be referred to."""
    return frozenset((*table()["resources"], *table()["other_resources"]))


def is_read(resource_type: object) -> bool:
    return isinstance(resource_type, str) and resource_type in table()["resources"]


def is_code(value: str) -> bool:
    """Whether it could be a code: printable, short, one word, and the address of nothing."""
    return _CODE.fullmatch(value) is not None and not _ADDRESS.search(value)


@functools.cache
def _well_known() -> tuple[str, ...]:
    return tuple(table()["well_known"])


def is_well_known(uri: str) -> bool:
    return uri.startswith(_well_known()) and re.fullmatch(r"[!-~]{1,200}", uri) is not None
