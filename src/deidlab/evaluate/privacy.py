"""A tally in, what a privacy officer asks out: what stayed visible, where, how sure, and what was lost.

Labels do not matter here: a word is hidden when system spans of any label cover all of it. A leak is a PHI
word with a visible character left; over-masking is a word outside every gold span that the system touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deidlab.errors import ConfigError
from deidlab.evaluate.binomial import believable_share
from deidlab.evaluate.counts import FN, TP, Size, none_if_nan, ratio
from deidlab.evaluate.layout import Flags, Ints
from deidlab.evaluate.tally import Tally


@dataclass(frozen=True, slots=True)
class Share:
    """`n` of `of` units, and the highest share that they leave believable (Clopper–Pearson, one-sided)."""

    n: int
    of: int
    upper: float | None

    @property
    def share(self) -> float | None:
        return self.n / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class TypeLeaks:
    """Gold words of one type, and how many of them stayed visible."""

    words: int
    leaked: int

    @property
    def recall(self) -> float | None:
        return 1 - self.leaked / self.words if self.words else None


@dataclass(frozen=True, slots=True)
class Privacy:
    """The label-blind figures. Shares of documents and patients are of those that hold PHI at all."""

    words: int
    leaked_words: int
    word_recall: float | None
    characters: int
    leaked_characters: int
    character_recall: float | None
    leaking_documents: Share
    leaking_patients: Share
    leaked_words_per_document: float | None
    overmasked_words: int
    overmasked_share: float | None
    by_type: Mapping[str, TypeLeaks]
    confidence: float


@dataclass(frozen=True, slots=True)
class Slip:
    """Neighbouring words of one span that leaked or were masked for nothing; offsets are the document's."""

    kind: Literal["leak", "over-masking"]
    document: str
    patient: str
    start: int
    end: int
    label: str
    n_words: int
    n_characters: int


def assess_privacy(tally: Tally, confidence: float = 0.95, rows: Ints | None = None) -> Privacy:
    """The figures of all documents, or of those rows."""
    table = tally.table if rows is None else tally.table.take(rows)
    patients = tally.patients if rows is None else [tally.patients[row] for row in rows]
    total = table.total()
    masked = total.cells["masked"]
    hidden, leaked = int(masked[:, TP].sum()), int(masked[:, FN].sum())
    characters, bare = int(total.sizes[Size.PHI_CHARACTERS]), int(total.sizes[Size.LEAKED_CHARACTERS])
    names, owner = np.unique(np.array(patients, object), return_inverse=True)
    by_patient = table.merge_rows(owner, len(names)).sizes
    return Privacy(
        words=hidden + leaked,
        leaked_words=leaked,
        word_recall=none_if_nan(ratio(np.array(hidden), np.array(hidden + leaked))),
        characters=characters,
        leaked_characters=bare,
        character_recall=none_if_nan(ratio(np.array(characters - bare), np.array(characters))),
        leaking_documents=_leaking(table.sizes, confidence),
        leaking_patients=_leaking(by_patient, confidence),
        leaked_words_per_document=none_if_nan(ratio(np.array(leaked), total.sizes[Size.DOCUMENTS])),
        overmasked_words=int(total.sizes[Size.OVERMASKED_WORDS]),
        overmasked_share=none_if_nan(
            ratio(total.sizes[Size.OVERMASKED_WORDS], total.sizes[Size.PLAIN_WORDS])
        ),
        by_type={
            label: TypeLeaks(int(masked[code, TP] + masked[code, FN]), int(masked[code, FN]))
            for label, code in zip(tally.scored, tally.scored_codes, strict=True)
        },
        confidence=confidence,
    )


def upper_share(n: int, of: int, confidence: float = 0.95) -> float | None:
    """Clopper and Pearson's one-sided upper bound on a share of which `n` in `of` were seen."""
    if not 0 < confidence < 1:
        raise ConfigError(f"a confidence of {confidence} is impossible: it lies between 0 and 1")
    if of == 0:
        return None
    return believable_share(n, of, confidence)


def list_slips(tally: Tally) -> list[Slip]:
    """Every leak and every over-masking, by document and offset."""
    words = tally.words
    rows = [
        *_runs(tally, words.leaked, words.gold_span, words.target, words.length - words.covered, "leak"),
        *_runs(tally, words.overmasked, words.system_span, words.system_any, words.covered, "over-masking"),
    ]
    return sorted(rows, key=lambda slip: (slip.document, slip.start, slip.end, slip.kind))


def _leaking(sizes: Ints, confidence: float) -> Share:
    leaking = int((sizes[:, Size.LEAKING] > 0).sum())
    with_phi = int((sizes[:, Size.WITH_PHI] > 0).sum())
    return Share(leaking, with_phi, upper_share(leaking, with_phi, confidence))


def _runs(
    tally: Tally,
    flag: Flags,
    span: Ints,
    label: Ints,
    characters: Ints,
    kind: Literal["leak", "over-masking"],
) -> list[Slip]:
    rows = np.flatnonzero(flag)
    if not len(rows):
        return []
    words = tally.words
    # All words of a span are in the table, so neighbours in a span are neighbours in the table.
    first = np.ones(len(rows), np.bool_)
    first[1:] = (np.diff(rows) != 1) | (np.diff(span[rows]) != 0) | (np.diff(words.doc[rows]) != 0)
    heads = np.flatnonzero(first)
    tails = np.append(heads[1:], len(rows)) - 1
    sums = np.add.reduceat(characters[rows], heads)
    return [
        Slip(
            kind,
            tally.ids[words.doc[rows[head]]],
            tally.patients[words.doc[rows[head]]],
            int(words.start[rows[head]]),
            int(words.end[rows[tail]]),
            tally.labels[label[rows[head]]],
            int(tail - head + 1),
            int(n_characters),
        )
        for head, tail, n_characters in zip(heads, tails, sums, strict=True)
    ]
