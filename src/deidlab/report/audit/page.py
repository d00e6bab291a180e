"""An audit as JSON has it in, one web page out that needs nothing else and holds no PHI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

Row = Sequence[object]
_N_REVIEW = 20


def audit_to_html(audit: Mapping[str, Any]) -> str:
    """The whole page."""
    run = audit["run"]
    parts = [_head(run, audit), _counts(run), _certainty(run), _review(run), _second(audit["second"])]
    if audit.get("gold"):
        parts.append(_gold(audit["gold"]))
    if audit.get("sample"):
        parts.append(_sample(audit["sample"]))
    if run["failures"]:
        parts.append(_failures(run["failures"]))
    parts.append(_settings(run))
    css = (resources.files("deidlab") / "data" / "report" / "audit.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Audit of a masking run</title>\n<style>\n{css}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _head(run: Mapping[str, Any], audit: Mapping[str, Any]) -> str:
    replaced = sum(row["n"] for row in run["replaced"])
    cards = [
        ("notes masked", f"{run['masked']:,}", False),
        ("notes failed", f"{run['failed']:,}", run["failed"] > 0),
        (
            "patients",
            f"{run['patients']:,}" if run["patients_known"] else "not known",
            not run["patients_known"],
        ),
        ("replacements", f"{replaced:,}", replaced == 0),
        ("still found", f"{audit['second']['found']:,}", audit["second"]["found"] > 0),
    ]
    if gold := audit.get("gold"):
        cards.append(
            ("PHI words leaked", f"{gold['leaked_words']:,} of {gold['words']:,}", gold["leaked_words"] > 0)
        )
    boxes = "".join(
        f"<div{' class=warn' if warn else ''}><dt>{name}</dt><dd>{escape(value)}</dd></div>"
        for name, value, warn in cards
    )
    return (
        f"<h1>Audit of a masking run</h1>\n<p class='soft'>Finished {escape(run['finished'])}, "
        f"{run['seconds']:,.1f} seconds. Evidence for whoever decides; not a claim of compliance. No word of "
        f"a note is on this page.</p>\n<dl class='cards'>{boxes}</dl>"
    )


def _section(title: str, said: str, body: str) -> str:
    note = f"<p class='soft'>{escape(said)}</p>\n" if said else ""
    # A table may be wider than a small screen: then it is scrolled, by keyboard too.
    wide = (
        f"<div class='wide' tabindex='0' role='group' aria-label='{escape(title)}'>{body}</div>"
        if body
        else ""
    )
    return f"<section>\n<h2>{escape(title)}</h2>\n{note}{wide}\n</section>"


def _table(head: Sequence[str], rows: Iterable[Row], n_text: int = 1, bars: Sequence[float] = ()) -> str:
    """Text columns first, numbers after them; a share a row draws a bar."""
    marks = ["" if index < n_text else " class='n'" for index in range(len(head))]
    top = "".join(
        f"<th scope='col'{mark}>{escape(name)}</th>" for mark, name in zip(marks, head, strict=True)
    )
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(
            f"<td{mark}>{escape(_show(cell))}</td>" for mark, cell in zip(marks, row, strict=True)
        )
        bar = f"<td class='bar'><i style='width:{100 * bars[index]:.1f}%'></i></td>" if bars else ""
        lines.append(f"<tr>{cells}{bar}</tr>")
    top += "<td class='bar'></td>" if bars else ""
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody>\n</table>"


def _show(cell: object) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _counts(run: Mapping[str, Any]) -> str:
    rows = sorted(run["replaced"], key=lambda row: (-row["n"], row["label"], row["source"]))
    most = max((row["n"] for row in rows), default=1)
    cells = [(row["label"], row["source"], row["n"]) for row in rows]
    table = _table(("type", "found by", "replaced"), cells, 2, [row["n"] / most for row in rows])
    left = sum(row["n"] for row in run["left_by_policy"])
    said = f"{left:,} more spans were found and left, as the policy says. " if left else ""
    said += describe_annotations(run)
    return _section("What was replaced", said, table if rows else "<p>Nothing.</p>")


def describe_annotations(run: Mapping[str, Any]) -> str:
    """What became of the source's own annotations on text that was not replaced."""
    own = run.get("annotations", {})
    if own.get("kept"):
        return f"{own['kept']:,} annotations of the source mark text in the output that was not replaced."
    if own.get("dropped"):
        return (
            f"{own['dropped']:,} annotations of the source stood on text that was not replaced, and were "
            f"left out ({own['hidden']:,} of types that the policy masks: that text is still in the output)."
        )
    return ""


