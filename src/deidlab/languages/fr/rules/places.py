"""French text in, listed countries, regions and towns out, where they stand with their capital."""

from __future__ import annotations

import functools
import re

from deidlab.languages.fr.banks import rows
from deidlab.languages.fr.rules.words import PLAIN, cue_table, cue_words, is_given, is_never, word_list_of
from deidlab.rules.folding import Terms, fold_term
from deidlab.rules.openings import Openings
from deidlab.rules.person import LOWER, UPPER
from deidlab.types import Span

SOURCE = "rules:place-list"
_MEDICAL = re.compile(
    rf"(?:{'|'.join(cue_words('eponym_heads'))}|fièvre|virus|grippe|encéphalite|échelle|score|test|"
    rf"classification|index|indice|critères|consensus|maladie|"
    r"syndrome|plâtre|corset|anticorps|bouton|fracture|protocole|réaction|variant|souche|vin|"
    r"eau)s? (?:de la|de|du|d['’]|des)? ?$",
    re.IGNORECASE,
)
_HOUSE = re.compile(
    r"\b(?:CHU|CHR|CHRU|CH|CHI|hôpital|clinique|polyclinique|université|rue|avenue|boulevard|bd|place|"
    r"chemin|route|tribunal|"
    r"porte|gare|mutuelle|lycée|collège|école)(?: \w+)? (?:de la |de |du |d['’]|des )?$",
    re.IGNORECASE,
)
_ALLOWED = frozenset({"CITY", "STATE", "COUNTRY"})


@functools.cache
def _places() -> tuple[Terms, dict[str, tuple[str, str]]]:
    """The places to find, and how each is written and labelled; towns give way to regions and countries."""
    known: dict[str, tuple[str, str]] = {}
    for _, _, region, _, _, towns in rows():
        for town in towns.split(", "):
            known[fold_term(town)] = (town.casefold(), "CITY")
        known.setdefault(fold_term(region), (region.casefold(), "STATE"))
    for label, places in cue_table("places", "places.toml").items():
        known |= {fold_term(place): (place.casefold(), label) for place in places}
    known = {place: entry for place, entry in known.items() if place not in word_list_of("no_places")}
    return Terms(known), known


_ORIGINS = (
    r"originaire|native?|natif|proviens?t?|provenant|venue?s?|arrive|arrivée?|vient|viennent|revient|"
    r"habitante?"
)
_LIVES = (
    r"née?|domiciliée?|habite|habitent|habitant|résidant|réside|résident|vit|vivent|vivant|demeurant|demeure|"
    r"installée?|hébergée?|scolarisée?|travaille|séjour(?:ne|née)?|voyage|vacances|retourne|retournée?|déménagée?|"
    r"transférée?|part|parti"
)
_AREAS = (
    r"quartier|hameau|lieu-dit|village|commune|ville|municipalité|arrondissement|cité|région|département|canton|"
    r"province|douar|wilaya|secteur|paroisse"
)
_FROM = re.compile(
    rf"\b(?:{_ORIGINS}) (?:de la |de |du |d['’]|des )|"
    rf"\b(?:{_LIVES}) (?:actuellement |seule? |désormais )?(?:à |au |aux |en )|"
    rf"\b(?:{_AREAS})(?: (?:de la|de|du|des)|d['’]| de l['’])? ",
    re.IGNORECASE,
)
_OPENINGS = Openings((_FROM, f"{_ORIGINS}|{_LIVES}|{_AREAS}"))
_THERE = re.compile(
    rf"(?:(?:Le|La|Les|L['’]|LE|LA) ?)?{PLAIN}(?:(?:[ -](?:(?:sur|sous|en|le|la|les|de|du|des|lès|et|à|"
    rf"aux)[ -]){{0,2}}|[ -](?:de )?[dDlL]['’]){PLAIN}){{0,3}}"
)
_WARD = re.compile(
    r"(?:quartier|hameau|lieu-dit|cité|secteur|douar|arrondissement|région|département|"
    r"canton|province|wilaya)\b",
    re.IGNORECASE,
)


def is_place(word: str) -> bool:
    """Whether a folded word is a listed place."""
    return word in _places()[1]


def find(text: str) -> list[Span]:
    """Every listed place, unless a disease or a house is named after it, and where somebody is from."""
    spans = []
    for _, cue in _OPENINGS.find(text):
        there = _THERE.match(text, cue.end())
        if there is not None and not is_never(re.split("[ -]", there.group())[0]):
            label = "LOCATION-OTHER" if _WARD.match(cue.group()) else "CITY"
            spans.append(Span(*there.span(), label, 0.65, SOURCE))
    finder, known = _places()
    for start, end, place in finder.find(text):
        written, label = known[place]
        if _is_written(text, start, end, written) and not _is_named_after(text, start):
            spans.append(Span(start, end, label, _certainty(text, start, end), SOURCE))
    return spans


def _is_written(text: str, start: int, end: int, written: str) -> bool:
    """With its capital; accents may be left out, but a word with others is another word."""
    own = text[start:end].casefold().replace("’", "'")
    first = text[start : start + 1]
    whole = text[end : end + 1] != "-" and text[start - 1 : start] not in ("-", "@", ".") if start else True
    return (
        whole
        and first.isupper()
        and (own == written or own.isascii() or own.replace("-", " ") == written.replace("-", " "))
    )


def _is_named_after(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    return bool(_MEDICAL.search(before) or _HOUSE.search(before))


def _certainty(text: str, start: int, end: int) -> float:
    """Beside a given name it is somebody's name: Florence Lens, Vienne Martin."""
    before = re.search(rf"([{UPPER}][{LOWER}]+(?:-[{UPPER}][{LOWER}]+)?) $", text[max(0, start - 24) : start])
    if before is not None and is_given(before[1]) and not is_never(before[1]):
        return 0.45
    return 0.8
