"""The installed environment in, a list of its software as CycloneDX 1.6 JSON out.

Written by ourselves: what is needed of the format is this page, where its library would bring packages more
into the environment that the list is about. Licences are those that the packages state of themselves.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

import deidlab
from deidlab.report.tables import Table, columns_of

_LONGEST = 100
_NONE = "not stated"


def list_software(time: str) -> dict[str, Any]:
    """Every distribution that is installed beside DeidLab, each once."""
    found: dict[str, metadata.Distribution] = {}
    for each in metadata.distributions():
        if each.metadata["Name"]:
            found.setdefault(_plain(each.metadata["Name"]), each)
    found.pop("deidlab", None)
    main = {
        "type": "application", "bom-ref": _purl("deidlab", deidlab.__version__), "name": "deidlab",
        "version": deidlab.__version__, "licenses": [{"license": {"id": "MIT"}}],
    }  # fmt: skip
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": time, "component": main},
        "components": [_component(name, found[name]) for name in sorted(found)],
    }


def _component(name: str, found: metadata.Distribution) -> dict[str, Any]:
    purl = _purl(name, found.version)
    licences = _licences(found.metadata)
    told = {
        "type": "library",
        "bom-ref": purl,
        "name": found.metadata["Name"],
        "version": found.version,
        "purl": purl,
    }
    return {**told, **({"licenses": licences} if licences else {})}


def _licences(about: Any) -> list[dict[str, Any]]:
    """An SPDX expression where there is one, else what classifiers name, else a licence field of one line."""
    if expression := about.get("License-Expression"):
        return [{"expression": expression}]
    titles = [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier", [])
        if each.startswith("License ::")
    ]
    if named := [each for each in dict.fromkeys(titles) if each != "OSI Approved"]:
        return [{"license": {"name": each}} for each in named]
    stated = (about.get("License") or "").strip()
    return (
        [{"license": {"name": stated}}] if stated and len(stated) <= _LONGEST and "\n" not in stated else []
    )


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{_plain(name)}@{version}"


def software_table(listed: dict[str, Any]) -> Table:
    """A row a component, with the licence that it states."""
    columns = columns_of(
        ("name", "package", "text"), ("version", "version", "text"), ("licence", "licence", "text")
    )
    rows = tuple((each["name"], each["version"], _say(each)) for each in listed["components"])
    return Table("Packages", columns, rows, key="software")


def _say(component: dict[str, Any]) -> str:
    told = component.get("licenses", ())
    names = (
        each.get("expression") or each["license"].get("id") or each["license"].get("name") for each in told
    )
    return "; ".join(names) or _NONE
