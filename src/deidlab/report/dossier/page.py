"""A dossier in, one web page out that needs nothing else: what a person who has to sign wants to read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab.mask import table_to_policy
from deidlab.report.audit.page import residual_parts
from deidlab.report.dossier.approvals import read_approvals, standing
from deidlab.report.dossier.chain import RUN, Entry
from deidlab.report.dossier.evidence import KINDS, Kind, digests_of, is_deep, list_facts, parse
from deidlab.report.dossier.folder import Dossier
from deidlab.report.dossier.software import software_table
from deidlab.report.dossier.threats import flow_table, threat_table
from deidlab.report.pages import Card, render_page
from deidlab.report.policies import policy_table
from deidlab.report.tables import Table, columns_of, text_table

_SHORT = 16


@dataclass(frozen=True, slots=True)
class DossierPart:
    """A part of the page: what is said, tables (folded where they have a key), a text as it was given."""

    title: str
    said: str = ""
    tables: tuple[Table, ...] = ()
    text: str = ""
    is_missing: bool = field(default=False)


def dossier_to_html(dossier: Dossier) -> str:
    """The whole page."""
    runs = read_facts(dossier)
    return render_page(
        "dossier.html",
        str(dossier.entries[0].says["title"]),
        with_script=False,
        opened=dossier.entries[0],
        latest=dossier.entries[-1],
        cards=list(_cards(dossier, runs)),
        parts=list(_parts(dossier, runs)),
    )


def read_facts(dossier: Dossier) -> dict[int, dict[str, Any]]:
    """What the runs say of themselves, by the numbers of their entries."""
    found = (each for each in dossier.entries if each.kind == RUN)
    return {each.number: json.loads(dossier.files[each.says["facts"]]) for each in found}


def _cards(dossier: Dossier, runs: Mapping[int, Mapping[str, Any]]) -> Iterator[Card]:
    failed = sum(run["failed"] for run in runs.values())
    kinds = {each.kind for each in dossier.entries}
    yield Card("runs", f"{len(runs):,}", warns=not runs)
    yield Card("notes masked", f"{sum(run['masked'] for run in runs.values()):,}")
    yield Card("notes failed", f"{failed:,}", "not written" if failed else "", warns=failed > 0)
    validated = {"protocol", "result"} <= kinds
    reached = _reached(dossier)
    shown = {True: "what was wanted is shown", False: "what was wanted is not shown", None: ""}[reached]
    yield Card(
        "validation",
        "protocol and result" if validated else "none",
        shown if validated else "",
        warns=not validated or reached is False,
    )
    found = standing(dossier.entries)
    until = min((each.until for each in found), default=None)
    yield Card(
        "approved until",
        str(until or "not approved"),
        "" if until is None else _who(found),
        warns=until is None,
    )


def _reached(dossier: Dossier) -> bool | None:
    """Whether the latest result says that the wanted bound is shown; None where it does not say."""
    for entry in reversed(dossier.entries):
        if entry.kind == "result":
            name = entry.says["file"]
            told = parse(Path(name).suffix, dossier.files[name]).get("reached")
            return told if isinstance(told, bool) else None
    return None


def _who(found: Sequence[Any]) -> str:
    return ", ".join(each.name for each in found)


def _parts(dossier: Dossier, runs: Mapping[int, Mapping[str, Any]]) -> Iterator[DossierPart]:
    yield _approvals(dossier.entries)
    if runs:
        yield _runs(runs)
        yield from _commands(runs)
    for name in ("protocol", "result", "audit", "fairness", "utility"):
        yield from _evidence(dossier, KINDS[name])
    if runs:
        yield from _policies(runs)
        yield DossierPart(
            "Data flow", "What passes at each step, filled in from the runs.", (flow_table(runs),)
        )
        said = "What may go wrong and what stands against it; the last column is filled in from the runs."
        yield DossierPart("Threats", said, (threat_table(runs),))
    yield from _evidence(dossier, KINDS["card"])
    yield from _software(dossier)
    yield from _evidence(dossier, KINDS["document"])
    yield _chain(dossier.entries)


def _approvals(entries: Sequence[Entry]) -> DossierPart:
    now = {each.entry for each in standing(entries)}
    rows = []
    for each in read_approvals(entries):
        extent = "the whole" if each.entry in now else f"up to entry {each.entry}"
        rows.append((each.name, each.role, each.given, str(each.until), extent))
    said = (
        "Each stands for what came before it until its last day; the page cannot tell whether that day has "
        "passed."
    )
    if not rows:
        return DossierPart("Approvals", "Nobody has approved this yet.", is_missing=True)
    names = ("who", "in which role", "given on", "holds until", "stands for")
    return DossierPart("Approvals", said, (text_table("Approvals", names, rows, 5),))


def _runs(runs: Mapping[int, Mapping[str, Any]]) -> DossierPart:
    columns = columns_of(
        ("entry", "entry", "count"), ("operator", "operator", "text"), ("started", "started", "text"),
        ("finished", "finished", "text"), ("masked", "masked", "count"),
        ("failed", "failed", "count"), ("version", "DeidLab", "text"), ("model", "model", "text"),
        ("policy", "policy", "text"), ("style", "style", "text"), ("key", "key id", "code"),
    )  # fmt: skip
    digests = columns_of(
        ("entry", "entry", "count"), ("source", "source (keyed)", "code"), ("program", "program", "code"),
        ("model", "model", "code"), ("policy", "policy", "code"), ("files", "files", "count"),
        ("output", "list of outputs", "code"), ("record", "record", "code"),
    )  # fmt: skip
    rows, told = [], []
    for number, run in runs.items():
        who, settings = run["provenance"], run["settings"]
        rows.append((
            number, who["operator"], _minute(who["started"]), _minute(who["finished"]),
            run["masked"], run["failed"], run["versions"]["deidlab"],
            settings["model"], settings["policy"], settings["style"], who["key"]["id"],
        ))  # fmt: skip
        source, digest = who["source"], who["digests"]
        content = next((source[name] for name in ("content", "rows", "times") if source.get(name)), None)
        told.append((
            number, _short(content),
            *(_short(digest[name]) for name in ("program", "model", "policy")),
            who["output"]["files"], _short(who["output"]["manifest"]), _short(run["record"]),
        ))  # fmt: skip
    said = (
        "Who ran what, when (UTC), on what. Digests are cut short here; the files have them whole. "
        "That of the source can be made again only with the key; the key itself is nowhere in the dossier."
    )
    return DossierPart(
        "Runs", said, (Table("Runs", columns, tuple(rows)), Table("Digests", digests, tuple(told)))
    )


def _commands(runs: Mapping[int, Mapping[str, Any]]) -> Iterator[DossierPart]:
    told = [
        (number, " ".join(run["provenance"]["command"] or ("from a program",)))
        for number, run in runs.items()
    ]
    columns = columns_of(("entry", "entry", "count"), ("command", "command", "code"))
    said = "Names of files, columns and people are left out."
    yield DossierPart("Commands", said, (Table("Commands", columns, tuple(told)),))


def _evidence(dossier: Dossier, kind: Kind) -> Iterator[DossierPart]:
    """A part a file of that kind; where there is none the page says so, but for documents."""
    found = [each for each in dossier.entries if each.kind == kind.name]
    if kind.name == "card":
        yield from _cards_of_runs(dossier)
    elif not found and kind.name != "document":
        yield DossierPart(kind.title, "Nothing was given.", is_missing=kind.is_needed)
    for entry in found:
        name = entry.says["file"]
        title = kind.title if len(found) == 1 else f"{kind.title} (entry {entry.number})"
        said = f"{kind.said} Added by {entry.by} on {entry.time[:10]}; SHA-256 {entry.files[name]}."
        said += "".join(f" {each}" for each in _binding(dossier, entry, dossier.files[name]))
        yield _file_part(DossierPart(title, said), Path(name).suffix, dossier.files[name], kind)


def _file_part(part: DossierPart, ending: str, content: bytes, kind: Kind) -> DossierPart:
    if ending in (".json", ".toml"):
        table = parse(ending, content)
        if kind.name == "audit" and (found := _audit_tables(table, part.title)):
            return DossierPart(part.title, f"{part.said} {found[0]}", found[1])
        return DossierPart(part.title, part.said, tuple(_fact_tables(part.title, table)))
    if ending in (".md", ".txt"):
        return DossierPart(part.title, part.said, text=content.decode("utf-8", "replace"))
    return part


def _fact_tables(title: str, table: Mapping[str, Any]) -> Iterator[Table]:
    """What a file says at its first two levels, and, in a table of its own, what lies deeper."""
    rows = list_facts(table)
    for name, deep in ((title, False), (f"{title}, in detail", True)):
        if told := [row for row in rows if is_deep(row) == deep]:
            yield replace(text_table(name, ("what", "value"), told, 2), key="detail" if deep else "")


def _audit_tables(audit: Mapping[str, Any], title: str) -> tuple[str, tuple[Table, ...]] | None:
    """What `deidlab audit` wrote, as its own page shows it; None for a file of another form."""
    try:
        parts = list(residual_parts(audit))
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
    said = " ".join(f"{each.title}: {each.said}" for each in parts)
    return said, tuple(
        replace(table, title=f"{title}: {table.title}") for each in parts for table in each.tables
    )


def _binding(dossier: Dossier, entry: Entry, content: bytes) -> Iterator[str]:
    """Whether a result names the protocol that was there before it, by its digest."""
    if entry.kind != "result":
        return
    before = [each for each in dossier.entries if each.kind == "protocol" and each.number < entry.number]
    named = [
        each.number
        for each in before
        for name in each.files
        if any(told.encode() in content for told in digests_of(Path(name).suffix, dossier.files[name]))
    ]
    if named:
        yield f"It names the protocol of entry {named[-1]} by its digest."
    else:
        yield (
            "It names no protocol that was added before it." if before else "No protocol was added before it."
        )


def _cards_of_runs(dossier: Dossier) -> Iterator[DossierPart]:
    seen: set[str] = set()
    for entry in dossier.entries:
        name = entry.says.get("card")
        if entry.kind == RUN and name and entry.files[name] not in seen:
            seen.add(entry.files[name])
            text = dossier.files[name].decode("utf-8", "replace")
            yield DossierPart(
                KINDS["card"].title, f"{KINDS['card'].said} The model of entry {entry.number}.", text=text
            )


def _policies(runs: Mapping[int, Mapping[str, Any]]) -> Iterator[DossierPart]:
    seen: set[tuple[str, str]] = set()
    for number, run in runs.items():
        told = run["provenance"]["digests"]["policy"], run["settings"]["style"]
        if told not in seen:
            seen.add(told)
            table = policy_table(table_to_policy(run["policy"]), told[1])
            title = f"Policy {run['policy']['name']}, style {told[1]}"
            said = f"As the run of entry {number} had it. Examples are invented; clauses are no legal advice."
            about = table.title.rstrip(".")
            yield DossierPart(title, f"{said} {about}.", (replace(table, title=title, key="policy"),))


def _software(dossier: Dossier) -> Iterator[DossierPart]:
    latest = [each for each in dossier.entries if each.kind == RUN][-1:]
    for entry in latest:
        listed = json.loads(dossier.files[entry.says["software"]])
        ran = json.loads(dossier.files[entry.says["facts"]])["versions"]["deidlab"]
        here = listed["metadata"]["component"]["version"]
        said = (
            f"What was installed where the run of entry {entry.number} was added (CycloneDX in the folder)."
        )
        if ran != here:
            said += f" The run was made by DeidLab {ran}, and this is the list of {here}."
        yield DossierPart("Software", said, (software_table(listed),))


def _chain(entries: Sequence[Entry]) -> DossierPart:
    columns = columns_of(
        ("entry", "entry", "count"), ("time", "time", "text"), ("kind", "what", "text"), ("by", "by", "text"),
        ("digest", "digest", "code"), ("previous", "digest before", "code"),
        ("key", "signed by the key", "code"),
    )  # fmt: skip
    rows = tuple(
        (
            each.number,
            each.time,
            each.kind,
            each.by,
            _short(each.digest()),
            _short(each.previous),
            _short(each.key),
        )
        for each in entries
    )
    said = "Each entry holds the digest of the one before it and is signed."
    return DossierPart("The chain", said, (Table("Entries", columns, rows),))


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _short(digest: str | None) -> str | None:
    return f"{digest[:_SHORT]}…" if digest and len(digest) > _SHORT else digest or None
