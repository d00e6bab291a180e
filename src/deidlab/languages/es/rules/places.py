"""Spanish text in, listed countries, regions and towns out, where they stand with their capital."""

from __future__ import annotations

import functools
import re

from deidlab.languages.es.rules.words import cue_table
from deidlab.rules.folding import Terms, fold_term
from deidlab.rules.openings import Openings
from deidlab.rules.person import WORD
from deidlab.types import Span

SOURCE = "rules:place-list"
_MEDICAL = re.compile(
    r"(?:fiebre|virus|gripe|encefalitis|rosa|escala|test|clasificación|índice|criterios|consenso) "
    r"(?:de|del|de la) $",
    re.IGNORECASE,
)


@functools.cache
def _places() -> tuple[Terms, dict[str, tuple[str, str]]]:
    """The places to find, and how each is written and labelled."""
    table = cue_table("places", "places.toml")
    known = {
        fold_term(place): (place.casefold(), label) for label, places in table.items() for place in places
    }
    return Terms(known), known


_ORIGINS = r"natural|naturales|procedentes?|proceden?|originari[oa]|oriund[oa]|vecin[oa]"
_LIVES = r"domiciliad[oa]|residente|reside|residen|nacid[oa]|naci[óo]|viven?|vivi[óo]|parientes|familia"
_TRAVELS = r"vienen?|vino|baja|llega|regresa|volvió|emigró|viajó|conduce"
_GOES = r"se va|se fue|marchó|trasladó|camino"
_AREAS = (
    r"sector|paraje|finca|zona|distrito|comuna|barrio|colonia|col\.|pob\.|poblaci[óo]n|vereda|corregimiento|municipio|"
    r"urbanizaci[óo]n|urb\.|comunidad|pueblo|localidad|provincia|aldea"
)
_FROM = re.compile(
    rf"\b(?:{_ORIGINS}) del? |"
    rf"\b(?:{_LIVES}) en |"
    rf"\b(?:{_TRAVELS}) (?:desde|hasta|a|de) |"
    rf"\b(?:{_GOES}) a |"
    rf"\b(?:{_AREAS})(?: de)? ",
    re.IGNORECASE,
)
_OPENINGS = Openings((_FROM, f"{_ORIGINS}|{_LIVES}|{_TRAVELS}|{_GOES}|{_AREAS}"))
_ARTICLE = r"(?:El|La|Los|Las|San|Santa|EL|LA|LOS|LAS)"
_THERE = re.compile(rf"(?:{_ARTICLE} )?{WORD}(?: (?:(?:de|del|la|los|las|DE|DEL) ){{0,2}}{WORD}){{0,3}}")


def is_place(word: str) -> bool:
    """Whether a folded word is a listed place."""
    return word in _places()[1]


def find(text: str) -> list[Span]:
    """Every listed place, unless a disease or a score is named after it, and where somebody is from."""
    finder, known = _places()
    spans = [
        Span(*there.span(), "LOCATION-OTHER", 0.75, SOURCE)
        for _, cue in _OPENINGS.find(text)
        if (there := _THERE.match(text, cue.end())) is not None
    ]
    for start, end, place in finder.find(text):
        written, label = known[place]
        # Accents may be left out, but a word with others is another word: Puno is a town, a puño is not.
        own = text[start:end].casefold()
        if not (text[start].isupper() and (own == written or own.isascii())):
            continue
        before = text[max(0, start - 32) : start]
        if not (before.endswith(" ") and _MEDICAL.search(before)):
            spans.append(Span(start, end, label, 0.75, SOURCE))
    return spans
