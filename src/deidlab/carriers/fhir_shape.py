"""An object of a FHIR record in, the data type that its members tell out."""

from __future__ import annotations

from typing import Any

from deidlab.carriers.fhir_table import table
from deidlab.carriers.json_text import Number


def type_of(value: dict[str, Any]) -> str:
    """The data type whose members an object has; empty for one that is of no general type."""
    members, types = value.keys() - {"id", "extension"}, table()["types"]
    members = {name for name in members if not name.startswith("_")}
    if "div" in members:
        return "Narrative"
    if "value" in members and isinstance(value["value"], Number):
        return next((each for each in ("Quantity", "Money") if members <= types[each].keys()), "")
    if members <= types["Reference"].keys() and not isinstance(value.get("type"), dict | list):
        is_whole = isinstance(value.get("reference", ""), str) and not isinstance(
            value.get("identifier"), list
        )
        if is_whole and members & {"reference", "display", "identifier"}:
            return "Reference"
    if members <= types["Coding"].keys() and not isinstance(value.get("code"), dict | list):
        return "Coding"
    if members <= types["CodeableConcept"].keys():
        return "CodeableConcept"
    return "SampledData" if members <= types["SampledData"].keys() else ""
