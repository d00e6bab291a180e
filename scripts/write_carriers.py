"""Writes the tables of `docs/carriers.md` from what `data/carriers` says, so that they cannot differ.

python scripts/write_carriers.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from deidlab.carriers.tables import load_table

PAGE = Path(__file__).parents[1] / "docs" / "carriers.md"
_MEANINGS = {
    "node": "codes, flags, counts and times of day stay; what is nested is gone through",
    "text": "searched and masked as text",
    "date": "masked as a date; a time of day stays only with a whole day",
    "instant": "the same, and left out where only the year may stay",
    "key": "becomes its pseudonym, the same everywhere",
    "reference": "the id in it becomes its pseudonym",
    "uri": "stays if it is well known, else becomes a pseudonym",
    "media": "stays",
    "attachment": "unpacked by the carrier of its type, masked and packed again; anything else is removed",
    "contact": "masked as PHONE, FAX, EMAIL or URL",
    "resource": "gone through like any other",
    "removed": "removed and counted",
}


def fhir_table(known: dict[str, Any]) -> str:
    """A row for each kind of FHIR element."""
    rows = ["| what happens | elements |", "|---|---|"]
    read = "these types of resource are read; any other is refused, or removed from others"
    rows.append(f"| {read} | {_listed(known['resources'])} |")
    for kind, names in known["elements"].items():
        means = _MEANINGS.get(kind) or _labelled(kind, known["types"])
        rows.append(f"| {means} | {_listed(names)} |")
    for type_, members in known["types"].items():
        shown = (f"`{name}`: {_short(kind, known['types'])}" for name, kind in members.items())
        rows.append(f"| as the type `{type_}` | {', '.join(shown)} |")
    for place, kind in known["places"].items():
        rows.append(f"| {_short(kind, known['types'])} | `{place}` |")
    for kind, places in known["placed"].items():
        rows.append(f"| {_short(kind, known['types'])} | {_listed(places)} |")
    return "\n".join(rows)


def hl7v2_table(known: dict[str, Any]) -> str:
    """A row for each segment of HL7 v2."""
    rows = ["| segment | what happens to its fields; all others are removed and counted |", "|---|---|"]
    for segment, fields in known["segments"].items():
        by_kind: dict[str, list[str]] = {}
        for number, kind in fields.items():
            by_kind.setdefault(kind, []).append(number)
        shown = "; ".join(f"{kind}: {', '.join(numbers)}" for kind, numbers in by_kind.items())
        rows.append(f"| {segment} | {shown} |")
    return "\n".join(rows)


def _labelled(kind: str, types: dict[str, Any]) -> str:
    return f"as the type `{kind}`, below" if kind in types else f"masked as {kind}"


def _short(kind: str, types: dict[str, Any]) -> str:
    name, _, label = kind.partition(":")
    if name == "person":
        return f"one name, masked as {label}"
    return _labelled(kind, types) if kind.isupper() or kind in types else kind


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def filled(page: str) -> str:
    """The page with the tables of today between their marks."""
    for name, table in (
        ("fhir", fhir_table(load_table("fhir"))),
        ("hl7v2", hl7v2_table(load_table("hl7v2"))),
    ):
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = marks.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
