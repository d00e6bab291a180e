"""CoNLL columns: a word a line, its tag last, a blank line between sentences, `-DOCSTART-` before a document.

BIO, BILOU and BIOES are read. Where columns 2 and 3 are the word's offsets, as we write them, the words
stand where they stood and only the kind of white space between them is lost; otherwise words are joined
by one space and sentences by a line break.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from urllib.parse import quote, unquote

from deidlab.corpus.files import MAX_FILE_BYTES, decode, refuse_nul
from deidlab.corpus.format import Format, OneText, register
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.encode.tags import spans_to_tags
from deidlab.errors import CorpusError
from deidlab.inputfile import open_input
from deidlab.labels import OUTSIDE, split_tag
from deidlab.types import Document, Word

_DOCUMENT_STARTS = "-DOCSTART-"
_OVERLAPS, _SCORES, _META = "overlapping spans", "scores and sources", "meta"
_WHITE, _EDGES = "kind of white space between words", "white space at the edge of a span"
_LACKS = (_OVERLAPS, _SCORES, _META, _WHITE, _EDGES)


@dataclass(slots=True)
class _Rows:
    """The lines of one document, gathered."""

    id: str
    patient: str = ""
    words: list[str] = field(default_factory=list)
    offsets: list[Word | None] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    named_by_file: bool = True


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    rows = _Rows(path.stem)
    n_documents = 0
    try:
        with open_input(path) as stream:
            number = 0
            while data := stream.readline(MAX_FILE_BYTES + 1):
                number += 1
                line = _read_line(data, path, number, settings)
                columns = line.split("\t") if "\t" in line else line.split()
                if columns and columns[0] == _DOCUMENT_STARTS:
                    if rows.words or n_documents:
                        yield _to_raw(rows, path)
                    n_documents += 1
                    rows = _start_document(columns, f"{path.stem}-{n_documents}")
                elif not line.strip():
                    rows.breaks.add(len(rows.words))
                elif len(columns) < 2:
                    raise CorpusError(f"{path}: line {number} has no tag column")
                else:
                    _add_row(rows, columns)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None
    if rows.words or n_documents:
        yield _to_raw(rows, path)


def _read_line(data: bytes, path: Path, number: int, settings: ReadSettings) -> str:
    if len(data) > MAX_FILE_BYTES:
        raise CorpusError(f"{path}: line {number} is longer than 128 MiB")
    try:
        return decode(data, path, settings.encoding).rstrip("\r\n")
    except CorpusError as error:
        raise CorpusError(f"{error} (line {number})") from None


def _start_document(columns: Sequence[str], default_id: str) -> _Rows:
    named = [unquote(c) if c not in ("-X-", OUTSIDE) else "" for c in columns[1:3]] + ["", ""]
    return _Rows(named[0] or default_id, named[1], named_by_file=not named[0])


def _add_row(rows: _Rows, columns: Sequence[str]) -> None:
    word, tag = columns[0], columns[-1].strip()
    offsets = None
    # A number of more digits is no place in a note, and one of thousands is more than `int` takes.
    if len(columns) >= 4 and all(cell.isdecimal() and len(cell) < 20 for cell in columns[1:3]):
        start, end = int(columns[1]), int(columns[2])
        offsets = (start, end) if end - start == len(word) else None
    rows.words.append(word)
    rows.offsets.append(offsets)
    rows.tags.append(tag)


def _to_raw(rows: _Rows, path: Path) -> RawDocument | BadDocument:
    known = [place for place in rows.offsets if place is not None]
    if known and known[-1][1] > MAX_NOTE_CHARACTERS:
        return BadDocument(path, "the offsets of its words are past the 64 Mi that a note may have", rows.id)
    ordered = all(left[1] <= right[0] for left, right in pairwise(known))
    if len(known) == len(rows.words) and ordered:
        places, text = known, _spread_words(rows, known)
    elif known and not ordered:
        return BadDocument(path, "the offsets of its words are not in order", rows.id)
    else:
        places, text = _join_words(rows)
    wrong = next((tag for tag in rows.tags if tag != OUTSIDE and tag[1:2] != "-"), None)
    if wrong is not None:
        return BadDocument(path, "has a tag that is neither O nor PREFIX-LABEL in its last column", rows.id)
    annotations = tuple(_tags_to_annotations(places, rows.tags))
    return RawDocument(path, rows.id, text, annotations, rows.patient, named_by_file=rows.named_by_file)


def _spread_words(rows: _Rows, places: list[Word]) -> str:
    pieces, reached = [], 0
    for index, (word, (start, end)) in enumerate(zip(rows.words, places, strict=True)):
        gap = start - reached
        pieces.append("\n" + " " * (gap - 1) if gap and index in rows.breaks else " " * gap)
        pieces.append(word)
        reached = end
    return "".join(pieces)


def _join_words(rows: _Rows) -> tuple[list[Word], str]:
    places: list[Word] = []
    pieces: list[str] = []
    reached = 0
    for index, word in enumerate(rows.words):
        gap = "" if index == 0 else "\n" if index in rows.breaks else " "
        pieces += (gap, word)
        places.append((reached + len(gap), reached + len(gap) + len(word)))
        reached += len(gap) + len(word)
    return places, "".join(pieces)


def _tags_to_annotations(places: Sequence[Word], tags: Sequence[str]) -> Iterator[Annotation]:
    """Spans of BIO, BILOU or BIOES alike: B, U and S begin; L, E, U and S end."""
    opened: tuple[int, int, str] | None = None
    for (start, end), tag in zip(places, tags, strict=True):
        prefix, label = split_tag(tag)
        if opened and prefix in "ILE" and label == opened[2]:
            opened = (opened[0], end, label)
        else:
            if opened:
                yield Annotation(*opened)
            opened = None if prefix == OUTSIDE else (start, end, label)
        if opened and prefix in "LEUS":
            yield Annotation(*opened)
            opened = None
    if opened:
        yield Annotation(*opened)


def render(document: Document, losses: Counter[str]) -> str:
    """The document's lines."""
    return "".join(_document_lines(document, losses, lambda tags: tags))


