"""Text in, people's lines of work out, where the text speaks of work."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, Terms, lowered
from deidlab.rules.wordlists import cue_words, word_list
from deidlab.types import Span

SOURCE = "rules:profession"
_CUES = cue_words("professions", "cues")
_BEFORE = re.compile(
    r"(?:retired|former|ex-?|is a|is an|was a|was an|as a|as an|works as|occupation:?|job:?|"
    r"employed|a career|disabled|self-employed|a local|profession:?|by trade|who is a|"
    r"semi-retired|semiretired|unemployed|"
    r"single|married|divorced|widowed|work:|soc:|sh:|de profesión|jubilad[oa],?|ex-|laid-off|"
    r"full-time|part-time|old|lifelong|y/o|yo|m|f|an?)[\s,]{1,2}(?:[a-z-]{3,16} ){0,2}$"
)
_GAP = re.compile(r"[\s:=.-]{1,12}(?:(?:an?|the|retired|former|part-time|full-time|un|una) ){0,2}")
_WORDS = re.compile(
    r"[A-Za-zÀ-ÿ'’/-]{3,24}(?: (?!(?:in|at|for|with|who|and|but|until|since|from|on|the|a|an|"
    r"to|of|he|she|lives|has|is|was|denies|no|now|currently|smokes|or|by|as|en|y|de|which|"
    r"where|when|before|after)\b)[A-Za-zÀ-ÿ'’/-]{3,24}){0,2}"
)
_NO_WORK = frozenset(cue_words("professions", "no_work"))


@functools.cache
def _tools() -> tuple[Cues, Terms]:
    jobs = word_list("professions")
    return Cues(_CUES), Terms({*jobs, *(f"{job}s" for job in jobs if job[-1] != "s")})


def find(text: str) -> list[Span]:
    """Every line of work that is somebody's."""
    cues, jobs = _tools()
    return [*_announced(text, cues), *_listed(text, jobs)]


def _announced(text: str, cues: Cues) -> Iterator[Span]:
    for _, end, _ in cues.find(text):
        gap = _GAP.match(text, end)
        match = _WORDS.match(text, gap.end()) if gap else None
        if match and lowered(match.group()).split()[0] not in _NO_WORK:
            yield Span(*match.span(), "PROFESSION", 0.7, SOURCE)


def _listed(text: str, jobs: Terms) -> Iterator[Span]:
    lower = lowered(text)
    for start, end, job in jobs.find(text):
        before = lower[max(start - 40, 0) : start]
        if re.search(r"\b(?:the|her|his|their|our|my|seen by|by|per) $", before) and " " not in job:
            score = 0.3
        elif _BEFORE.search(before):
            score = 0.85
        else:
            score = 0.6 if " " in job else 0.4
        yield Span(start, end, "PROFESSION", score, SOURCE)
