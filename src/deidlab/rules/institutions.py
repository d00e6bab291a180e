"""Text in, hospitals and health systems out that are known by name, whatever stands behind it.

`seen at Johns Hopkins` has no head word that would tell; what follows the name (`Bayview Medical Center`)
belongs to it.
"""

from __future__ import annotations

import functools
import re

from deidlab.rules.folding import Terms
from deidlab.rules.numbers import scan
from deidlab.rules.person import LOWER, UPPER, capital_starts
from deidlab.rules.wordlists import word_list
from deidlab.types import Span

SOURCE = "rules:institution"
_ACRONYMS = re.compile(
    r"\b(?:MGH|BWH|BIDMC|MSKCC|DFCI|UCSF|UCLA|UPMC|VUMC|OHSU|CHLA|CHUM|CHUV)\b"
    r"(?! (?:Lonel|PTSD|[Ss]hould|[Aa]ctiv|[Ii]ndex|[Ss]cale|[Ss]core))"
)
_TAIL = re.compile(
    rf"(?:[ -][{UPPER}][{UPPER}{LOWER}'’&-]{{1,20}}){{0,3}}[ ](?:(?:Academic |Regional |University )?Medical"
    r" (?:Center|Centre|Group)|(?:General |Memorial |University |Children['’]s )?Hospitals?|Health"
    r" (?:System|Care|Center|Network)|Health|Healthcare|Clinic|Campus|Cancer (?:Center|Institute)"
    r"|Eye Institute|Institute)\b(?:[ ](?:of|at|in)[ ](?:the )?"
    rf"[{UPPER}][{LOWER}]+(?:[ ][{UPPER}][{LOWER}]+)?)?"
)
_SURE = 0.95


@functools.cache
def _listed() -> Terms:
    return Terms(word_list("institutions"))


def find(text: str) -> list[Span]:
    """Every institution that is listed and written with a capital, with its tail."""
    spans = [
        Span(*match.span(), "HOSPITAL", _SURE, SOURCE)
        for match in scan(_ACRONYMS, text, capital_starts(text))
    ]
    for start, end, _name in _listed().find(text):
        if text[start].isupper():
            tail = _TAIL.match(text, end)
            spans.append(Span(start, tail.end() if tail else end, "HOSPITAL", _SURE, SOURCE))
    return spans
