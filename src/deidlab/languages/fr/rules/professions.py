"""French text in, people's lines of work out, where the text speaks of work or describes a person."""

from __future__ import annotations

import functools
import re

from deidlab.languages.fr.rules.words import cue_words
from deidlab.languages.fr.words import professions
from deidlab.rules.folding import Terms, fold_term
from deidlab.rules.openings import Openings
from deidlab.types import Span

SOURCE = "rules:profession"
_BEFORE = re.compile(
    r"(?:travaill(?:e|ait|ant|é)(?: (?:comme|en tant que|dans la|à titre de))?|profession ?:?|"
    r"m[ée]tier ?:?|emploi ?:?|occupation ?:?|"
    r"poste de|exerce (?:comme|le métier de)|retraitée?(?: de(?: la|s|l['’])?|,)?|anciene?(?:ne)?|ex|est|"
    r"[ée]tait|comme|devenue?|"
    r"\bans|\bmois|\d ?a\.?|mari[ée]e?|c[ée]libataire|veu(?:f|ve)|divorc[ée]e?|pacs[ée]e?|fr[èe]re|s(?:œ|"
    r"oe)ur|m[èe]re|p[èe]re|"
    r"mari|[ée]pou(?:x|se)|conjointe?|fils|fille|enfants?|emploi de|formation de|apprentie?|"
    r"patiente?)[,.:]? ?"
    r"(?:\(|(?:une?|le|la|l['’]|d['’]) ?)?$",
    re.IGNORECASE,
)
_OPENS = re.compile(r"(?:^|[.\n] ?)$")
_GOES_ON = re.compile(r",| retrait| à la retraite| depuis | chez | en arrêt| de profession| de métier")
_WORDS = r"[^\W\d]{4,20}(?:(?: (?:de la |de |du |des |en |d['’]|l['’])?|-)[^\W\d]{2,20}){0,3}"
_OCCUPATION = "profession|m[ée]tier|emploi|occupation|poste occup[ée]"
_TOLD = re.compile(
    rf"\b(?:{_OCCUPATION})(?: (?:actuelle?|"
    rf"antérieure?))?[ \t]{{0,2}}[:|][ \t]{{0,3}}(?P<it>{_WORDS})",
    re.IGNORECASE,
)
_OPENINGS = Openings((_TOLD, _OCCUPATION))
_NONE = re.compile(
    r"sans|aucun|non|retrait|ch[ôo]m|inconnu|au foyer|invalid|sans emploi|"
    r"en recherche",
    re.IGNORECASE,
)


@functools.cache
def _trades() -> Terms:
    """The listed lines of work, in both genders."""
    return Terms(fold_term(trade) for trade in (*professions(), *cue_words("trades")))


def find(text: str) -> list[Span]:
    """Every listed line of work where somebody's work is spoken of, and whatever a label says it is."""
    listed = [(start, end) for start, end, _ in _trades().find(text) if _is_work(text, start, end)]
    told = [match.span("it") for _, match in _OPENINGS.find(text) if not _NONE.match(match["it"])]
    return [Span(start, end, "PROFESSION", 0.75, SOURCE) for start, end in (*listed, *told)]


def _is_work(text: str, start: int, end: int) -> bool:
    """Whether words before a line of work lead to it, or it opens a sentence that goes on about it."""
    before = text[max(0, start - 32) : start]
    if text[end : end + 5] in (" de g", " trai", " réfé") or re.match(
        r" (?:Dre?|M\.|"
        r"Mme)\b",
        text[end : end + 5],
    ):
        return False
    if _BEFORE.search(before):
        return True
    after = text[end : end + 16]
    if re.match(r"(?:,? (?:à la retraite|retraitée?|de profession|de métier)\b)", after):
        return True
    return text[start].isupper() and bool(_OPENS.search(before[-3:]) and _GOES_ON.match(text, end))
