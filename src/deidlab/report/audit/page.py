"""An audit as JSON has it in, one web page out that needs nothing else and holds no PHI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deidlab.report.pages import Card, render_page
from deidlab.report.tables import Table, columns_of, counted, show_value, text_table

_N_REVIEW = 20


@dataclass(frozen=True, slots=True)
class AuditPart:
    """A part of the page; `bins` are bars of certainty, `nothing` what stands there where no table does."""

    title: str
    said: str = ""
    tables: tuple[Table, ...] = ()
    bins: tuple[int, ...] = ()
    nothing: str = ""


def audit_to_html(audit: Mapping[str, Any]) -> str:
    """The whole page."""
    run = audit["run"]
    return render_page(
        "audit.html",
        "Audit of a masking run",
        with_script=False,
        run=run,
        cards=list(_cards(run, audit)),
        sections=list(_chapters(run, audit)),
    )


def _cards(run: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Card]:
    replaced, found = sum(row["n"] for row in run["replaced"]), audit["second"]["found"]
    known = run["patients_known"]
    yield Card("notes masked", f"{run['masked']:,}")
    yield Card("notes failed", f"{run['failed']:,}", warns=run["failed"] > 0)
    yield Card("patients", f"{run['patients']:,}" if known else "not known", warns=not known)
    yield Card("replacements", f"{replaced:,}", warns=replaced == 0)
    yield Card("still found", f"{found:,}", warns=found > 0)
    if gold := audit.get("gold"):
        leaked = gold["leaked_words"]
        yield Card("PHI words leaked", f"{leaked:,} of {gold['words']:,}", warns=leaked > 0)


def _chapters(run: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[AuditPart]:
    yield _counts(run)
    certainty = run["certainty"]
    said = "How certain the detector was of what was replaced."
    if certainty["unscored"]:
        said += f" {counted(certainty['unscored'], 'span')} came without a certainty and are not drawn."
    yield AuditPart("Certainty", said, bins=tuple(certainty["bins"]))
    yield _review(run)
    yield from residual_parts(audit)
    if run["failures"]:
        rows = [
            (row["document"], row["stage"], row["reason"], row["number"]) for row in run["failures"][:200]
        ]
        names = ("note", "at", "why", "place in the source")
        yield AuditPart("Failed, and not written", "", (text_table("Notes that failed", names, rows, 3),))
    shown = {**run["settings"], **run["versions"], "workers": run["workers"]}
    told = [(name.replace("_", " "), _say(value)) for name, value in shown.items() if name != "actions"]
    yield AuditPart("Settings", "", (text_table("Settings", ("setting", "value"), told, 2),))


def residual_parts(audit: Mapping[str, Any]) -> Iterator[AuditPart]:
    """What is left after masking, as far as a second look, gold and people's reading tell."""
    yield _second(audit["second"])
    if audit.get("gold"):
        yield _gold(audit["gold"])
        if "search" in audit["gold"]:
            yield _search(audit["gold"]["search"])
    if audit.get("sample"):
        yield AuditPart("Read by people", _sample(audit["sample"]))


def _counts(run: Mapping[str, Any]) -> AuditPart:
    rows = sorted(run["replaced"], key=lambda row: (-row["n"], row["label"], row["source"]))
    most = max((row["n"] for row in rows), default=1)
    columns = columns_of(
        ("type", "type", "text"), ("source", "found by", "text"),
        ("n", "replaced", "count"), ("share", "", "share")
    )  # fmt: skip
    cells = tuple((row["label"], row["source"], row["n"], row["n"] / most) for row in rows)
    left = sum(row["n"] for row in run["left_by_policy"])
    said = f"{left:,} more spans were found and left, as the policy says. " if left else ""
    title, said = "What was replaced", said + describe_annotations(run)
    replaced, stays = Table("Replacements", columns, cells), _left_by_policy(run)
    if not cells and not stays.rows:
        return AuditPart(title, said, nothing="Nothing.")
    return AuditPart(title, said, tuple(table for table in (replaced, stays) if table.rows))


def _left_by_policy(run: Mapping[str, Any]) -> Table:
    rows = sorted(run["left_by_policy"], key=lambda row: (-row["n"], row["label"], row["source"]))
    columns = columns_of(("type", "type", "text"), ("source", "found by", "text"), ("n", "left", "count"))
    cells = tuple((row["label"], row["source"], row["n"]) for row in rows)
    return Table("Found, and left as the policy says", columns, cells)


