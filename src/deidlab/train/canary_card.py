"""What a record says of canaries in, the paragraphs of a card out."""

from __future__ import annotations

from typing import Any

_COLUMNS = {"before": "before", "after": "after", "after_elsewhere": "after, elsewhere"}


def describe_canaries(found: dict[str, Any]) -> list[str]:
    """How many were known, exposure by how often one was seen, and how surely planted ones are told."""
    after, sides = found["after"], [side for side in _COLUMNS if side in found]
    notes = (
        f"Of {after['canaries']} made-up secrets planted among the notes the model ranks "
        f"{after['memorised']} first of {2 ** round(after['most_possible'])}. Exposure in bits, by how often "
        f"a secret was seen (0: {after['held_out']} of the same form that were held out; at most "
        f"{after['most_possible']:.1f}; about 1.4 is chance):"
    )
    if "after_elsewhere" in found:
        notes = notes.removesuffix("):") + "; elsewhere: in other words than it was planted in):"
    rows = [
        "| times seen | " + " | ".join(_COLUMNS[side] for side in sides) + " |",
        "|" + "---:|" * (1 + len(sides)),
    ]
    for times in after["exposure_by_times_seen"]:
        bits = [f"{found[side]['exposure_by_times_seen'][times]:.2f}" for side in sides]
        rows.append(f"| {times} | {' | '.join(bits)} |")
    told = [f"{_COLUMNS[side]} {show_area(found[side]['area'])}" for side in sides]
    if len(after["area_by_kind"]) > 1:
        told += [f"after, {kind} alone {show_area(area)}" for kind, area in after["area_by_kind"].items()]
    said = f"Planted ones are told from held-out ones (0.5 is chance): {'; '.join(told)}."
    return [notes, "\n".join(rows), said]


def show_area(area: dict[str, float | None]) -> str:
    """An area under a curve with its interval."""
    value, low, high = (area[key] for key in ("value", "low", "high"))
    if value is None:
        return "–"
    return f"area {value:.2f}" + (f" ({low:.2f}–{high:.2f})" if low is not None else "")
