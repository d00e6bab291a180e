"""A run's card and an export's record in, the card of the exported folder out."""

from __future__ import annotations

from typing import Any


def write_export_card(card: str, record: dict[str, Any]) -> str:
    """The run's card with the export's own figures, and how to use this folder."""
    before = card.partition("\n## Use\n")[0].rstrip()
    return f"{before}\n\n{_section(record)}\n\n## Use\n\n{_use(record)}\n"


def rows_of(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """The export's figures as rows of text: model, F1, tags changed, megabytes, characters a second."""
    found = record["fidelity"]
    if not found:
        return []
    rows: list[tuple[str, ...]] = []
    for name, figures in found["models"].items():
        size = record["megabytes"].get(name)
        rows.append(
            (
                name,
                "–" if figures["f1"] is None else f"{figures['f1']:.4f}",
                f"{100 * figures['tags_changed'] / max(1, figures['words']):.3f} %",
                "–" if size is None else f"{size:.1f}",
                f"{figures['characters_per_second']:,}",
            )
        )
    return rows


COLUMNS = ("model", "strict F1", "tags changed", "MB", "characters a second")


def _section(record: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    machine = record["machine"]
    what = (
        f"This folder holds the model for {record['format']} in {record['precision']}: {record['numbers']}. "
        f"It needs no torch. Made {record['made']} with {versions}."
    )
    lines = ["## Export", "", what, ""]
    if record["fallback"]:
        lines += [f"It was asked for in {record['asked']}: {record['fallback']}.", ""]
    rows = rows_of(record)
    if not rows:
        lines.append(
            "The export was not measured on notes; on made-up windows its scores agree with the run's."
        )
        return "\n".join(lines)
    where = (
        f"On {record['fidelity']['notes']} notes, by turns on one machine ({machine['processor']}, "
        f"{machine['threads']} threads); tags are compared with the run's own:"
    )
    lines += [
        where,
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _use(record: dict[str, Any]) -> str:
    return (
        f"With DeidLab and its `{record['format']}` extra installed:\n\n"
        "```python\nfrom deidlab.detect.model import load_model\n\n"
        'model = load_model("THIS/FOLDER")\nspans = model.find("…the text of a note…")\n```\n\n'
        "No model finds everything: check a sample of masked notes before anything leaves the house."
    )
