"""A protocol and a later run in; whether its notes still look like those that were validated, out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from deidlab.report.audit.record import RunRecord
from deidlab.report.tables import Table, columns_of
from deidlab.report.validation.profile import build_profile, compare_profiles
from deidlab.report.validation.protocol import Protocol
from deidlab.report.validation.strata import ALL, OTHER, digest_run, look_at

UNKNOWN = "not in the protocol"
_SAID = {
    "certainty": "how sure the detector is",
    "labels": "what is replaced",
    "words": "the words around it",
    "length": "how long notes are",
}


def measure_drift(protocol: Protocol, record: RunRecord) -> dict[str, Any]:
    """What differs, by stratum, and which strata to read again."""
    seen = list(look_at(record, protocol.by))
    known = {each.name for each in protocol.strata}
    rest = ALL if known == {ALL} else OTHER if OTHER in known else UNKNOWN
    names = {each.stratum: each.stratum if each.stratum in known else rest for each in seen}
    counts = Counter(names[each.stratum] for each in seen)
    drifts = compare_profiles(protocol.profile, build_profile(seen, names))
    moved = {each.stratum for each in drifts if each.drifted}
    if counts[UNKNOWN]:
        moved.add(UNKNOWN)
    return {
        "protocol": protocol.digest,
        "notes": len(seen),
        "same_notes": digest_run(seen) == protocol.run["digest"],
        "strata": [
            {"stratum": name, "notes": counts[name], "validated": _validated(protocol, name)}
            for name in (*(each.name for each in protocol.strata), UNKNOWN)
            if counts[name] or name != UNKNOWN
        ],
        "compared": [{**each._asdict(), "drifted": each.drifted} for each in drifts],
        "read_again": [
            {"stratum": name, "notes": min(_sample(protocol, name), counts[name]), "of": counts[name]}
            for name in sorted(moved)
        ],
    }


def _validated(protocol: Protocol, name: str) -> int:
    return sum(each.notes for each in protocol.strata if each.name == name)


def _sample(protocol: Protocol, name: str) -> int:
    """How many notes of it were to be read; of one that is new, as many as of the largest sample."""
    own = [each.sample for each in protocol.strata if each.name == name]
    return own[0] if own else max(each.sample for each in protocol.strata)


def drift_tables(found: dict[str, Any]) -> list[Table]:
    """What differs, as tables."""
    columns = columns_of(
        ("stratum", "stratum", "text"), ("kind", "compared", "text"), ("notes", "notes", "count"),
        ("distance", "apart, bits"), ("chance", "by chance up to"), ("drifted", "drifted", "flag"),
    )  # fmt: skip
    rows = tuple(
        (row["stratum"], _SAID[row["kind"]], row["notes"], row["distance"], row["chance"], row["drifted"])
        for row in found["compared"]
    )
    return [Table("Later notes beside those that were validated", columns, rows)]


def say_drift(found: dict[str, Any]) -> list[str]:
    """What to do about it, a line each."""
    if found["same_notes"]:
        return ["these are the validated notes themselves"]
    if not found["read_again"]:
        return ["the notes look like those that were validated"]
    lines = ["the notes no longer look like those that were validated; what was read does not speak for them"]
    for row in found["read_again"]:
        lines.append(f"read again: {row['notes']:,} of {row['of']:,} notes of stratum '{row['stratum']}'")
    return lines