def _chapter(title: str, said: str, table: Table, nothing: str) -> AuditPart:
    return AuditPart(title, said, (table,)) if table.rows else AuditPart(title, said, nothing=nothing)


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


def _review(run: Mapping[str, Any]) -> AuditPart:
    rows = [
        (row["document"], f"{row['doubt']:.1f}", f"{row['replaced']:,}", f"{row['weak']:,}")
        for row in run["review"][:_N_REVIEW]
    ]
    said = (
        "Doubt is how many of its decisions the detector itself expects to be wrong: one minus the certainty "
        "of each replacement, and the certainty of each candidate that was not taken."
    ) + _first_of(len(run["review"]), run["masked"])
    table = text_table("Notes by doubt", ("note", "doubt", "replaced", "not taken"), rows)
    return _chapter("Notes most in need of review", said, table, "None.")


def _second(second: Mapping[str, Any]) -> AuditPart:
    title = "What a second detector still finds"
    said = (
        f"Looked with: {second['detector']}. Found outside every replacement: {second['found']:,}, "
        f"in {counted(second['in_notes'], 'note')}."
    )
    if not second["found"]:
        return AuditPart(title, said, nothing="Nothing.")
    notes = [
        (row["document"], ", ".join(f"{a}–{b} {label}" for a, b, label, _ in row["places"][:5]), row["found"])
        for row in second["notes"][:_N_REVIEW]
    ]
    said += _first_of(len(second["notes"]), second["in_notes"])
    by_label = sorted(second["by_label"].items(), key=lambda row: (-row[1], row[0]))
    kinds = text_table("Found by type", ("type", "found"), by_label)
    return AuditPart(title, said, (kinds, text_table("Found by note", ("note", "where", "found"), notes, 2)))


def _first_of(known: int, n: int) -> str:
    """What a table of notes leaves out."""
    return f" The table has the first {_N_REVIEW} of {n:,} notes." if known > _N_REVIEW else ""


def _gold(gold: Mapping[str, Any]) -> AuditPart:
    bound = gold["leaking_documents"]
    said = (
        f"{gold['notes']:,} gold notes; {gold['leaked_words']:,} of {gold['words']:,} PHI words stayed "
        f"visible. Notes with a leak: {bound['n']:,} of {bound['of']:,}; of all notes like these at most "
        f"{show_value(bound['upper'], 'ratio')} (one-sided, {gold['confidence']:.0%})."
    )
    if gold["left_by_policy"]:
        said += f" Left by policy and not counted: {', '.join(gold['left_by_policy'])}."
    columns = columns_of(
        ("type", "type", "text"), ("words", "words", "count"), ("leaked", "leaked", "count"),
        ("recall", "recall")
    )  # fmt: skip
    rows = tuple(
        (label, row["words"], row["leaked"], row["recall"]) for label, row in gold["by_type"].items()
    )
    return AuditPart("Against gold", said, (Table("Leaks by type", columns, rows),))


def _search(search: Mapping[str, Any]) -> AuditPart:
    files = counted(search["files"], "file")
    if search["unread"]:
        files += f", of which {search['unread']:,} could not be read"
    said = (
        f"All of the output and of the run's record ({files}) was searched for {search['originals']:,} texts "
        "that the gold marks, whole and whatever their case; what the source also has elsewhere was left "
        "out. A surrogate may by chance be one of them."
    )
    rows = [(row["file"], row["label"], f"{row['n']:,}") for row in search["places"][:200]]
    return _chapter(
        "Originals in the files",
        said,
        text_table("Originals found", ("file", "type", "times"), rows, 2),
        "None.",
    )


def _sample(sample: Mapping[str, Any]) -> str:
    if not sample["judged"]:
        return f"{sample['sampled']} notes were drawn; none is judged yet."
    return (
        f"{sample['judged']} of {sample['sampled']} drawn notes were judged; {sample['leaking']} show a "
        f"leak. The share of notes with a leak is at most {show_value(sample['upper'], 'ratio')} "
        f"(Clopper–Pearson, one-sided, {sample['confidence']:.0%})."
    )


def _say(value: Any) -> str:
    """A setting as a person would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_say(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_say, value)) or "–"
    return "–" if value is None else str(value)
