"""Where which sentinel may stand, and why. What no row allows is a leak.

Kinds of sentinels, by the field that they are planted in:

    denied known marked    words of a note that must be masked: on the deny list, known of the patient, marked
    plain                  words of a note that nothing calls PHI
    id patient file folder source-name            what notes and files are called
    column cell key label origin tag comment side quoted    headers, other cells, JSON keys, a span's label and
                           source, XML names, XML comments and attributes, side files, text that an annotation quotes
    named-column kept-column kept-cell            columns that the command line names
    term passphrase header address                unused terms of lists, secrets, HTTP headers, addresses
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TEXT = frozenset(("denied", "known", "marked", "plain"))
NAMES = frozenset(("id", "patient", "file", "folder"))
STRUCTURE = frozenset(("column", "cell", "key", "label", "origin", "tag", "comment", "side", "quoted"))
TYPED = frozenset(("source-name", "named-column", "kept-column"))
NOTE = TEXT | NAMES | STRUCTURE | {"named-column", "kept-column", "kept-cell"}
STREAMS = frozenset(("stdout", "stderr"))
ON_THE_WAY = frozenset(("output", "run folder"))


@dataclass(frozen=True)
class Allowance:
    """Sentinels of these kinds may stand in these places, in cases that have all these flags."""

    kinds: frozenset[str]
    places: frozenset[str]
    flags: frozenset[str]
    reason: str


def _allow(kinds: Iterable[str], places: Iterable[str], flags: str, reason: str) -> Allowance:
    return Allowance(frozenset(kinds), frozenset(places), frozenset(flags.split()), reason)


ALLOWED = (
    _allow(["plain"], ON_THE_WAY, "mask", "outside replaced spans the text stays (docs/masking.md)"),
    _allow(["plain"], ["stdout"], "mask to-stdout", "standard output is the masked note"),
    _allow(TEXT, ON_THE_WAY, "mask mangled", "the fault cut words or moved offsets: what is PHI is not known"),
    _allow(TEXT, ["stdout"], "mask mangled to-stdout", "the same, where standard output is the masked note"),
    _allow(NAMES | {"source-name"}, ON_THE_WAY | {"name", "record", "audit"} | STREAMS, "mask ids-kept", "--ids keep leaves ids and file names"),
    _allow(NAMES | {"source-name"}, ["failures"], "mask", "--failures lists real ids and files, for its owner alone"),
    _allow(["kept-column", "kept-cell"], ON_THE_WAY | {"stdout"}, "mask", "--keep-column keeps a column as it is"),
    _allow(["kept-column", "named-column"], ["output", "run folder", "record", "audit", "failures", *STREAMS], "mask",
           "a column that the command names keeps its name; the record's settings list it"),
    _allow(["label", "origin"], ["run folder"], "mask", "spans wait there with all that was said of them, for the owner alone"),
    _allow(NAMES, ["stderr"], "mask gold", "a gold corpus that cannot be read is named by file, as the corpus commands do"),
    _allow(["source-name"], ["stderr"], "mask", "what the user typed may be said to the user"),
    _allow(NOTE | TYPED, ["restored"], "mask restored", "restore gives the notes back"),
    _allow(NOTE | TYPED, ["marked notes", "name", "run folder"], "local", "detect, convert, merge and review write the notes themselves"),
    _allow(NOTE, ["stdout"], "local to-stdout", "standard output is the note itself"),
    _allow(NAMES | TYPED | {"label"}, STREAMS, "local", "problems are named with file, id and type (docs/corpora.md)"),
    _allow(NAMES | TYPED | {"label"}, ["table", "name"], "local", "manifests list ids, tables list labels"),
    _allow(NOTE, ["review"], "local", "the review page shows the note to its reviewer"),
    _allow(["plain"], ["answer"], "service mask", "outside replaced spans the text stays"),
    _allow(TEXT, ["answer"], "service detect-batch", "a batch of task detect gives the notes back with what was found"),
    _allow(["id", "patient"], ["answer"], "service ids-kept", "ids and patients come back as they were sent (docs/serve.md)"),
    _allow(["label", "origin"], ["answer"], "service mask", "a client's own spans come back to it with their labels"),
)  # fmt: skip


def is_allowed(kind: str, place: str, flags: frozenset[str]) -> bool:
    """Whether a row allows it."""
    return any(kind in row.kinds and place in row.places and row.flags <= flags for row in ALLOWED)
