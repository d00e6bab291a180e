"""What a reader hands over: a document as the file has it, unchecked, or a note of why there is none.

`build_document` turns the first into a checked `Document`; `find_problems` lists all that is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from deidlab.carriers import KEY
from deidlab.errors import AlignmentError, CorpusError, UsageError
from deidlab.options import option, option_of
from deidlab.types import Container, Document, Span, is_writable

MAX_NOTE_CHARACTERS = 64 * 1024 * 1024
# What is read must be written again by functions that call themselves, from wherever they are called.
_DEEPEST = 64


def _typed(name: str, holds: str) -> Any:
    return option((), name, metavar="NAME", help=f"Tables: a column of {holds}, masked as such. Repeatable.")


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How to read what the files themselves do not say."""

    GROUP: ClassVar[str] = "Reading"

    encoding: str = option("utf-8", help="Encoding of text files; XML says its own.")
    text_columns: tuple[str, ...] = option(
        (),
        "--text-column",
        metavar="NAME",
        help="Tables: a column that holds text [default: text]. Repeatable.",
    )
    id_column: str | None = option(
        None, once=True, help="Tables: the column of ids [default: id, if there is one]."
    )
    patient_column: str | None = option(
        None, once=True, help="Tables: the column of patients [default: patient, if there is one]."
    )

    name_columns: tuple[str, ...] = _typed("--name-column", "names of patients")
    date_columns: tuple[str, ...] = _typed("--date-column", "dates or time stamps")
    age_columns: tuple[str, ...] = _typed("--age-column", "ages")
    zip_columns: tuple[str, ...] = _typed("--zip-column", "postcodes")
    number_columns: tuple[str, ...] = _typed("--number-column", "numbers of people (record, account, …)")
    link_columns: tuple[str, ...] = _typed(
        "--link-column", "keys of other tables, the same code for each key"
    )

    @property
    def text_column(self) -> str:
        """The column of the note, the first where there are several."""
        return self.text_columns[0] if self.text_columns else "text"

    @property
    def typed_columns(self) -> dict[str, str]:
        """Columns of which it is known what they hold, with the label of that."""
        return {
            column: label
            for columns, label in (
                (self.name_columns, "PATIENT"), (self.date_columns, "DATE"), (self.age_columns, "AGE"),
                (self.zip_columns, "ZIP"), (self.number_columns, "IDNUM"), (self.link_columns, KEY),
            )
            for column in columns
        }  # fmt: skip

    @property
    def field_columns(self) -> tuple[str, ...]:
        """All columns beside the first text that are masked with it, each in its place."""
        return (*self.typed_columns, *self.text_columns[1:])

    @property
    def masked_columns(self) -> dict[str, str]:
        """What is masked beside the first text: the label of each column, or text."""
        return {**self.typed_columns, **dict.fromkeys(self.text_columns[1:], "text")}

    @classmethod
    def of_masked(
        cls, text: str, id: str | None, patient: str | None, masked: Mapping[str, str]
    ) -> ReadSettings:
        """How to read what was masked with such `masked_columns`."""
        of = {label: tuple(each for each in masked if masked[each] == label) for label in masked.values()}
        typed = (of.get(label, ()) for label in ("PATIENT", "DATE", "AGE", "ZIP", "IDNUM", KEY))
        return cls("utf-8", (text, *of.get("text", ())), id, patient, *typed)

    def named_columns(self) -> Iterator[tuple[str, str]]:
        """Every column that was named, with its option."""
        for each in fields(self):
            declared, value = option_of(each), getattr(self, each.name)
            if declared is not None and each.name in COLUMN_FIELDS:
                name = declared.names[0] if declared.names else f"--{each.name.replace('_', '-')}"
                named = value if isinstance(value, tuple) else (value,) if value else ()
                yield from ((column, name) for column in named)

    def __post_init__(self) -> None:
        named = [column for column, _ in self.named_columns()]
        for column in named:
            if named.count(column) > 1:
                raise UsageError(f"column '{column}' is named twice; a column is masked in one way")

    @property
    def own_columns(self) -> tuple[str, str, str]:
        """The columns of id, patient and text."""
        return self.id_column or "id", self.patient_column or "patient", self.text_column


COLUMN_FIELDS = tuple(
    each.name for each in fields(ReadSettings) if each.name.endswith(("_column", "_columns"))
)
"""What is said of a table alone."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation as the file has it; `quoted` is the text that the file says stands there."""

    start: int
    end: int
    label: str
    quoted: str | None = field(default=None, repr=False)
    score: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as the file has it; `skipped` counts what the reader leaves out on purpose.

    `named_by_file` tells that the file says no id, and that this one is made of the file's name.
    """

    path: Path
    id: str
    text: str = field(repr=False)
    annotations: tuple[Annotation, ...] = field(default=(), repr=False)
    patient: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)
    skipped: Mapping[str, int] = field(default_factory=dict)
    named_by_file: bool = False
    container: Container | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class BadDocument:
    """A document that could not be read: where, and why.

    The reason names no file and quotes nothing: it goes into records that are passed on.
    """

    path: Path
    reason: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a corpus: what kind, and where."""

    kind: str
    path: str
    document: str
    message: str
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        place = "" if self.start is None else f" {self.start}–{self.end}"
        return f"{self.path}: document {self.document}{place}: {self.message}"


