"""Notes with gold in, whether somebody could tell originals that were left from surrogates out.

Some mentions are left unmasked, as a detector would miss them, and all others get surrogates; a classifier
that learned from other patients' notes then says of each mention whether it is an original. It is told what
an attacker can know: how the mention is written, what stands around it, whether its words are in the banks
that surrogates are drawn from, how it fits the note's other mentions, and the truth for the notes it learned
from: more than an attacker has. An area of one half is chance.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from deidlab.banks.names import known_name
from deidlab.errors import CorpusError
from deidlab.evaluate.areas import area_of, weighted_areas
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.layout import Floats, Ints
from deidlab.evaluate.resample import ResampleSettings, draw_weights, interval
from deidlab.labels import usual_group
from deidlab.mask import Masker, MaskSettings, mask_notes
from deidlab.mask.apply import landings, move_spans
from deidlab.mask.dates import anchor_of
from deidlab.types import Document, MaskedDocument, Span
from deidlab.utility.learning import FOLDS, deal_folds, probabilities, train_logistic

_HASHED = 512
_AROUND = 20
# With fewer of either a figure says nothing.
_FEWEST = 20
# Every one is a training; the least p that can be told is one over one more.
_SHUFFLES = 49


@dataclass(frozen=True, slots=True)
class AttackFigures:
    """Of a kind of mention: how many originals and surrogates there were, the area under the curve, and the
    share of originals among as many of the most suspicious mentions as there are originals; `chance` is that
    of guessing.

    `p` is the share of trainings on shuffled truths that did as well. Intervals draw patients again, but
    train nothing anew: they are somewhat too narrow to tell chance by.
    """

    originals: int
    surrogates: int
    area: Interval
    picked: Interval
    chance: float
    p: float | None


@dataclass(frozen=True, slots=True)
class _Mentions:
    vectors: Floats
    original: Ints
    kinds: tuple[str, ...]
    patients: tuple[str, ...]


def attack_surrogates(
    documents: Sequence[Document], masking: MaskSettings, left: float, settings: ResampleSettings
) -> dict[str, AttackFigures]:
    """Figures by kind, all of them together first, where there is enough to say anything."""
    mentions = _gather(documents, masking, left, settings.seed)
    n = int(mentions.original.sum())
    if min(n, len(mentions.original) - n) < _FEWEST or len(set(mentions.patients)) < FOLDS:
        raise CorpusError(
            f"the attack needs {_FEWEST} mentions that are left, as many surrogates, and {FOLDS} patients"
        )
    truths = _shuffled(mentions, min(_SHUFFLES, settings.n_resamples), settings.seed)
    scores = _suspicion(mentions, truths, settings.seed)
    names = ["all", *(kind for kind, _ in Counter(mentions.kinds).most_common())]
    found = {}
    for name in names:
        rows = np.array([name in ("all", kind) for kind in mentions.kinds])
        if min(mentions.original[rows].sum(), (1 - mentions.original[rows]).sum()) >= _FEWEST:
            found[name] = _figures(mentions, truths[rows], scores[rows], rows, settings)
    return found


def _gather(documents: Sequence[Document], masking: MaskSettings, left: float, seed: int) -> _Mentions:
    masker = Masker(replace(masking, style="surrogate"))
    kept: list[tuple[Span, ...]] = []
    notes: list[Document] = []
    for document in documents:
        draw = random.Random(f"{seed} {document.id}")
        spans = masker.masked_part(document)
        out = tuple(span for span in spans if draw.random() < left)
        kept.append(out)
        notes.append(replace(document, spans=tuple(span for span in spans if span not in out)))
    rows: list[Floats] = []
    original: list[int] = []
    kinds: list[str] = []
    patients: list[str] = []
    for note, out, masked in zip(notes, kept, mask_notes(notes, masker.settings), strict=True):
        for vector, is_original, kind in _note_vectors(masked, out, masking):
            rows.append(vector)
            original.append(is_original)
            kinds.append(kind)
            patients.append(note.patient)
    return _Mentions(np.array(rows), np.array(original, int), tuple(kinds), tuple(patients))


def _note_vectors(
    masked: MaskedDocument, out: Sequence[Span], masking: MaskSettings
) -> list[tuple[Floats, int, str]]:
    text = masked.text
    spans = [(a, b, span.label, 0) for (a, b), (span, _) in _placed(masked)]
    spans += [(span.start, span.end, span.label, 1) for span in move_spans(out, masked.replacements)]
    words = Counter(word for a, b, _, _ in spans for word in set(text[a:b].lower().split()))
    dates = {
        (a, b): date.toordinal()
        for a, b, _, _ in spans
        if (date := anchor_of(text[a:b], masking.day_first, masking.language)) is not None
    }
    middle = median(dates.values()) if dates else 0
    return [
        (_vector(text, a, b, words, dates.get((a, b), middle) - middle), is_original, usual_group(label))
        for a, b, label, is_original in spans
    ]


def _placed(masked: MaskedDocument) -> list[tuple[tuple[int, int], tuple[Span, str]]]:
    return list(zip(landings(masked.replacements), masked.replacements, strict=True))


def _vector(text: str, start: int, end: int, words: Counter[str], days_off: float) -> Floats:
    """Numbers first, then hashed pieces of the mention, of its shape and of what stands around it."""
    said = text[start:end]
    own = said.lower().split()
    shape = "".join("9" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in said)
    known = [any(known_name(word.strip(".,"))) for word in said.split()]
    vector = np.zeros(6 + _HASHED)
    vector[:6] = (
        len(said) / 20,
        sum(words[word] > 1 for word in own) / max(len(own), 1),
        sum(known) / max(len(known), 1),
        min(len(own), 5) / 5,
        np.log1p(abs(days_off)) / 10,
        float(abs(days_off) > 366),
    )
    pieces = [f"m{said.lower()[at : at + 3]}" for at in range(max(len(said) - 2, 1))]
    pieces += [f"s{shape}", *(f"b{word}" for word in text[max(0, start - _AROUND) : start].lower().split())]
    pieces += [f"a{word}" for word in text[end : end + _AROUND].lower().split()]
    for piece in pieces:
        vector[6 + zlib.crc32(piece.encode()) % _HASHED] += 1 / np.sqrt(len(pieces))
    return vector


def _shuffled(mentions: _Mentions, n: int, seed: int) -> Ints:
    """A column with the truth, and columns with it shuffled among mentions of each kind."""
    draw = np.random.default_rng(seed)
    truths = np.repeat(mentions.original[:, None], n + 1, axis=1)
    kinds = np.array(mentions.kinds, object)
    for kind in sorted(set(mentions.kinds)):
        rows = np.flatnonzero(kinds == kind)
        for column in range(1, n + 1):
            truths[rows, column] = draw.permutation(mentions.original[rows])
    return truths


def _suspicion(mentions: _Mentions, truths: Ints, seed: int) -> Floats:
    """How surely each mention is an original, by models that saw other patients alone, a column a truth."""
    folds = deal_folds(mentions.patients, seed)
    scores = np.zeros(truths.shape)
    for fold in range(FOLDS):
        inside, outside = folds == fold, folds != fold
        if inside.any():
            model = train_logistic(mentions.vectors[outside], truths[outside].astype(float))
            scores[inside] = probabilities(mentions.vectors[inside], *model)
    return scores


def _figures(
    mentions: _Mentions, truths: Ints, scores: Floats, rows: Ints, settings: ResampleSettings
) -> AttackFigures:
    areas = [area_of(truths[:, column], scores[:, column]) for column in range(truths.shape[1])]
    as_good = sum(area >= areas[0] for area in areas[1:])
    order = np.argsort(scores[:, 0], kind="stable")
    original, own = truths[order, 0], scores[order, 0]
    patients = np.array(mentions.patients, object)[rows][order]
    names, owner = np.unique(patients, return_inverse=True)
    n = int(original.sum())
    picked = (np.arange(len(own)) >= len(own) - n).astype(float)
    drawn_areas, drawn_shares = [np.zeros(0)], [np.zeros(0)]
    for weights in draw_weights(len(names), settings.n_resamples, settings.seed):
        drawn_areas.append(weighted_areas(original, own, weights[:, owner]))
        drawn_shares.append(_share(original, picked, weights[:, owner]))
    share = float(_share(original, picked, np.ones((1, len(own))))[0])
    return AttackFigures(
        n, len(own) - n,
        interval(areas[0], np.concatenate(drawn_areas), settings.confidence),
        interval(share, np.concatenate(drawn_shares), settings.confidence),
        n / len(own),
        (1 + as_good) / len(areas) if len(areas) > 1 else None,
    )  # fmt: skip


def _share(original: Ints, picked: Floats, weights: Floats) -> Floats:
    whole = weights @ picked
    upper = weights @ (picked * original)
    share: Floats = np.divide(upper, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return share
