"""Documents in, all their windows as flat arrays out: what a run learns from and is validated on.

Nothing of the text is kept but piece ids; gold spans travel as offsets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from deidlab.encode.pieces import WordPieces
from deidlab.encode.shapes import SPECIAL, find_shapes
from deidlab.encode.tags import resolve_overlaps, spans_to_tags
from deidlab.encode.windows import IGNORED, WindowShape, cut_windows, deciding_pieces
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError
from deidlab.labels import OUTSIDE, LabelSet
from deidlab.types import Document, Span, Window, Word

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Cutting:
    """How a model has notes cut: into words by a style, these into its pieces, and all into its windows."""

    pieces: WordPieces
    shape: WindowShape
    style: str = "runs"


@dataclass(frozen=True, slots=True)
class PiecedCorpus:
    """Windows end to end: window i holds the pieces `starts[i]` up to `starts[i + 1]`.

    `words` (a start and an end a row) and `spans` (gold) are each document's, in order; `deciding` are the
    places, among all pieces, of the first piece of every word of every document, in order.
    """

    ids: Ints
    labels: Ints
    shapes: Ints
    starts: npt.NDArray[np.int64]
    deciding: npt.NDArray[np.int64]
    words: tuple[Ints, ...] = field(repr=False)
    spans: tuple[tuple[Span, ...], ...] = field(repr=False)
    n_misfits: int = 0

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        return np.diff(self.starts)

    @property
    def n_windows(self) -> int:
        return len(self.starts) - 1

    @property
    def n_pieces(self) -> int:
        return len(self.ids)

    @property
    def n_words(self) -> int:
        return len(self.deciding)

    def head(self, n_documents: int) -> PiecedCorpus:
        """The first so many documents alone."""
        n_words = sum(len(words) for words in self.words[:n_documents])
        n_windows = int(np.searchsorted(self.starts, self.deciding[n_words - 1], "right")) if n_words else 0
        end = int(self.starts[n_windows])
        return replace(
            self,
            ids=self.ids[:end],
            labels=self.labels[:end],
            shapes=self.shapes[:end],
            starts=self.starts[: n_windows + 1],
            deciding=self.deciding[:n_words],
            words=self.words[:n_documents],
            spans=self.spans[:n_documents],
        )


def count_labels(documents: Iterable[Document]) -> Counter[str]:
    """How often each label stands in the documents."""
    return Counter(span.label for document in documents for span in document.spans)


def piece_corpus(
    documents: Sequence[Document],
    cutting: Cutting,
    labels: LabelSet,
    all_pieces: bool = False,
    as_gold: bool = True,
) -> PiecedCorpus:
    """The documents as windows.

    With `as_gold` words are cut at the edges of gold spans, as for training. Without, words are those that a
    note without gold has, as for prediction; a word then takes the tag of the span that it starts in.
    """
    tag_ids = labels.tag_ids()
    rest = [tag_ids.get(f"I-{tag[2:]}", index) for index, tag in enumerate(labels.tags)]
    windows: list[Window] = []
    window_shapes: list[list[int]] = []
    words: list[Ints] = []
    n_misfits = 0
    for document in documents:
        if as_gold:
            tagged = spans_to_tags(document, labels, cutting.style)
            cut, tags = tagged.words, list(tagged.tags)
            n_misfits += len(tagged.misfits)
        else:
            cut = tuple(find_words(document.text, cutting.style))
            tags = tags_of_words(document, cut, labels)
        label_ids = [tag_ids[tag] for tag in tags]
        rest_ids = [rest[label] for label in label_ids] if all_pieces else ()
        in_pieces = cutting.pieces.of_words(document.text, cut)
        own = cut_windows(document.id, in_pieces, cutting.shape, label_ids, rest_ids)
        found = find_shapes(document.text, cut)
        window_shapes += [[SPECIAL if word is None else found[word] for word in w.word_ids] for w in own]
        windows += own
        words.append(np.array(cut, np.int32).reshape(-1, 2))
    return _flatten(windows, window_shapes, words, [document.spans for document in documents], n_misfits)


def piece_texts(documents: Sequence[Document], cutting: Cutting) -> PiecedCorpus:
    """The documents as windows for masked-language modelling: no tags, and every word decided."""
    outside = LabelSet.of("none", ())
    bare = [Document(id=document.id, patient=document.patient, text=document.text) for document in documents]
    return piece_corpus(bare, cutting, outside, as_gold=False)


def refuse_empty(corpus: PiecedCorpus, what: str) -> None:
    if corpus.n_windows == 0:
        raise ConfigError(f"the {what} notes hold no words: there is nothing to work on")


def tags_of_words(document: Document, words: Sequence[Word], labels: LabelSet) -> list[str]:
    """The gold tags of words that spans do not cut: each has that of the span it starts in."""
    known = frozenset(labels.tags)
    tags = [OUTSIDE] * len(words)
    spans = iter(resolve_overlaps(document.spans)[0])
    span = next(spans, None)
    begun = False
    for index, (start, end) in enumerate(words):
        while span is not None and span.end <= start:
            span, begun = next(spans, None), False
        if span is not None and span.start < end:
            wanted = f"{'I' if begun else 'B'}-{span.label}"
            tags[index] = wanted if wanted in known else OUTSIDE
            begun = True
    return tags


def _flatten(
    windows: list[Window],
    window_shapes: list[list[int]],
    words: list[Ints],
    spans: list[tuple[Span, ...]],
    n_misfits: int,
) -> PiecedCorpus:
    starts = np.zeros(len(windows) + 1, np.int64)
    np.cumsum([len(window.input_ids) for window in windows], out=starts[1:])
    deciding = [
        start + place
        for start, window in zip(starts.tolist(), windows, strict=False)
        for place in deciding_pieces(window)
    ]
    return PiecedCorpus(
        ids=_join([window.input_ids for window in windows]),
        labels=_join([window.label_ids or (IGNORED,) * len(window.input_ids) for window in windows]),
        shapes=_join(window_shapes),
        starts=starts,
        deciding=np.array(deciding, np.int64),
        words=tuple(words),
        spans=tuple(spans),
        n_misfits=n_misfits,
    )


def _join(parts: Sequence[Sequence[int]]) -> Ints:
    return np.concatenate([np.array(part, np.int32) for part in parts]) if parts else np.zeros(0, np.int32)