def _certainty(run: Mapping[str, Any]) -> str:
    bins, unscored = run["certainty"]["bins"], run["certainty"]["unscored"]
    most = max(*bins, 1)
    width, height = 1000 / len(bins), 180
    bars = "".join(
        f"<rect x='{index * width + 3:.1f}' y='{height - height * n / most:.1f}' width='{width - 6:.1f}' "
        f"height='{height * n / most:.1f}' fill='var(--main)'><title>{index / len(bins):.2f} to "
        f"{(index + 1) / len(bins):.2f}: {n:,}</title></rect>"
        for index, n in enumerate(bins)
    )
    ticks = "".join(
        f"<text x='{1000 * step / 4:.0f}' y='{height + 22}' font-size='15' fill='var(--soft)' "
        f"text-anchor='{('start', 'middle', 'middle', 'middle', 'end')[step]}'>{step / 4:.2f}</text>"
        for step in range(5)
    )
    ticks += (
        f"<text x='0' y='14' font-size='15' fill='var(--soft)'>{most:,}</text>"
        f"<line x1='0' x2='1000' y1='{height}' y2='{height}' stroke='var(--line)'/>"
    )
    label = f"role='img' aria-label='Certainty of replaced spans, from 0 to 1; the highest bar is {most:,}'"
    svg = f"<svg viewBox='0 0 1000 {height + 30}' {label}>{bars}{ticks}</svg>"
    said = f"How certain the detector was of what was replaced; {unscored:,} spans came without a certainty."
    return _section("Certainty", said, svg)


def _review(run: Mapping[str, Any]) -> str:
    rows = [
        (row["document"], f"{row['doubt']:.1f}", row["replaced"], row["weak"])
        for row in run["review"][:_N_REVIEW]
    ]
    said = (
        "Doubt is how many of its decisions the detector itself expects to be wrong: one minus the certainty "
        "of each replacement, and the certainty of each candidate that was not taken."
    )
    table = _table(("note", "doubt", "replaced", "not taken"), rows)
    return _section("Notes most in need of review", said, table if rows else "<p>None.</p>")


def _second(second: Mapping[str, Any]) -> str:
    said = (
        f"Looked with: {second['detector']}. Found outside every replacement: {second['found']:,}, "
        f"in {second['in_notes']:,} notes."
    )
    if not second["found"]:
        return _section("What a second detector still finds", said, "<p>Nothing.</p>")
    kinds = _table(("type", "found"), second["by_label"].items())
    notes = [
        (row["document"], ", ".join(f"{a}–{b} {label}" for a, b, label, _ in row["places"][:5]), row["found"])
        for row in second["notes"][:_N_REVIEW]
    ]
    return _section(
        "What a second detector still finds", said, kinds + _table(("note", "where", "found"), notes, 2)
    )


def _gold(gold: Mapping[str, Any]) -> str:
    bound = gold["leaking_documents"]
    said = (
        f"{gold['notes']:,} gold notes; {gold['leaked_words']:,} of {gold['words']:,} PHI words stayed "
        f"visible. Notes with a leak: {bound['n']} of {bound['of']}, believably at most "
        f"{_show(bound['upper'])} of all (one-sided, {gold['confidence']:.0%})."
    )
    if gold["left_by_policy"]:
        said += f" Left by policy and not counted: {', '.join(gold['left_by_policy'])}."
    rows = [(label, row["words"], row["leaked"], row["recall"]) for label, row in gold["by_type"].items()]
    return _section("Against gold", said, _table(("type", "words", "leaked", "recall"), rows))


def _sample(sample: Mapping[str, Any]) -> str:
    if not sample["judged"]:
        return _section("Read by people", f"{sample['sampled']} notes were drawn; none is judged yet.", "")
    said = (
        f"{sample['judged']} of {sample['sampled']} drawn notes were judged; {sample['leaking']} show a "
        f"leak. The share of notes with a leak is believably at most {_show(sample['upper'])} "
        f"(Clopper–Pearson, one-sided, {sample['confidence']:.0%})."
    )
    return _section("Read by people", said, "")


def _failures(failures: Sequence[Mapping[str, Any]]) -> str:
    rows = [(row["document"], row["stage"], row["reason"], row["number"]) for row in failures[:200]]
    return _section(
        "Failed, and not written", "", _table(("note", "at", "why", "place in the source"), rows, 3)
    )


def _settings(run: Mapping[str, Any]) -> str:
    shown = {**run["settings"], **run["versions"], "workers": run["workers"]}
    rows = [(name.replace("_", " "), _say(value)) for name, value in shown.items() if name != "actions"]
    return _section("Settings", "", _table(("setting", "value"), rows, 2))


def _say(value: Any) -> str:
    """A setting as a person would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_say(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_say, value)) or "–"
    return "–" if value is None else str(value)
