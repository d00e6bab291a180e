"""Notes with gold in, copies of them out whose people have names of one origin: for recall by origin of
names.

The context is the user's own and stays; only the names in it differ, so that a difference in recall is the
names'.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Iterator

from deidlab.banks.names import name_pool, origins
from deidlab.encode.tags import resolve_overlaps
from deidlab.types import Document, Span

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Particles and suffixes of a name, and single letters, stay as they are.
_KEPT = frozenset(
    ("de", "del", "la", "van", "von", "der", "den", "bin", "al", "el", "jr", "sr", "ii", "iii", "iv")
)
_FOREIGN_SCRIPT = "-script"


def name_origins() -> tuple[str, ...]:
    """The origins that the banks have names of in Latin letters."""
    return tuple(each for each in origins() if not each.endswith(_FOREIGN_SCRIPT))


def swap_names(documents: Iterable[Document], origin: str, labels: Collection[str]) -> Iterator[Document]:
    """The notes with a name in them, each with names of that origin in place of its own; ids are kept."""
    for document in documents:
        if any(span.label in labels for span in document.spans):
            yield _swap(document, origin, labels)


def _swap(document: Document, origin: str, labels: Collection[str]) -> Document:
    draw = random.Random(f"{document.id} {origin}")
    chosen: dict[str, str] = {}
    text: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for span in resolve_overlaps(document.spans)[0]:
        before, own = document.text[at : span.start], document.text[span.start : span.end]
        made = _rename(own, origin, draw, chosen) if span.label in labels else own
        length += len(before)
        spans.append(Span(length, length + len(made), span.label))
        length += len(made)
        text += [before, made]
        at = span.end
    text.append(document.text[at:])
    return Document(document.id, document.patient, "".join(text), tuple(spans))


def _rename(own: str, origin: str, draw: random.Random, chosen: dict[str, str]) -> str:
    """Each word of a name by one of the origin, the same one wherever it stands in the note, in its case."""
    words = [m for m in _WORD.finditer(own) if len(m[0]) > 1 and m[0].lower() not in _KEPT]
    family = own.find(",") >= 0
    made, at = [], 0
    for number, match in enumerate(words):
        # `Brandt, Ilse` has the family name first; a lone word is one.
        is_family = number == 0 if family else number == len(words) - 1
        key = match[0].casefold()
        if key not in chosen:
            pool = name_pool(origin, "family" if is_family else "mf")
            chosen[key] = draw.choice(pool)
        name = chosen[key].upper() if match[0].isupper() else chosen[key]
        made += [own[at : match.start()], name.lower() if match[0].islower() else name]
        at = match.end()
    return "".join([*made, own[at:]])