OUT_OF_BOUNDS = "out-of-bounds"
EMPTY_SPAN = "empty-span"
TEXT_MISMATCH = "text-mismatch"
NO_LABEL = "no-label"
BAD_SCORE = "bad-score"


def vetted(raw: RawDocument | BadDocument) -> RawDocument | BadDocument:
    """The same; a BadDocument where an id, a label or a field could be neither shown nor written again."""
    path = raw.path if is_writable(str(raw.path)) else Path(printable(str(raw.path)))
    if isinstance(raw, BadDocument):
        sound = path is raw.path and is_writable(raw.id)
        return raw if sound else BadDocument(path, raw.reason, printable(raw.id))
    flaw = _find_flaw(raw)
    if flaw:
        return BadDocument(path, flaw, printable(raw.id))
    return raw if path is raw.path else replace(raw, path=path)


def printable(text: str) -> str:
    """The text with what is not a character written as \\udcff."""
    return text if is_writable(text) else text.encode("utf-8", "backslashreplace").decode()


_HALF = "half of a UTF-16 pair, which is not a character, in its"


def _find_flaw(raw: RawDocument) -> str:
    if not is_writable(raw.id):
        return f"{_HALF} id"
    if not is_writable(raw.patient):
        return f"{_HALF} patient"
    for number, annotation in enumerate(raw.annotations, 1):
        if not (is_writable(annotation.label) and is_writable(annotation.source)):
            return f"{_HALF} annotation {number}"
    return _find_flaw_in_fields(raw.meta) if raw.meta else ""


def _find_flaw_in_fields(meta: Mapping[str, Any]) -> str:
    left: list[tuple[Any, int]] = [(meta, 0)]
    while left:
        value, depth = left.pop()
        if depth > _DEEPEST:
            return f"its fields are nested more than {_DEEPEST} deep"
        if isinstance(value, str) and not is_writable(value):
            return f"{_HALF} fields"
        if isinstance(value, Mapping):
            left += [(each, depth + 1) for pair in value.items() for each in pair]
        elif isinstance(value, list | tuple):
            left += [(each, depth + 1) for each in value]
    return ""


def read_score(value: Any) -> float | None:
    """A score as a file has it; anything but a number or nothing raises TypeError or ValueError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    try:
        return float(value)
    except OverflowError:
        raise ValueError from None


def name_said(value: Any) -> str:
    """An id or a patient as a file has it, a word or a number; empty for anything else."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def build_document(raw: RawDocument) -> Document:
    """The checked document; the first problem is raised."""
    for problem in find_problems(raw):
        raise AlignmentError(str(problem))
    if len(raw.text) > MAX_NOTE_CHARACTERS:
        raise CorpusError(f"{raw.path}: document {raw.id} has {len(raw.text)} characters; the limit is 64 Mi")
    spans = tuple(Span(a.start, a.end, a.label, a.score, a.source) for a in raw.annotations)
    try:
        return Document(raw.id, raw.patient, raw.text, spans, raw.meta, raw.container)
    except CorpusError as error:
        raise type(error)(f"{raw.path}: {error}") from None


def find_problems(raw: RawDocument) -> Iterator[Problem]:
    """Every annotation that does not fit its text."""
    length = len(raw.text)
    for annotation in raw.annotations:
        start, end = annotation.start, annotation.end
        if start < 0 or end > length:
            yield _problem(raw, annotation, OUT_OF_BOUNDS, f"outside the text of {length} characters")
        elif start >= end:
            yield _problem(raw, annotation, EMPTY_SPAN, "the span is empty or reversed")
        elif not quote_fits(raw.text, annotation):
            yield _problem(
                raw, annotation, TEXT_MISMATCH, "the quoted text is not what stands at these offsets"
            )
        if not annotation.label:
            yield _problem(raw, annotation, NO_LABEL, "the annotation has no type")
        if annotation.score is not None and not 0 <= annotation.score <= 1:
            yield _problem(raw, annotation, BAD_SCORE, "the score is not a number from 0 to 1")


def is_sound(raw: RawDocument, annotation: Annotation) -> bool:
    """Whether the annotation can become a span."""
    return 0 <= annotation.start < annotation.end <= len(raw.text) and bool(annotation.label)


def _problem(raw: RawDocument, annotation: Annotation, kind: str, message: str) -> Problem:
    return Problem(kind, str(raw.path), raw.id, message, annotation.start, annotation.end)


_WHITE = re.compile(r"\s+")


def quote_fits(text: str, annotation: Annotation) -> bool:
    """Whether what it quotes, if anything, stands at its offsets.

    Equal up to the white space that XML attributes and brat's one-line quotes cannot keep.
    """
    found, quoted = text[max(0, annotation.start) : max(0, annotation.end)], annotation.quoted
    return quoted is None or found == quoted or _WHITE.sub(" ", found) == _WHITE.sub(" ", quoted)
