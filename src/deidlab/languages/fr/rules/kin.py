"""French text in, the given names of relatives and friends out: `son mari, Antoine`, `sa fille Léa`."""

from __future__ import annotations

import re

from deidlab.languages.fr.rules.words import is_given, is_never
from deidlab.rules.openings import Openings
from deidlab.rules.person import LOWER, UPPER
from deidlab.types import Span

SOURCE = "rules:name-kin"
_RELATIVE = (
    r"mari|femme|épou(?:se|x)|ex-(?:mari|femme|conjointe?)|conjointe?|compagn(?:e|on)|fils|filles?|"
    r"p[èe]re|m[èe]re|"
    r"papa|maman|parents|fr[èe]res?|s(?:œ|oe)urs?|grands?-(?:p[èe]re|m[èe]re)|petite?s?-(?:fils|fille)|"
    r"oncle|tante|nièce|neveu|"
    r"cousine?s?|beau-(?:p[èe]re|fr[èe]re|fils)|belle-(?:m[èe]re|s(?:œ|oe)ur|fille)|gendre|bru|amie?s?|"
    r"voisine?s?|"
    r"copine?|copain|chum|blonde|colocataire|collègue|aidante?|aidant naturel|marraine|parrain|tutrice|"
    r"tuteur|curatrice|"
    r"curateur|jumeau|jumelle|bébé|enfants?|patron(?:ne)?|nounou|auxiliaire de vie|garçon|fillette"
)
_KIN = re.compile(
    rf"\b(?:{_RELATIVE})"
    r"(?: (?:aînée?|cadette?|unique|maternel(?:le)?|paternel(?:le)?|jumeau|jumelle|de c(?:œ|oe)ur|proche|"
    r"décédée?|"
    r"adoptive?|adoptif))?"
    r"(?:,? (?:prénommée?|nommée?|appelée?|qui s['’]appelle|dénommée?) |\s?\(|[,:]? )",
    re.IGNORECASE,
)
_OPENINGS = Openings((_KIN, _RELATIVE))
_OWNED = re.compile(
    r"\b(?:s(?:on|a|es)|m(?:on|a|es)|leurs?|ton|ta|votre|notre|l['’]|d['’]une?|"
    r"une?) ?$",
    re.IGNORECASE,
)
_CAPITALISED = rf"[{UPPER}][{LOWER}'’]+(?:-[{UPPER}][{LOWER}]+)?"
_NAME = re.compile(
    rf"{_CAPITALISED}(?: (?:(?:de la|de|du|des|le|la|d['’]) ?){{0,1}}(?:{_CAPITALISED}|"
    rf"[{UPPER}]{{3,20}})){{0,2}}"
)
_SHOUTED = re.compile(rf"[{UPPER}-]{{3,20}}")
_MORE = re.compile(rf"(?:, | et )({_CAPITALISED})(?![\w-])")


def find(text: str) -> list[Span]:
    """Every name that follows a word for a relative.

    It must begin with a known given name, unless the relative is somebody's: `son chum Ludo`.
    """
    spans: list[Span] = []
    for _, kin in _OPENINGS.find(text):
        pattern = _SHOUTED if kin.group().isupper() else _NAME
        name = pattern.match(text, kin.end())
        if name is None:
            continue
        first = name.group().split(" ")[0]
        owned = kin.group()[0].islower() and _OWNED.search(text[max(0, kin.start() - 8) : kin.start()])
        if is_never(first) or not (is_given(first) or owned):
            continue
        spans.append(Span(*name.span(), "PATIENT", 0.92, SOURCE))
        more = _MORE.match(text, name.end())
        while more is not None and is_given(more[1]) and not is_never(more[1]):
            spans.append(Span(*more.span(1), "PATIENT", 0.85, SOURCE))
            more = _MORE.match(text, more.end())
    return spans
