"""A run's record and gold notes in, the leak figures of the scorer out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from deidlab.errors import CorpusError
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.privacy import assess_privacy, list_slips
from deidlab.evaluate.tally import tally_pairs
from deidlab.labels import is_shipped_label
from deidlab.report.audit.record import RunRecord
from deidlab.types import Document, Span

# What a policy leaves in a note on purpose is not a leak.
_VISIBLE = ("keep", "over-89")
_OTHER = "OTHER"


def score_gold(
    record: RunRecord, golds: Iterable[Document], name_of: Callable[[str], str], confidence: float = 0.95
) -> dict[str, Any]:
    """What gold marks and the run left visible; `name_of` gives an id's pseudonym."""
    actions = record.settings["actions"]
    kept = sorted(label for label, action in actions.items() if action in _VISIBLE)
    pairs, n_missing = [], 0
    for gold in golds:
        facts = record.notes.get(name_of(gold.id))
        if facts is None:
            n_missing += 1
            continue
        if facts.characters != len(gold.text):
            raise CorpusError(f"document {gold.id}: the gold text is not the text that was masked")
        wanted = tuple(_shown(span) for span in gold.spans if span.label not in kept)
        system = Document(gold.id, gold.patient, gold.text, facts.spans)
        pairs.append(Pair(replace(gold, spans=wanted), system))
    if not pairs:
        raise CorpusError(
            "no gold note is in this run: is it the run's own source, and the key the run's key (--key-file)?"
        )
    tally = tally_pairs(pairs)
    privacy = assess_privacy(tally, confidence)
    leaks = [slip for slip in list_slips(tally) if slip.kind == "leak"]
    return {
        "notes": len(pairs),
        "notes_not_in_the_run": n_missing,
        "left_by_policy": kept,
        "words": privacy.words,
        "leaked_words": privacy.leaked_words,
        "word_recall": privacy.word_recall,
        "leaking_documents": _share(privacy.leaking_documents),
        "leaking_patients": _share(privacy.leaking_patients),
        "overmasked_words": privacy.overmasked_words,
        "overmasked_share": privacy.overmasked_share,
        "confidence": confidence,
        "by_type": {
            label: {"words": each.words, "leaked": each.leaked, "recall": each.recall}
            for label, each in privacy.by_type.items()
            if each.words
        },
        "leaks": [
            {"document": name_of(slip.document), "start": slip.start, "end": slip.end, "label": slip.label}
            for slip in leaks[:200]
        ],
    }


def _shown(span: Span) -> Span:
    """The page is shared: a label that no shipped set has may be anything, and is not shown."""
    return span if is_shipped_label(span.label) else replace(span, label=_OTHER)


def _share(share: Any) -> dict[str, Any]:
    return {"n": share.n, "of": share.of, "share": share.share, "upper": share.upper}
