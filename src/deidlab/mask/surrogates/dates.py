"""Dates: every one of a patient moved by the same number of days, so that intervals hold."""

from __future__ import annotations

import re

from deidlab.mask.dates import shift_text
from deidlab.mask.mention import Mention
from deidlab.mask.shapes import another
from deidlab.mask.surrogate import Surrogate, register


def make(mention: Mention) -> str:
    note, plan, text = mention.note, mention.plan, mention.text
    shifted = shift_text(text, plan.days, note.anchor(mention.span), note.day_first, note.language)
    if shifted is not None:
        return shifted
    if not any(c.isdecimal() for c in text):
        return mention.tag()
    # A date that no calendar has keeps its shape and nothing else; words may tell a day, so they go.
    return re.sub(r"[^\W\d_]", "x", another(mention.stream, text, letters=False))


SURROGATE = register(Surrogate(("DATE",), make, may_stay=True))
