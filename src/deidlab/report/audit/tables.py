"""Counts of a dry run in, a table for the terminal out."""

from __future__ import annotations

from typing import Any

from deidlab.report.tables import Table, text_table


def dry_table(counts: dict[str, Any]) -> Table:
    """What would be masked, and what lower thresholds would add to it."""
    types = counts["types"]
    steps = list(types[0]["would_add"]) if types else []
    head = (
        "type",
        "found",
        "masked",
        "of these in part",
        "stays",
        *(f"≥ {step} adds" for step in steps),
        "set aside",
    )
    rows = [
        (
            row["label"],
            str(row["found"]),
            str(row["masked"]),
            str(row["in_part"]),
            str(row["stays"]),
            *map(str, row["would_add"].values()),
            str(row["set_aside"]),
        )
        for row in types
    ]
    sums = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(head))]
    said = (
        f"Nothing was written. Threshold now: {counts['threshold']}. Masked: found, and not kept by policy; "
        "in part: a year, a band or some digits of it stay; stays: kept as it is by policy. "
        "Set aside: certain enough, but an eponym or an allowed term."
    )
    return text_table(f"{counts['notes']} notes", head, (*rows, ("all", *sums)), note=said)
