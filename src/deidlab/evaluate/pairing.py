"""Two corpora in, their documents in pairs out: matched by id, with the very same text on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from deidlab.errors import AlignmentError, CorpusError, UnknownNameError
from deidlab.types import Document

MissingRule = Literal["error", "skip", "empty"]
MISSING_RULES: tuple[MissingRule, ...] = get_args(MissingRule)


@dataclass(frozen=True, slots=True)
class Pair:
    """One document as people marked it and as a system did."""

    gold: Document
    system: Document


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs, by id, and the ids found on one side only."""

    pairs: tuple[Pair, ...]
    only_gold: tuple[str, ...] = ()
    only_system: tuple[str, ...] = ()


def pair_documents(gold: Iterable[Document], system: Iterable[Document], missing: str = "error") -> Pairing:
    """Match documents by id, in the order of their ids.

    `missing` says what becomes of an id on one side only: `error` stops; `skip` leaves it out; `empty`
    scores a gold document that the system lacks as one where the system found nothing.
    """
    if missing not in MISSING_RULES:
        raise UnknownNameError("rule for missing documents", missing, MISSING_RULES)
    golds, systems = _by_id(gold, "gold"), _by_id(system, "system")
    only_gold = tuple(sorted(golds.keys() - systems.keys()))
    only_system = tuple(sorted(systems.keys() - golds.keys()))
    if missing == "error" and (only_gold or only_system):
        raise CorpusError(_one_sided(only_gold, only_system))
    wanted = sorted(golds if missing == "empty" else golds.keys() & systems.keys())
    pairs = tuple(_pair(golds[key], systems.get(key)) for key in wanted)
    if not pairs:
        raise CorpusError("nothing to score: gold and system have no document in common")
    return Pairing(pairs, only_gold, only_system)


def common_pairs(pairings: Iterable[Pairing]) -> list[tuple[Pair, ...]]:
    """The pairs of each pairing, cut down to the documents that all of them hold."""
    every = [pairing.pairs for pairing in pairings]
    shared = set.intersection(*({pair.gold.id for pair in pairs} for pairs in every))
    if not shared:
        raise CorpusError("nothing to compare: the systems have no document in common")
    return [tuple(pair for pair in pairs if pair.gold.id in shared) for pairs in every]


def drop_below(pairs: Sequence[Pair], threshold: float) -> tuple[Pair, ...]:
    """The pairs without system spans that score below the threshold; a span with no score stays."""
    if threshold <= 0:
        return tuple(pairs)
    kept = []
    for pair in pairs:
        spans = tuple(span for span in pair.system.spans if span.score is None or span.score >= threshold)
        kept.append(Pair(pair.gold, replace(pair.system, spans=spans)))
    return tuple(kept)


def _by_id(documents: Iterable[Document], side: str) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for document in documents:
        if document.id in found:
            raise CorpusError(f"document {document.id} is in the {side} corpus twice; ids must be unique")
        found[document.id] = document
    return found


def _pair(gold: Document, system: Document | None) -> Pair:
    if system is None:
        return Pair(gold, Document(gold.id, gold.patient, gold.text))
    if gold.text != system.text:
        place = _first_difference(gold.text, system.text)
        raise AlignmentError(
            f"document {gold.id}: the texts of gold and system differ from character {place} on (gold has "
            f"{len(gold.text)} characters, system {len(system.text)}); score both on the same text"
        )
    return Pair(gold, system)


def _first_difference(one: str, two: str) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(two)))


def _one_sided(only_gold: tuple[str, ...], only_system: tuple[str, ...]) -> str:
    parts = [
        f"{len(ids)} document{'s' if len(ids) > 1 else ''} only in the {side} corpus ({_first(ids)})"
        for side, ids in (("gold", only_gold), ("system", only_system))
        if ids
    ]
    return (
        f"{' and '.join(parts)}; --missing skip leaves them out, --missing empty counts gold ones as missed"
    )


def _first(ids: tuple[str, ...], n_shown: int = 5) -> str:
    rest = len(ids) - n_shown
    return ", ".join(ids[:n_shown]) + (f" and {rest} more" if rest > 0 else "")
