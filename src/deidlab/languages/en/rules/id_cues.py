"""The words that announce an identifier, by label. Strong ones are enough; weak ones need a sign."""

from __future__ import annotations

import functools

from deidlab.rules.folding import Cues
from deidlab.rules.wordlists import cue_table

STRONG = cue_table("id_cues", "strong")

WEAK = cue_table("id_cues", "weak")


@functools.cache
def cue_labels() -> dict[str, tuple[str, bool]]:
    """Each cue's label, and whether it is strong."""
    table = {cue: (label, False) for label, cues in WEAK.items() for cue in cues}
    table.update({cue: (label, True) for label, cues in STRONG.items() for cue in cues})
    return table


@functools.cache
def cues() -> Cues:
    """All of them, to be found in one pass."""
    return Cues(cue_labels())
