"""Random codes of a run: drawn here between the passes, many at once, and sent to workers with each note.

Where no crosswalk is named, the run keeps one of its own in its folder, which is gone when the run is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from deidlab.errors import CorpusError
from deidlab.mask import Crosswalk, Fact, Masker, MaskSettings, PatientState, unpack_facts
from deidlab.mask.codes import RandomCodes, SentAlong, names_of
from deidlab.mask.drawn import Name
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.run.state import Settled
from deidlab.types import Document

# The kind of a fact that says only for what a code is needed.
CODED = "code"
_PATIENTS_AT_ONCE = 512
_GROWN = "crosswalk has grown to"


def coded_facts(masker: Masker, document: Document) -> tuple[Fact, ...]:
    """For what of a note there must be a code, by digests; nothing where codes are keyed."""
    if not masker.settings.draws:
        return ()
    names = names_of(masker.settings.key, masker.coded(document))
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
    if not path.exists():
        # Made aside: a kill leaves none that is half written.
        Crosswalk.new(partial.fresh("new-codes"), settings.key, alone=True).path.rename(path)
    return Crosswalk.open(path, settings.key, alone=True)


def note_growth(crosswalk: Crosswalk | None, partial: Partial) -> None:
    """So that the run goes on with a crosswalk alone that holds what it drew."""
    if crosswalk is not None:
        partial.state.put_setting(_GROWN, str(crosswalk.n_records))


def settled_patients(
    partial: Partial, seal: Seal, crosswalk: Crosswalk | None
) -> Iterator[tuple[bytes, bytes]]:
    """What each patient's notes share, packed, in the order of their ids; many draw codes at once."""
    patients = partial.state.patients()
    while batch := list(islice(patients, _PATIENTS_AT_ONCE)):
        read = [(patient, *_in_order(notes, seal)) for patient, notes in batch]
        if crosswalk is not None:
            crosswalk.draw(chain.from_iterable(names for _, _, names in read))
        for patient, facts, _ in read:
            yield patient, PatientState.from_facts(facts).to_bytes()


def _in_order(notes: Sequence[tuple[bytes, bytes]], seal: Seal) -> tuple[list[Fact], list[Name]]:
    ordered = sorted(notes, key=lambda note: seal.open(note[0]))
    return split_facts(chain.from_iterable(unpack_facts(facts) for _, facts in ordered))


def with_codes(
    settled: Sequence[Settled | None],
    facts: Mapping[int, bytes],
    numbers: Sequence[int],
    crosswalk: Crosswalk,
) -> list[Settled | None]:
    """What masking needs of each note, with the codes that were drawn for what is in it, and no others."""
    names = {
        number: split_facts(unpack_facts(facts[number]))[1]
        for number, own in zip(numbers, settled, strict=True)
        if own is not None
    }
    drawn = crosswalk.draw(chain.from_iterable(names.values()))
    return [
        own and replace(own, drawn={name: drawn[name] for name in names[number]})
        for number, own in zip(numbers, settled, strict=True)
    ]


def masker_with(settings: MaskSettings, sent: SentAlong) -> Masker:
    """Who masks with the codes that are sent along, where codes are drawn."""
    return Masker(settings, RandomCodes(settings.key, sent) if settings.draws else None)
