"""A system's scores in, the probability that it gives each word of being PHI out, beside what gold says.

From word scores the words are the detector's, cut at gold edges. From scored spans the words are the
scorer's, and a word has the highest threshold at which the spans left still cover all of it; words under
no span have 0, and a span without a score counts as certain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deidlab.errors import AlignmentError, CorpusError
from deidlab.evaluate.layout import Flags, Floats, Ints, Layout, SpanTable, chunks, cut_at, lay_out
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.tally import Tally
from deidlab.evaluate.wordlevel import NO_LABEL, paint_labels, touched_words
from deidlab.evaluate.wordscores import WordScores

ScoreWords = Callable[[Sequence[Pair], Layout], tuple[Layout, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class WordCertainty:
    """Every word: its document's row, its gold label code (NO_LABEL outside PHI), the system's probability.

    Words under gold labels that are not scored are left out. `origin` is 'words' or 'spans'.
    """

    doc: Ints
    label: Ints
    score: Floats
    origin: str

    @property
    def phi(self) -> Flags:
        return np.not_equal(self.label, NO_LABEL)


def certainty_of_words(pairs: Sequence[Pair], tally: Tally, scores: WordScores) -> WordCertainty:
    """From a file of word scores; each document must be there, and each visible character in a word."""
    for pair in pairs:
        if pair.gold.id not in scores:
            raise CorpusError(f"document {pair.gold.id} has no word scores; every scored document needs them")
    return _gather(pairs, tally, "words", lambda chunk, layout: _from_words(chunk, layout, scores))


def certainty_of_spans(pairs: Sequence[Pair], tally: Tally) -> WordCertainty:
    """From the scores on the system's own spans."""
    return _gather(pairs, tally, "spans", lambda _, layout: (layout, _from_spans(layout, layout.system)))


def _gather(pairs: Sequence[Pair], tally: Tally, origin: str, score_words: ScoreWords) -> WordCertainty:
    parts: list[tuple[Ints, Ints, Floats]] = []
    done = 0
    style = "whitespace" if origin == "words" else tally.style
    for chunk in chunks(pairs):
        layout, score = score_words(chunk, lay_out(chunk, tally.labels, frozenset(tally.scored), style))
        label = paint_labels(layout, layout.gold, layout.gold.wanted)
        anything = paint_labels(layout, layout.gold, np.ones(len(layout.gold), np.bool_))
        kept = (label != NO_LABEL) | (anything == NO_LABEL)
        parts.append((layout.word_doc[kept] + done, label[kept], score[kept]))
        done += len(chunk)
    doc, label, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    return WordCertainty(doc, label, score, origin)


def _from_words(pairs: Sequence[Pair], layout: Layout, scores: WordScores) -> tuple[Layout, Floats]:
    """The layout with the detector's words in place of its own, and their probabilities."""
    for pair in pairs:
        words = scores[pair.gold.id]
        if len(words) and words[-1, 1] > len(pair.gold.text):
            raise AlignmentError(
                f"document {pair.gold.id}: its word scores reach to character {int(words[-1, 1])}, but the "
                f"text has {len(pair.gold.text)}; they belong to another text"
            )
    rows = [
        scores[pair.gold.id] + [float(shift), float(shift), 0.0]
        for pair, shift in zip(pairs, layout.doc_start, strict=True)
    ]
    whole = np.concatenate(rows)
    start, end = whole[:, 0].astype(np.int64), whole[:, 1].astype(np.int64)
    _refuse_gaps(pairs, layout, start, end)
    cut_start, cut_end = cut_at(start, end, np.concatenate([layout.gold.start, layout.gold.end]))
    owner = np.searchsorted(start, cut_start, side="right") - 1
    doc = np.searchsorted(layout.doc_start, cut_start, side="right") - 1
    moved = Layout(
        layout.text, layout.doc_start, cut_start, cut_end, doc, layout.gold, layout.system,
        layout.gold_twice, layout.system_twice,
    )  # fmt: skip
    return moved, whole[owner, 2]


def _refuse_gaps(pairs: Sequence[Pair], layout: Layout, start: Ints, end: Ints) -> None:
    _, word, shared = touched_words(layout, start, end)
    covered = np.bincount(word, weights=shared, minlength=len(layout.word_start))
    bare = np.flatnonzero(covered < layout.word_end - layout.word_start)
    if len(bare):
        doc = layout.word_doc[bare[0]]
        place = layout.word_start[bare[0]] - layout.doc_start[doc]
        raise AlignmentError(
            f"document {pairs[doc].gold.id}: the word at character {place} has no score, or has one in part; "
            "word scores must hold every visible character"
        )


def _from_spans(layout: Layout, spans: SpanTable) -> Floats:
    certain = np.where(np.isnan(spans.score), 1.0, spans.score)
    stretch, word, shared = touched_words(layout, spans.start, spans.end)
    score = np.zeros(len(layout.word_start))
    whole = shared == (layout.word_end - layout.word_start)[word]
    np.maximum.at(score, word[whole], certain[stretch[whole]])
    for row in np.unique(word[~whole]):
        owners = stretch[word == row]
        together = _joint_cover(layout, spans, owners, certain, int(row))
        score[row] = max(score[row], together)
    return score


def _joint_cover(layout: Layout, spans: SpanTable, owners: Ints, certain: Floats, row: int) -> float:
    """The highest threshold at which the spans left cover the word together; 0 where they never do."""
    start, end = layout.word_start[row], layout.word_end[row]
    bare = np.ones(end - start, np.bool_)
    for owner in owners[np.argsort(-certain[owners], kind="stable")]:
        bare[max(0, spans.start[owner] - start) : max(0, spans.end[owner] - start)] = False
        if not bare.any():
            return float(certain[owner])
    return 0.0
