"""Spanish text in, the given names of relatives and friends out: `su marido, Antonio`.

The notes that the Spanish model learned from hardly ever name a relative, so the model misses them.
"""

from __future__ import annotations

import re

from deidlab.languages.es.rules.words import is_given, is_never
from deidlab.rules.openings import Openings
from deidlab.types import Span

SOURCE = "rules:name-kin"
_RELATIVE = (
    r"marido|mujer|espos[oa]|hij[oa]s?|padres?|madre|herman[oa]s?|abuel[oa]s?|niet[oa]s?|t[ií][oa]s?|"
    r"sobrin[oa]s?|prim[oa]s?|cuñad[oa]s?|suegr[oa]s?|yernos?|nueras?|novi[oa]s?|pareja|compañer[oa]|amig[oa]s?|"
    r"vecin[oa]s?|cuidador[ao]?|tutor[ao]?|entrenador[a]?|jef[ea]|señora"
)
_KIN = re.compile(
    rf"\b(?:{_RELATIVE})(?: (?:mayor|menor|pequeñ[oa]|materna?o?|paterna?o?|gemel[oa]))?"
    r"(?:,? (?:de nombre|llamad[oa]|se llama) |\s?\(|[,:]? )",
    re.IGNORECASE,
)
_OPENINGS = Openings((_KIN, _RELATIVE))
_OWNED = re.compile(r"\b(?:sus?|mis?|al|la|el|una?) $", re.IGNORECASE)
_SHOUTED = re.compile(r"[A-ZÁÉÍÓÚÑ]{3,20}")
_NAME = re.compile(
    r"[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+(?:[ -](?:(?:de|del|la|los) ){0,2}[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+){0,3}"
)


def find(text: str) -> list[Span]:
    """Every name that follows a word for a relative.

    The banks must know its first word as a given name, unless the relative is somebody's: `su cuñado Moncho`.
    """
    spans = []
    for _, kin in _OPENINGS.find(text):
        pattern = _SHOUTED if kin.group().isupper() else _NAME
        name = pattern.match(text, kin.end())
        if name is None:
            continue
        first = re.split("[ -]", name.group())[0]
        owned = kin.group()[0].islower() and _OWNED.search(text[max(0, kin.start() - 6) : kin.start()])
        if is_given(first) or (owned and not is_never(first)):
            spans.append(Span(*name.span(), "PATIENT", 0.92, SOURCE))
    return spans
