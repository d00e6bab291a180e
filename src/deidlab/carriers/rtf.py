"""RTF letters: the same file again, byte for byte, but for what was masked and what nobody has classified."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from deidlab.carriers.carrier import Parts, Piece
from deidlab.carriers.rtf_text import join
from deidlab.carriers.rtf_walk import Rewriting


class RTF:
    """The carrier: one letter. Every character is a run of its own, so that what stays keeps its bytes."""

    def take_apart(self, content: bytes) -> Parts:
        walk = _walked(content)
        pieces = []
        for characters, beside in walk.paragraphs:
            cuts = tuple(accumulate(len(each.text) for each in characters[:-1]))
            pieces.append(Piece("".join(each.text for each in characters), "", beside, cuts))
        return Parts(tuple(pieces), removed=+walk.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        walk = _walked(content)
        left = iter(texts)
        for characters, _ in walk.paragraphs:
            for each in characters:
                each.put(next(left))
        return join(walk.items)


def _walked(content: bytes) -> Rewriting:
    walk = Rewriting(content)
    walk.run()
    return walk
