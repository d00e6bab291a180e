"""Writes the tables of the pages about carriers from what `data/carriers` says, so that they cannot differ.

python scripts/write_carriers.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from deidlab.carriers.tables import load_table

PAGES = tuple(Path(__file__).parents[1] / "docs" / name for name in ("carriers.md", "carriers-letters.md"))
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


_CDA_MEANINGS = {
    "node": "gone through; structural attributes stay where they are words of the standard",
    "code": "stays; `displayName` and `originalText` are searched; a private code system gets a pseudonym",
    "number": "numbers and units stay; one of years is masked as AGE",
    "flag": "stays",
    "time": "the day is masked; time of day and zone stay only with a whole day",
    "id": "`extension` becomes its pseudonym; so does `root`, unless everybody uses it",
    "template": "stays if it is of HL7 or IHE, else removed",
    "text": "searched; packed text and HTML are unpacked, masked and packed again; anything else is removed",
    "narrative": "searched in its blocks, which stay",
    "address": "by its parts, below",
    "contact": "masked as PHONE, FAX, EMAIL or URL, by its scheme",
    "value": "by its `xsi:type`, below",
    "entity": "by its `classCode`: substances and devices are searched, places are HOSPITAL, others PATIENT",
    "part": "one name with the others",
    "anchor": "leads to the new name of a place in the narrative, else removed",
    "removed": "removed and counted",
}
_HTML_ELEMENTS = {
    "blocks": "stay; the text of each is one piece",
    "marks": "stay; text goes on over them",
    "gone": "removed with all that they hold",
    "gone_alone": "removed; of `meta` the character set and the window's width stay",
}
_HTML_ATTRIBUTES = {
    "text": "searched",
    "address": "masked as EMAIL, PHONE or URL; scripts and enclosed data are removed",
    "picture": "leads to a blank picture",
    "id": "named anew",
    "class": "named anew",
    "style": "known properties with numbers, colours, known fonts and words of the standard stay",
    "look": "numbers, colours and words of the standard stay",
    "font": "well-known fonts stay",
    "language": "stays",
}


def ccda_table(known: dict[str, Any]) -> str:
    """A row for each kind of CDA element."""
    rows = ["| what happens | elements |", "|---|---|"]
    for kind, names in known["elements"].items():
        rows.append(f"| {_cda(kind)} | {_listed(names)} |")
    by_kind: dict[str, list[str]] = {}
    for place, kind in known["places"].items():
        by_kind.setdefault(kind, []).append(place)
    rows += [f"| {_cda(kind)} | {_listed(places)} |" for kind, places in by_kind.items()]
    for type_, members in known["inside"].items():
        shown = (f"`{name}`: {_short(kind, {})}" for name, kind in members.items())
        rows.append(f"| within an element of the kind {type_} | {', '.join(shown)} |")
    shown = (f"`{name}`: {_short(kind, {})}" for name, kind in known["values"].items())
    rows.append(f"| `value`, by its `xsi:type` | {', '.join(shown)} |")
    return "\n".join(rows)


def _cda(kind: str) -> str:
    return _CDA_MEANINGS.get(kind) or _short(kind, {})


def html_table(known: dict[str, Any]) -> str:
    """A row for each kind of HTML element, and for each kind of attribute."""
    rows = ["| what happens | elements, and attributes |", "|---|---|"]
    for kind, means in _HTML_ELEMENTS.items():
        rows.append(f"| {means} | {_listed(known['elements'][kind])} |")
    inputs = _listed(known["elements"]["inputs"])
    rows.append(f"| stay, as fields of forms; others are removed | `input` of the types {inputs} |")
    for kind, means in _HTML_ATTRIBUTES.items():
        rows.append(f"| {means} | attributes {_listed(known['attributes'][kind])} |")
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
        ("ccda", ccda_table(load_table("ccda"))),
        ("html", html_table(load_table("html"))),
    ):
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = marks.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(filled(path.read_text("utf-8")), "utf-8")
