"""Notes with gold spans in, the same with made-up PHI out: what a model learns by heart is then nobody's.

Letters become syllables of the same length and case, digits other digits, and everything else stays; the same
text of the same patient and label always becomes the same. Spans move with their text.
"""

from __future__ import annotations

import hashlib
import random
import re

from deidlab.encode.tags import resolve_overlaps
from deidlab.types import Document, Span

_RUNS = re.compile(r"[^\W\d_]+|\d+")
_CONSONANTS = "bcdfglmnprstvz"
_VOWELS = "aeiou"


def put_surrogates(document: Document, key: int | str) -> Document:
    """The document with every span's text replaced; spans that overlap a longer one go with it."""
    text, spans = [], []
    at = length = 0
    for span in resolve_overlaps(document.spans)[0]:
        before = document.text[at : span.start]
        made = make_surrogate(document.text[span.start : span.end], f"{key}/{document.patient}/{span.label}")
        length += len(before)
        spans.append(Span(length, length + len(made), span.label, span.score, span.source))
        length += len(made)
        text += [before, made]
        at = span.end
    text.append(document.text[at:])
    return Document(
        id=document.id, patient=document.patient, text="".join(text), spans=tuple(spans), meta=document.meta
    )


def make_surrogate(text: str, key: str) -> str:
    """Made-up text of the same shape; the same for the same text and key."""
    return _RUNS.sub(lambda match: _replace_run(match.group(), key), text)


def _replace_run(run: str, key: str) -> str:
    seed = hashlib.sha256(f"{key}/{run.casefold()}".encode()).digest()
    draw = random.Random(seed)
    if run.isdigit():
        first = draw.choice("123456789") if run[0] != "0" else "0"
        return first + "".join(draw.choice("0123456789") for _ in run[1:])
    starts = draw.random() < 0.8
    letters = [
        draw.choice(_CONSONANTS if (place % 2 == 0) == starts else _VOWELS) for place in range(len(run))
    ]
    made = [new.upper() if old.isupper() else new for old, new in zip(run, letters, strict=True)]
    return "".join(made)