def render_bilou(document: Document, losses: Counter[str]) -> str:
    """The same with BILOU tags: the last word of a span is L, a span of one word U."""
    return "".join(_document_lines(document, losses, _bio_to_bilou))


def _bio_to_bilou(tags: Sequence[str]) -> list[str]:
    turned = []
    for tag, following in zip_longest(tags, tags[1:], fillvalue=OUTSIDE):
        prefix, label = split_tag(tag)
        ends = following != f"I-{label}"
        turned.append(tag if tag == OUTSIDE or not ends else f"{'U' if prefix == 'B' else 'L'}-{label}")
    return turned


_Turn = Callable[[Sequence[str]], Sequence[str]]


def _document_lines(document: Document, losses: Counter[str], turn: _Turn) -> Iterator[str]:
    refuse_nul(document.text, Path(document.id))
    tagged = spans_to_tags(document)
    losses[_OVERLAPS] += len(tagged.misfits)
    losses[_SCORES] += sum(s.score is not None or bool(s.source) for s in document.spans)
    losses[_META] += bool(document.meta)
    losses[_WHITE] += 1
    names = (quote(name, safe="") for name in (document.id, document.patient))
    yield "\t".join((_DOCUMENT_STARTS, *names, OUTSIDE)) + "\n\n"
    visible = [not document.text[start:end].isspace() for start, end in tagged.words]
    losses[_EDGES] += len(visible) - sum(visible)
    rows = zip(tagged.words, _heal(tagged.tags, visible), strict=True)
    shown = [row for row, is_visible in zip(rows, visible, strict=True) if is_visible]
    reached = 0
    for ((start, end), _), tag in zip(shown, turn([tag for _, tag in shown]), strict=True):
        if "\n" in document.text[reached:start] and reached:
            yield "\n"
        yield f"{document.text[start:end]}\t{start}\t{end}\t{tag}\n"
        reached = end
    yield "\n"


def _heal(tags: Sequence[str], visible: Sequence[bool]) -> list[str]:
    """Hand a B on to the next word where the white space that held it has no line of its own."""
    healed = list(tags)
    for index, is_visible in enumerate(visible[:-1]):
        prefix, label = split_tag(healed[index])
        if not is_visible and prefix == "B" and healed[index + 1] == f"I-{label}":
            healed[index + 1] = f"B-{label}"
    return healed


def begins(head: bytes) -> bool:
    return head.startswith(_DOCUMENT_STARTS.encode())


FORMAT = register(
    Format(
        name="conll",
        suffixes=(".conll", ".bio", ".iob", ".bilou"),
        read=read,
        begins=begins,
        one=OneText(render),
        lacks=_LACKS,
    )
)
BILOU = register(
    Format(
        name="conll-bilou",
        suffixes=(".bilou",),
        read=read,
        begins=begins,
        one=OneText(render_bilou),
        lacks=_LACKS,
    )
)
