"""A note's own annotations in, those on replaced text apart from those that would point at what was left.

A masked note that still carries a mark over bare text tells every reader where to look. Such marks leave the
output unless somebody wants them; they are counted, and the map of the run keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass

from deidlab.mask.apply import move_spans
from deidlab.mask.policy import Policy
from deidlab.pipeline.run.sharing import is_foreign, shareable
from deidlab.types import Document, MaskedDocument, Span


@dataclass(frozen=True, slots=True)
class OwnAnnotations:
    """The annotations on replaced text, and the bare ones; `n_hidden` of these are of masked types.

    `n_renamed` of all had a label that is not written, since nobody knows it.
    """

    replaced: tuple[Span, ...]
    bare: tuple[Span, ...]
    n_hidden: int
    n_renamed: int

    def moved(self, masked: MaskedDocument, all_kept: bool) -> tuple[Span, ...]:
        """Those that are written, with their offsets in the masked text."""
        return move_spans((*self.replaced, *(self.bare if all_kept else ())), masked.replacements)

    def counts(self, all_kept: bool) -> dict[str, int]:
        n_bare = len(self.bare)
        return {
            "replaced": len(self.replaced),
            "dropped": 0 if all_kept else n_bare,
            "kept": n_bare if all_kept else 0,
            "hidden": self.n_hidden,
            "renamed": self.n_renamed,
        }


def sort_annotations(document: Document, masked: MaskedDocument, policy: Policy) -> OwnAnnotations:
    """An annotation stays where every letter and digit that it covers was replaced, and at least one was."""
    gone = [span for span, _ in masked.replacements]
    replaced: list[Span] = []
    bare: list[Span] = []
    index = 0
    own = shareable(document.spans, policy)
    for span in sorted(own, key=lambda each: (each.start, each.end)):
        while index < len(gone) and gone[index].end <= span.start:
            index += 1
        (replaced if _is_gone(document.text, span, gone, index) else bare).append(span)
    n_hidden = sum(policy.masks(span) for span in bare)
    n_renamed = sum(is_foreign(span.label, policy) for span in document.spans)
    return OwnAnnotations(tuple(replaced), tuple(bare), n_hidden, n_renamed)


def _is_gone(text: str, span: Span, gone: list[Span], index: int) -> bool:
    place, touched = span.start, False
    while index < len(gone) and gone[index].start < span.end:
        if any(char.isalnum() for char in text[place : max(place, gone[index].start)]):
            return False
        place, touched = max(place, gone[index].end), True
        index += 1
    return touched and not any(char.isalnum() for char in text[place : span.end])
