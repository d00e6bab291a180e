"""Documents in, the skeletons of their sentences out: words as they are, each span of PHI as its label.

A grammar that repeats itself would teach its sentences and not what PHI is; the share of the most frequent
skeleton says how far that has gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from deidlab.types import Document

# A number at the start of a line that counts it (`2. `) belongs to what follows.
_CUT = re.compile(r"(?<=[.!?])(?<!^\d\.)(?<!\n\d\.)(?<!^\d\d\.)(?<!\n\d\d\.)[ \t]+|\s*\n\s*", re.MULTILINE)


def find_skeletons(document: Document) -> Iterator[str]:
    """The skeleton of every sentence and line; those without a letter say nothing and are left out."""
    text, at = "", 0
    for span in document.spans:
        text += f"{document.text[at : span.start]}{span.label}"
        at = span.end
    for sentence in _CUT.split(text + document.text[at:]):
        skeleton = " ".join(sentence.split())
        if any(character.isalpha() for character in skeleton):
            yield skeleton


def count_skeletons(documents: Iterable[Document]) -> Counter[str]:
    return Counter(skeleton for document in documents for skeleton in find_skeletons(document))
