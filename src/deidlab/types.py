"""The values that travel from stage to stage.

All are frozen; character offsets are half-open, count Unicode code points and are named `start`
and `end`. None of them shows note text in its repr, so that printing or logging one cannot leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deidlab.errors import AlignmentError, CorpusError

Word = tuple[int, int]
"""Start and end of one word in its document's text."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text with a label (PHI type).

    `score` is a detector's certainty in [0, 1], or None where people marked the span;
    `source` names the detector or annotator, and is empty where nobody said.
    """

    start: int
    end: int
    label: str
    score: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise AlignmentError(
                f"span {self.start}–{self.end} is empty, reversed or negative: start must be "
                "at least 0 and below end"
            )
        if not self.label:
            raise CorpusError(f"span {self.start}–{self.end} has no label")
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise CorpusError(f"span {self.start}–{self.end} has a score outside 0…1")


SpanRow = tuple[int, int, str, float | None, str]
"""A span as a row of cells, for JSON and tables of our own."""


def spans_to_rows(spans: Iterable[Span]) -> list[SpanRow]:
    return [(span.start, span.end, span.label, span.score, span.source) for span in spans]


def rows_to_spans(rows: Iterable[Iterable[Any]]) -> tuple[Span, ...]:
    """The mirror; rows are lists where they come back from JSON."""
    return tuple(Span(*cells) for cells in rows)


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a note that stands at a place of its own in a container.

    `label` is the PHI type that a typed field holds; without one the stretch is searched like any text. At
    `cuts` it goes on in another run of the container: what is replaced over a cut stands before it.
    """

    start: int
    end: int
    label: str = ""
    cuts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Container:
    """What a note was taken out of: its bytes, and where in the note each of its pieces stands, in order.

    A row of a table has no bytes of its own but `columns`, one for each piece.
    """

    content: bytes = field(repr=False)
    regions: tuple[Region, ...]
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One note: its text and the spans marked in it, in reading order.

    `patient` decides splits, surrogates and date shifts; left empty, it becomes the document's id. A note out
    of a record or a letter brings its `container` along, to be put back.
    """

    id: str
    patient: str = ""
    text: str = field(default="", repr=False)
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    container: Container | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.id:
            raise CorpusError("a document needs an id that is not empty")
        if not self.patient:
            object.__setattr__(self, "patient", self.id)
        if not self.text.isascii():
            _refuse_lone_surrogates(self.id, self.text)
        if not (is_writable(self.id) and is_writable(self.patient)):
            raise CorpusError("half of a UTF-16 pair in a document's id or patient is not a character")
        if not self.spans:
            return
        length = len(self.text)
        for span in self.spans:
            if span.end > length:
                raise AlignmentError(
                    f"document {self.id}: span {span.start}–{span.end} reaches past the text, "
                    f"which has {length} characters"
                )
        object.__setattr__(self, "spans", tuple(sorted(self.spans, key=_reading_order)))


def _reading_order(span: Span) -> tuple[int, int, str, float, str]:
    return (span.start, span.end, span.label, -1.0 if span.score is None else span.score, span.source)


def is_writable(text: str) -> bool:
    """Whether the text can be written as UTF-8: half of a UTF-16 pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _refuse_lone_surrogates(document_id: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"document {document_id}: half of a UTF-16 pair at offset {error.start} is not a character"
        ) from None


@dataclass(frozen=True, slots=True)
class Misfit:
    """A gold span that BIO tags could not hold, and why."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class TaggedDocument:
    """A document as words and BIO tags; `misfits` are the spans that the tags could not hold."""

    id: str
    words: tuple[Word, ...] = field(repr=False)
    tags: tuple[str, ...] = field(repr=False)
    misfits: tuple[Misfit, ...] = ()

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise AlignmentError(f"document {self.id}: {len(self.words)} words but {len(self.tags)} tags")


@dataclass(frozen=True, slots=True)
class Window:
    """A run of pieces that fits a model; it decides the words `first_word` up to `end_word`."""

    doc: str
    index: int
    input_ids: tuple[int, ...] = field(repr=False)
    word_ids: tuple[int | None, ...] = field(repr=False)
    label_ids: tuple[int, ...] = field(repr=False)
    first_word: int
    end_word: int


@dataclass(frozen=True, slots=True)
class MaskedDocument:
    """A note that was masked; `replacements` pairs each span with what now stands in its place."""

    id: str
    text: str = field(repr=False)
    replacements: tuple[tuple[Span, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives; they add up, ratios are derived.

    A ratio with nothing to divide by is None: each report says what it prints for that.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __post_init__(self) -> None:
        if min(self.tp, self.fp, self.fn) < 0:
            raise ValueError("counts cannot be negative")

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float | None:
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
