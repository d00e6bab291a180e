"""What `data/carriers/ccda.toml` says of an element and of the values of its attributes."""

from __future__ import annotations

import functools
import re
from typing import Any

from deidlab.carriers.enclosed import is_media_type
from deidlab.carriers.fhir_table import is_code
from deidlab.carriers.tables import load_table

UNKNOWN = "unknown elements"
_OID = re.compile(r"[0-2](?:\.(?:0|[1-9]\d{0,38})){2,30}")
_OWN = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_VALUES = {
    "flag": re.compile("true|false"),
    "number": re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?(?:[eE][-+]?\d{1,3})?"),
    "digits": re.compile(r"\d{1,3}"),
    "size": re.compile(r"\d{1,4}(?:\.\d{1,3})?(?:%|pt|px|em)?"),
    "version": re.compile(r"\d{1,4}(?:[./-]\d{1,4}){0,3}|\d{8}|POCD_HD\d{6}(?:UV\d\d)?"),
    "language": re.compile(r"[a-z]{2,3}(?:-[A-Z]{2})?"),
}


def table() -> dict[str, Any]:
    return load_table("ccda")


@functools.lru_cache(maxsize=4096)
def kind_of(owner_kind: str, owner: str, name: str) -> str:
    """The kind of an element, by the kind and the name of what it stands in; empty where nobody knows it."""
    known = table()
    base = owner_kind.partition(":")[0]
    if base != "node":
        return str(known["inside"].get(base, {}).get(name, ""))
    if found := known["places"].get(f"{owner}/{name}"):
        return str(found)
    return _by_name().get(name, "")


@functools.cache
def _by_name() -> dict[str, str]:
    return {name: kind for kind, names in table()["elements"].items() for name in names}


@functools.lru_cache(maxsize=4096)
def counted_as(owner: str, name: str) -> str:
    """What is removed, by the names of the standard alone."""
    if not name:
        return "elements of other namespaces"
    known = _names()
    return f"{owner}/{name}" if name in known and owner in known else UNKNOWN


@functools.cache
def _names() -> frozenset[str]:
    known = table()
    narrative = (*known["narrative"]["blocks"], *known["narrative"]["marks"])
    inside = (name for members in known["inside"].values() for name in members)
    places = (name for place in known["places"] for name in place.split("/"))
    parts = ("name", "given", "family", "prefix", "suffix", "delimiter")
    return frozenset((*_by_name(), *narrative, *inside, *places, *parts))


def rule_of(kind: str, attribute: str) -> str:
    """What an attribute of an element of that kind may hold; empty where it may not be there."""
    known = table()["attributes"]
    found = known.get(kind.partition(":")[0], {}).get(attribute) or known["everywhere"].get(attribute)
    return str(found or "")


@functools.cache
def words(name: str) -> frozenset[str]:
    """A list of words of the standard."""
    return frozenset(table()["vocabulary"][name].split())


def fits(rule: str, value: str) -> bool:
    """Whether a value may stay in an attribute of that rule as it is."""
    if rule in _VALUES:
        return _VALUES[rule].fullmatch(value) is not None
    if rule == "word":
        return value in words("words")
    if rule in ("words", "styles"):
        return set(value.split()) <= words("uses" if rule == "words" else "styles")
    if rule in ("code", "unit"):
        return is_code(value)
    if rule == "template":
        return is_known_template(value)
    if rule == "known name":
        return value.casefold() in _code_systems()
    return rule == "media" and is_media_type(value)


@functools.cache
def _code_systems() -> frozenset[str]:
    return frozenset(name.casefold() for name in table()["vocabulary"]["code_systems"])


def is_known_system(oid: str) -> bool:
    return _OID.fullmatch(oid) is not None and oid.startswith(tuple(table()["vocabulary"]["systems"]))


def is_known_template(oid: str) -> bool:
    return _OID.fullmatch(oid) is not None and oid.startswith(tuple(table()["vocabulary"]["templates"]))


def is_uuid(root: str) -> bool:
    return _UUID.fullmatch(root) is not None


def is_own_root(root: str) -> bool:
    """Whether a root is of the kind that HL7 reserves, which houses use for names of their own."""
    return _OWN.fullmatch(root) is not None


def is_oid(root: str) -> bool:
    return _OID.fullmatch(root) is not None
