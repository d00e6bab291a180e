"""A carrier as a corpus format: a container is a note, whose text is its pieces, each on lines of its own.

The pieces remember where they stand, so that the container is written with what became of each. Written can
only be what was read from such a container.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from deidlab.carriers import Carrier, Parts, Piece, Refused
from deidlab.corpus.files import name_to_id, read_bytes
from deidlab.corpus.format import Format, OneText
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError
from deidlab.types import Container, Document, Region

# An empty line, so that no sentence goes on from one piece into the next.
_BETWEEN = "\n\n"
Split = Callable[[Path], Iterable[bytes | None]]
"""The containers of one file; together they are the file. None stands for one that is too large."""


def container_a_file(
    name: str,
    carrier: Carrier,
    suffixes: tuple[str, ...],
    begins: Callable[[bytes], bool] | None = None,
    extra: tuple[str, str] | None = None,
    is_special: bool = False,
) -> Format:
    """A format of which each file is one container."""

    def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
        yield take_out(carrier, read_bytes(path), path, name_to_id(path.stem))

    def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
        return {suffixes[0]: put_back(document, carrier, name)}

    return Format(
        name=name, suffixes=suffixes, read=read, begins=begins, render=render, first_notes=None, extra=extra,
        count=lambda path: 1, lacks=("spans",), is_special=is_special, carrier=carrier,
    )  # fmt: skip


def containers_in_a_file(
    name: str,
    carrier: Carrier,
    split: Split,
    suffixes: tuple[str, ...],
    begins: Callable[[bytes], bool],
    is_special: bool = False,
) -> Format:
    """A format of which a file is any number of containers, one after another, as text."""

    def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
        for number, content in enumerate(split(path), 1):
            try:
                if content is None:
                    raise Refused("it is larger than 128 MiB")
                yield take_out(carrier, content, path, f"{path.stem}-{number}")
            except CorpusError as error:
                yield BadDocument(path, f"container {number}: {error}", f"{path.stem}-{number}")

    def render(document: Document, losses: Counter[str]) -> str:
        return put_back(document, carrier, name).decode()

    return Format(
        name=name, suffixes=suffixes, read=read, begins=begins, one=OneText(render), first_notes=None,
        count=lambda path: sum(1 for _ in split(path)), lacks=("spans",), is_special=is_special,
        carrier=carrier,
    )  # fmt: skip


def take_out(carrier: Carrier, content: bytes, path: Path, otherwise: str) -> RawDocument:
    """A container as a note; of one that says no id, the id is the other name."""
    return in_pieces(carrier.take_apart(content), content, path, otherwise)


def in_pieces(parts: Parts, content: bytes, path: Path, otherwise: str = "") -> RawDocument:
    """A container taken apart as a note; `otherwise` is its name where it says none."""
    text, regions = join_pieces(parts.pieces)
    return RawDocument(
        path, parts.id or otherwise, text, (), parts.patient, {}, parts.removed,
        named_by_file=not parts.id, container=Container(content, regions),
    )  # fmt: skip


def join_pieces(pieces: Iterable[Piece]) -> tuple[str, tuple[Region, ...]]:
    """The text of a note of these pieces, and where in it each of them stands."""
    texts: list[str] = []
    regions: list[Region] = []
    place = 0
    for piece in pieces:
        caption = f"{piece.caption}: " if piece.caption else ""
        start = place + len(caption)
        cuts = tuple(start + cut for cut in piece.cuts)
        regions.append(Region(start, start + len(piece.text), piece.label, cuts))
        texts.append(caption + piece.text)
        place += len(texts[-1]) + len(_BETWEEN)
    if place > MAX_NOTE_CHARACTERS:
        raise CorpusError(f"its text has {place} characters; the limit is 64 Mi")
    return _BETWEEN.join(texts), tuple(regions)


def put_back(document: Document, carrier: Carrier, name: str) -> bytes:
    """The document's container with its text in it."""
    if document.container is None:
        raise CorpusError(
            f"document {document.id}: {name} is written only from {name}; what is no container stays a note"
        )
    texts = [
        document.text[start:end]
        for each in document.container.regions
        for start, end in pairwise((each.start, *each.cuts, each.end))
    ]
    return carrier.put_together(document.container.content, texts)
