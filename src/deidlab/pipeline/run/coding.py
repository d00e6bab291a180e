"""Random codes of a run: drawn here between the passes, and sent to workers with what a patient's notes
share.

Where no crosswalk is named, the run keeps one of its own in its folder, which is gone when the run is done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from deidlab.errors import CorpusError
from deidlab.mask import Crosswalk, Fact, Masker, MaskSettings, PatientState, unpack_facts
from deidlab.mask.codes import RandomCodes, SentAlong, name_of
from deidlab.mask.crosswalk import Name
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.types import Document

# The kind of a fact that says only for what a code is needed.
CODED = "code"
_PATIENTS_AT_ONCE = 512
_GROWN = "crosswalk has grown to"


def coded_facts(masker: Masker, document: Document) -> tuple[Fact, ...]:
    """For what of a note there must be a code, by digests; nothing where codes are keyed."""
    if not masker.settings.draws:
        return ()
    names = dict.fromkeys(name_of(masker.settings.key, *each) for each in masker.coded(document))
    return tuple(Fact(CODED, kind, digest) for kind, digest in names)


def split_facts(facts: Iterable[Fact]) -> tuple[list[Fact], list[Name]]:
    """What masking must know, and for what there must be codes."""
    known, names = [], []
    for fact in facts:
        if fact.kind == CODED:
            names.append((fact.label, fact.mention))
        else:
            known.append(fact)
    return known, names


def own_crosswalk(settings: MaskSettings, partial: Partial) -> Crosswalk | None:
    """The crosswalk that the run draws into; None where its codes are keyed."""
    if not settings.draws:
        return None
    if (named := settings.crosswalk) is not None:
        if named.n_records < int(partial.state.setting(_GROWN) or 0):
            raise CorpusError(
                f"{named.path}: an older copy of the crosswalk than this run began with; put back the "
                "newest, or start over with --overwrite"
            )
        return named
    path = partial.folder / "codes"
    if path.exists():
        return Crosswalk.open(path, settings.key, alone=True)
    return Crosswalk.new(path, settings.key, alone=True)


def note_growth(crosswalk: Crosswalk | None, partial: Partial) -> None:
    """So that the run goes on with a crosswalk alone that holds what it drew."""
    if crosswalk is not None:
        partial.state.put_setting(_GROWN, str(crosswalk.n_records))


def settled_patients(
    partial: Partial, seal: Seal, crosswalk: Crosswalk | None
) -> Iterator[tuple[bytes, bytes]]:
    """What each patient's notes share, packed, in the order of their ids; many draw at once."""
    patients = partial.state.patients()
    while batch := list(islice(patients, _PATIENTS_AT_ONCE)):
        read = [(patient, *_in_order(notes, seal)) for patient, notes in batch]
        drawn = crosswalk.draw(chain.from_iterable(names for _, _, names in read)) if crosswalk else {}
        for patient, facts, names in read:
            state = PatientState.from_facts(facts).to_bytes()
            own = {name: drawn[name] for name in names}
            yield patient, _pack(state, own, seal) if crosswalk else state


def _in_order(notes: Sequence[tuple[bytes, bytes]], seal: Seal) -> tuple[list[Fact], list[Name]]:
    ordered = sorted(notes, key=lambda note: seal.open(note[0]))
    return split_facts(chain.from_iterable(unpack_facts(facts) for _, facts in ordered))


def _pack(state: bytes, drawn: dict[Name, bytes], seal: Seal) -> bytes:
    rows = [[kind, digest.hex(), own.hex()] for (kind, digest), own in drawn.items()]
    return seal.close(json.dumps([rows, state.decode()]).encode())


def unpack_settled(packed: bytes, settings: MaskSettings, seal: Seal) -> tuple[Masker, PatientState]:
    """Who masks a patient's notes, and what they share."""
    if not settings.draws:
        return Masker(settings), PatientState.from_bytes(packed)
    rows, state = json.loads(seal.open(packed))
    drawn = {(kind, bytes.fromhex(digest)): bytes.fromhex(own) for kind, digest, own in rows}
    masker = Masker(settings, RandomCodes(settings.key, SentAlong(drawn)))
    return masker, PatientState.from_bytes(state.encode())
