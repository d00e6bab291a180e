"""A note under review in, its masked text in pieces out, so that a page can show both side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from deidlab.mask import MaskSettings, mask_notes
from deidlab.mask.codes import KEYED
from deidlab.types import Span
from deidlab.web.settings import ServeSettings
from deidlab.web.store import ReviewStore
from deidlab.web.store_notes import patient_notes
from deidlab.web.store_rows import NoteState

# Numbers and surrogates depend on the patient's other notes; a preview looks at so many.
MOST_NOTES = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the masked text; where it replaced something, `start` is where that begins in the note."""

    text: str = field(repr=False)
    start: int | None = None
    label: str = ""


def mask_state(
    store: ReviewStore, state: NoteState, settings: ServeSettings, style: str, policy: str
) -> list[Piece]:
    """The note as masking would write it, with what stands marked now."""
    model = settings.models[0]
    chosen = MaskSettings(
        settings.find_policy(policy), style, settings.key, None, model.day_first, model.language,
        # Nothing of it goes out, and the next look must show the same.
        KEYED, True,
    )  # fmt: skip
    notes = patient_notes(store, state, MOST_NOTES)
    masked = mask_notes(notes, chosen)[0]
    return cut_pieces(state.document.text, masked.replacements)


def cut_pieces(text: str, replacements: Sequence[tuple[Span, str]]) -> list[Piece]:
    """The masked text, cut where something was replaced."""
    pieces, done = [], 0
    for span, new in replacements:
        if text[done : span.start]:
            pieces.append(Piece(text[done : span.start]))
        pieces.append(Piece(new, span.start, span.label))
        done = span.end
    if text[done:]:
        pieces.append(Piece(text[done:]))
    return pieces
