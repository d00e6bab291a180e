"""Text and an age in, whether it is a measure, a spell of time, or an age of nobody in particular out.

`12 months after`, `in 6 weeks` and `GCS 14` are no ages, and `adults over 50` is nobody's. The age of a
child in months, and of a relative, stays.
"""

from __future__ import annotations

import functools
import re

from deidlab.detect.vetoes.ratios import is_scale
from deidlab.rules.folding import lowered
from deidlab.rules.wordlists import read_table
from deidlab.types import Span

_BACK, _AHEAD = 60, 30
_SCALE_BEFORE = re.compile(r"([\w-]+)(?: (?:at|of|is|was|now|score))? $")
_ENDS = re.compile(r"[,.;)]|\s*(?:$|\n)")
_GRADE_BEFORE = re.compile(r"\b(?:gr|grade|room|level|stage|step|score|size|fr|shift at|#)\.?\s?$")
_LIMIT_BEFORE = re.compile(r"(?:over|under|older than|younger than|above|below|≥|≤|>|<)\s?$")
_OF_A_CHILD = re.compile(r"[ -](?:months?|weeks?|days?|m)[ -]old")
_BETWEEN = r"(?:los |les |the |\d{1,3} (?:to|and|a|à|et|y) )?"
_AND_OLDER = re.compile(
    r"s?\s?(?:years? |yrs? |años |ans )?(?:(?:and|or|y|o|et|ou) "
    r"(?:older|over|above|younger|under|más|mayores|menores|plus|moins)|s\b|\+)"
)


@functools.cache
def _any_of(*names: str) -> str:
    table = read_table("deidlab", "data/detect/vetoes/spells.toml")
    return "(?:" + "|".join(word for name in names for word in table[name]) + ")"


@functools.cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    months = _any_of("months")
    return (
        re.compile(
            rf"\s?(?:%|°|{_any_of('units')}\b)|[- ]{_any_of('joined')}\b|[-–]year {_any_of('outcomes')}"
            rf"|\s?{months}\b\.?\s?{_any_of('counted_from')}\b"
        ),
        re.compile(rf"\s?(?:{months}|years?|yrs?|años|ans)\b"),
        re.compile(
            rf"\b{_any_of('leading')}\s?(?:the |a |los |les )?(?:\d{{1,3}} ?(?:-|–|to|or|a|à|o|ou) ?)?$"
        ),
        re.compile(rf"\b{_any_of('groups', 'grown')}\b[^.;\n]{{0,24}}{_any_of('limits')}\s?{_BETWEEN}$"),
        re.compile(rf"\b{_any_of('grown')}\b[^.;\n]{{0,24}}{_any_of('ranges')}\s?{_BETWEEN}$"),
        re.compile(rf"\b{_any_of('groups', 'grown')}\b(?: [a-z]+){{0,2}} ?$"),
    )


def drops(text: str, span: Span) -> bool:
    """Whether the number is no age of a person in the note."""
    lower = lowered(text)
    before, after = lower[max(span.start - _BACK, 0) : span.start], lower[span.end : span.end + _AHEAD]
    measured, months, leading, limit, grown, group = _patterns()
    if measured.match(after) or _GRADE_BEFORE.search(before):
        return not _OF_A_CHILD.match(after)
    if months.match(after) and leading.search(before):
        return True
    scale = _SCALE_BEFORE.search(before)
    if scale is not None and is_scale(scale[1]) and _ENDS.match(after):
        return True
    if limit.search(before) or grown.search(before) or (group.search(before) and _AND_OLDER.match(after)):
        return True
    return bool(_LIMIT_BEFORE.search(before) and after.startswith(("s ", "s,", "s.", "s;")))
