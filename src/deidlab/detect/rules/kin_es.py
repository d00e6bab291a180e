"""Spanish text in, the given names of relatives and friends out: `su marido, Antonio`.

The notes that the Spanish model learned from hardly ever name a relative, so the model misses them.
"""

from __future__ import annotations

import re

from deidlab.banks import known_name
from deidlab.types import Span

SOURCE = "rules:name-kin"
_KIN = re.compile(
    r"\b(?:marido|mujer|espos[oa]|hij[oa]s?|padres?|madre|herman[oa]s?|abuel[oa]s?|niet[oa]s?|t[ií][oa]s?|"
    r"sobrin[oa]s?|prim[oa]s?|cuñad[oa]s?|suegr[oa]s?|yernos?|nueras?|novi[oa]s?|pareja|compañer[oa]|amig[oa]s?|"
    r"vecin[oa]s?|cuidador[ao]?|tutor[ao]?)(?: (?:mayor|menor|pequeñ[oa]|materna?o?|paterna?o?|gemel[oa]))?"
    r"(?:,? (?:de nombre|llamad[oa]|se llama) |\s?\(|[,:]? )",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+(?:[ -](?:(?:de|del|la|los) ){0,2}[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+){0,3}"
)


def find(text: str) -> list[Span]:
    """Every name that follows a word for a relative, where the banks know its first word as a given name."""
    spans = []
    for kin in _KIN.finditer(text):
        name = _NAME.match(text, kin.end())
        if name is not None and known_name(re.split("[ -]", name.group())[0])[0]:
            spans.append(Span(*name.span(), "PATIENT", 0.92, SOURCE))
    return spans
