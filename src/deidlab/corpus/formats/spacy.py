"""spaCy's DocBin (`.spacy`): the documents of a pipeline's training data in one file, with character offsets.

Spans are a document's entities and all its span groups. Written are words as we cut them, so that every span
has its edges at words': those that overlap none are entities, and all are in the group `sc`. spaCy reads and
writes it: its words are hashes, which nobody else should have to know how to make.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from deidlab.corpus.files import read_bytes, refuse_nul
from deidlab.corpus.format import Format, OnePacked, register
from deidlab.corpus.formats import jsonl
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, name_said
from deidlab.corpus.records import record_to_document
from deidlab.corpus.table import read_meta, to_json
from deidlab.encode.tags import resolve_overlaps
from deidlab.encode.words import find_words
from deidlab.errors import CorpusError, needing
from deidlab.types import Document

_SCORES = "scores and sources"
_GROUP = "sc"
_MAX_UNPACKED = 1 << 30


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    with needing("spaCy's format", "spacy"):
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab

    data = read_bytes(path)
    _refuse_bomb(data, path)
    try:
        docs = DocBin(store_user_data=True).from_bytes(data).get_docs(Vocab())
        for number, doc in enumerate(docs, 1):
            yield _read_doc(path, number, doc)
    except CorpusError:
        raise
    except Exception:
        # Whatever its parts raise may quote a word.
        raise CorpusError(f"{path}: is not a DocBin that spaCy can read") from None


def _refuse_bomb(data: bytes, path: Path) -> None:
    unpacker, left = zlib.decompressobj(), _MAX_UNPACKED
    try:
        while data and left > 0:
            left -= len(unpacker.decompress(data, 1 << 20))
            data = unpacker.unconsumed_tail
    except zlib.error:
        raise CorpusError(f"{path}: is not a DocBin that spaCy can read") from None
    if left <= 0:
        raise CorpusError(f"{path}: has more than {_MAX_UNPACKED >> 20} MiB when unpacked; split it")


def _read_doc(path: Path, number: int, doc: Any) -> RawDocument:
    spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
    found = {(span.start_char, span.end_char, span.label_): None for span in spans}
    said = {name: value for name, value in doc.user_data.items() if isinstance(name, str)}
    id, patient = name_said(said.get("id")), name_said(said.get("patient"))
    return RawDocument(
        path, id or f"{path.stem}-{number}", doc.text, tuple(Annotation(*each) for each in found), patient,
        read_meta(said.get("meta")), named_by_file=not id,
    )  # fmt: skip


def render(document: Document, losses: Counter[str]) -> str:
    """What the file is packed from."""
    refuse_nul(document.text, Path(document.id))
    losses[_SCORES] += sum(span.score is not None or bool(span.source) for span in document.spans)
    return jsonl.render(document, losses)


def write(texts: Iterable[str], path: Path) -> None:
    with needing("spaCy's format", "spacy"):
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab

    vocab, packed = Vocab(), DocBin(store_user_data=True)
    for text in texts:
        packed.add(_make_doc(record_to_document(json.loads(text)), vocab))
    path.write_bytes(packed.to_bytes())


def _make_doc(document: Document, vocab: Any) -> Any:
    from spacy.tokens import Doc

    words = list(_words(document))
    doc = Doc(vocab, words=[word for word, _ in words], spaces=[has_space for _, has_space in words])
    spans = {span: doc.char_span(span.start, span.end, label=span.label) for span in document.spans}
    doc.spans[_GROUP] = list(spans.values())
    # spaCy refuses an entity that is nothing but white space.
    shown = [span for span in document.spans if not document.text[span.start : span.end].isspace()]
    doc.ents = [spans[span] for span in resolve_overlaps(shown)[0]]
    doc.user_data.update({"id": document.id, "patient": document.patient, "meta": to_json(document.meta)})
    return doc


def _words(document: Document) -> Iterator[tuple[str, bool]]:
    """Words that together are the text, cut at every edge of a span, and whether a space follows.

    A space alone belongs to the word before it, unless a span begins or ends with it; other white space is a
    word, as spaCy has it.
    """
    text = document.text
    starts, ends = {span.start for span in document.spans}, {span.end for span in document.spans}
    edges = {0, len(text), *starts, *ends, *(edge for word in find_words(text) for edge in word)}
    before = ""
    for start, end in pairwise(sorted(edges)):
        word = text[start:end]
        belongs = word == " " and start not in starts and end not in ends
        if belongs and before and not before.isspace():
            yield before, True
            before = ""
            continue
        if before:
            yield before, False
        before = word
    if before:
        yield before, False


FORMAT = register(
    Format(
        name="spacy",
        suffixes=(".spacy",),
        read=read,
        one=OnePacked(render, write),
        lacks=(_SCORES,),
        first_notes=None,
        extra=("spacy", "spacy"),
    )
)
