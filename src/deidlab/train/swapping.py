"""Notes with gold spans in, copies of them out whose PHI was exchanged against that of other notes.

Every copy is a note that nobody wrote with identifiers that somebody did: context and name no longer go
together, so that a model learns less of either by heart.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from deidlab.encode.tags import resolve_overlaps
from deidlab.types import Document, Span

# What is left as it is keeps some notes near to how they were written.
_SHARE = 0.7
_Key = tuple[str, str, bool]


def swap_mentions(documents: Sequence[Document], n_copies: int, seed: int) -> list[Document]:
    """`n_copies` of every document, each with mentions of other documents in place of most of its own.

    A mention gives way to one of the same label and like look (a digit, a capital or neither first; one word
    or several). The same text and label in a note become the same again. Ids are made new.
    """
    pool: dict[_Key, list[str]] = {}
    for document in documents:
        for span in document.spans:
            text = document.text[span.start : span.end]
            pool.setdefault(_look(text, span.label), []).append(text)
    return [
        _swap(document, pool, random.Random(f"{seed}/{copy}/{number}"), f"{document.id}/copy{copy}")
        for copy in range(n_copies)
        for number, document in enumerate(documents)
    ]


def _swap(document: Document, pool: dict[_Key, list[str]], draw: random.Random, name: str) -> Document:
    text, spans = [], []
    chosen: dict[tuple[str, str], str] = {}
    at = length = 0
    for span in resolve_overlaps(document.spans)[0]:
        before, own = document.text[at : span.start], document.text[span.start : span.end]
        if (own, span.label) not in chosen:
            other = draw.choice(pool[_look(own, span.label)])
            chosen[own, span.label] = other if draw.random() < _SHARE else own
        made = chosen[own, span.label]
        length += len(before)
        spans.append(Span(length, length + len(made), span.label, span.score, span.source))
        length += len(made)
        text += [before, made]
        at = span.end
    text.append(document.text[at:])
    return Document(id=name, patient=document.patient, text="".join(text), spans=tuple(spans))


def _look(text: str, label: str) -> _Key:
    first = "digit" if text[0].isdigit() else "capital" if text[0].isupper() else "other"
    return label, first, len(text.split()) == 1
