"""The records of runs in; the threat model and the data flow, filled in from them, out.

docs/threat-model.md and docs/data-flow.md explain each row under the same name; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deidlab.report.tables import Table, counted, text_table

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Threat:
    """What may go wrong, what stands against it, and what the runs say of it."""

    name: str
    against: str
    look: Callable[[Facts], str]


def _found(run: Facts) -> str:
    settings = run["settings"]
    if settings["found_by"] != "detector":
        return "as people marked it"
    model = f"model {settings['model']}" if settings["model"] else "no model"
    return f"{model}, rules {settings['rules']}"


def _missed(run: Facts) -> str:
    how = "found with" if run["settings"]["found_by"] == "detector" else "found"
    return f"{how} {_found(run)}"


def _left(run: Facts) -> str:
    left = sum(row["n"] for row in run["left_by_policy"])
    return f"policy {run['policy']['name']} left {left:,} spans that were found"


def _linked(run: Facts) -> str:
    kept = run["settings"]["kept_columns"]
    return f"{counted(kept, 'column')} kept" if kept else "no column kept"


def _names(run: Facts) -> str:
    return "REAL IDS ARE KEPT" if run["settings"]["ids"] == "keep" else "ids and file names are pseudonyms"


def _key(run: Facts) -> str:
    key = run["provenance"]["key"]
    return f"key {key['id']}, kept in a file" if key["lasting"] else f"key {key['id']}, random and gone"


def _plain_sight(run: Facts) -> str:
    style = run["settings"]["style"]
    return (
        "what is missed hides among surrogates"
        if style == "surrogate"
        else f"style {style}: what is missed shows"
    )


def _annotated(run: Facts) -> str:
    kept = run["annotations"]["kept"]
    return f"{kept} ANNOTATIONS POINT AT TEXT THAT STAYED" if kept else "none points at text that stayed"


def _failed(run: Facts) -> str:
    failed, notes = run["failed"], counted(run["notes"], "note")
    return (
        f"{failed:,} of {notes} failed, and nothing is written of them" if failed else f"0 of {notes} failed"
    )


def _changed(run: Facts) -> str:
    return f"{counted(run['provenance']['output']['files'], 'file')} written, each with its digest"


def _remote(run: Facts) -> str:
    return f"engine {run['engine']}, {counted(run['workers'], 'worker')}"


THREATS = (
    Threat(
        "PHI that the detector misses",
        "validation on one's own notes: reading and gold tell, the run cannot",
        _missed,
    ),
    Threat("PHI that the policy leaves", "the policy's table, approved by name", _left),
    Threat("Linkage by what stands beside the text", "columns are dropped unless named", _linked),
    Threat("Names of notes and files", "keyed pseudonyms", _names),
    Threat("The key gets out", "a file of its own, mode 0600; only its fingerprint is recorded", _key),
    Threat(
        "Surrogates that can be told from originals",
        "surrogates in the form of what they replace",
        _plain_sight,
    ),
    Threat("Annotations that point at leaks", "dropped unless asked for", _annotated),
    Threat("Notes that fail", "nothing is written of a note that fails", _failed),
    Threat("Output changed after it was validated", "digests, a hash chain, signatures", _changed),
    Threat("Notes that leave the machine", "offline; workers only where the operator starts them", _remote),
)


def threat_table(runs: Mapping[int, Facts]) -> Table:
    """A row a threat; what the runs say of it, with their entries where they differ."""
    rows = [(each.name, each.against, _over(runs, each.look)) for each in THREATS]
    return text_table("Threats", ("threat", "what stands against it", "in these runs"), rows, 3)


def _over(runs: Mapping[int, Facts], look: Callable[[Facts], str]) -> str:
    said: dict[str, list[int]] = {}
    for number, run in runs.items():
        said.setdefault(look(run), []).append(number)
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(f"{what} (entry {', '.join(map(str, numbers))})" for what, numbers in said.items())


def _read(run: Facts) -> str:
    return str(run["provenance"]["source"].get("format", "a stream"))


def _stopped(run: Facts) -> str:
    return "went on after a stop" if run["provenance"]["resumed"] else "in one go"


def _masked(run: Facts) -> str:
    key = run["provenance"]["key"]["id"]
    return f"policy {run['policy']['name']}, style {run['settings']['style']}, key {key}"


def _written(run: Facts) -> str:
    return f"{counted(run['masked'], 'note')} as {run['settings']['format']}"


STEPS: tuple[tuple[str, str, Callable[[Facts], str]], ...] = (
    ("Read", "notes, from where the operator says; never written back", _read),
    ("Find", "text in workers' memory; offsets, labels and certainties come back", _found),
    ("Keep the state", "offsets and keyed digests on the operator's disk, gone with the run", _stopped),
    ("Mask", "text and offsets in, masked text out, by policy, style and key", _masked),
    ("Write", "masked notes, whole or not at all", _written),
    ("Record", "counts, offsets and digests; no word of a note", _changed),
)


def flow_table(runs: Mapping[int, Facts]) -> Table:
    """A row a step, in order: what passes there, and what the runs did."""
    rows = [(name, passes, _over(runs, look)) for name, passes, look in STEPS]
    return text_table("Data flow", ("step", "what passes", "in these runs"), rows, 3)
