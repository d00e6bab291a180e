"""French text in, numbers of rooms, beds and wards out: `chambre 412`, `ch. 12`, `lit 3B`, `box 4`."""

from __future__ import annotations

import re

from deidlab.rules.openings import Openings
from deidlab.types import Span

SOURCE = "rules:room"
_NUMBER = (
    r"(?:n[°ºo]\.? ?)?(?P<it>(?:[A-Z]{1,2}-?)?\d{1,4}[A-Z]?(?:-(?:\d{1,3}|[A-Z]))?)(?![\w%°]|"
    r"[/.,:]\d| ?(?:mg|ml|cm|mm|fois|heures?|h\b|min|jours?|ans|lits?|places?)\b)"
)
_ROOM = r"chambres?|chbre|chb|local|bureau|salle d['’]opération|salle d['’]op|box|boxe|salle"
_OPENINGS = Openings(
    (re.compile(rf"\b(?:{_ROOM})[ :]{{1,3}}{_NUMBER}", re.IGNORECASE), _ROOM),
    (re.compile(rf"\b(?:Ch|CH|ch|Chb|chb)\. ?:? ?{_NUMBER}"), "ch|chb"),
    (re.compile(r"\b(?:lit|civière|civ\.)[ :]{1,3}(?P<it>\d{1,3}[A-Z]?|[A-F])(?![\w%°]|[/.,]\d|"
        r" ?(?:fois|heures?|h\b|jours?))", re.IGNORECASE), "lit|civ"),
    (re.compile(r"\b(?:unité|étage|aile|secteur)[ :]{1,3}(?P<it>\d{1,2}(?-i:[A-Z]|-[A-Z]{1,2})|"
        r"(?-i:[A-Z])\d{1,3})(?![\w])", re.IGNORECASE), "unité|étage|aile|secteur"),
)  # fmt: skip


def find(text: str) -> list[Span]:
    """Every number of a room, a bed or a ward."""
    return [Span(*match.span("it"), "ROOM", 0.85, SOURCE) for _, match in _OPENINGS.find(text)]
