"""Hospitals, organisations, departments, streets and professions in, others with the same head word out.

Words that say what a thing is (Hospital, Clinic, Street, calle) stay; what names it is drawn from the banks.
"""

from __future__ import annotations

import re

from deidlab.banks import countries, professions, stems
from deidlab.mask.keys import Stream
from deidlab.mask.shapes import another, like_case, scramble

_HEADS = frozenset({
    "hospital", "hospitals", "clinic", "clinics", "medical", "center", "centre", "centers", "health",
    "healthcare", "general", "memorial", "regional", "university", "children", "childrens", "community",
    "county", "veterans", "va", "institute", "care", "nursing", "home", "rehab", "rehabilitation",
    "emergency", "department", "dept", "unit", "cancer", "heart", "surgical", "hospice", "services",
    "system", "group", "associates", "pharmacy", "laboratory", "lab", "labs", "school", "college",
    "academy", "church", "company", "co", "corp", "corporation", "inc", "llc", "ltd", "bank", "store",
    "market", "restaurant", "hotel", "airport", "army", "navy", "police", "fire", "station", "union",
    "association", "foundation", "society", "club", "office", "agency", "insurance", "house", "manor",
    "village", "senior", "living", "assisted", "facility", "womens", "women", "infirmary", "sanatorium",
    "practice", "family", "primary", "universitario", "universitaria", "clínico", "clinica", "clínica",
    "centro", "salud", "sanidad", "servicio", "unidad", "instituto", "colegio", "escuela", "universidad",
    "facultad", "complejo", "hospitalario", "hospitalaria", "provincial", "comarcal", "consorcio",
    "fundación", "residencia", "ambulatorio", "st", "saint", "san", "santa",
})  # fmt: skip
_STREET_HEADS = frozenset({
    "street", "st", "avenue", "ave", "av", "road", "rd", "drive", "dr", "lane", "ln", "boulevard", "blvd",
    "court", "ct", "place", "pl", "way", "terrace", "ter", "circle", "cir", "highway", "hwy", "parkway",
    "pkwy", "square", "sq", "trail", "trl", "route", "rte", "apt", "apartment", "suite", "ste", "unit",
    "floor", "fl", "room", "rm", "building", "bldg", "po", "p", "o", "box", "north", "south", "east",
    "west", "n", "s", "e", "w", "ne", "nw", "se", "sw", "no", "num", "calle", "c", "avenida", "avda",
    "plaza", "pza", "paseo", "pº", "ronda", "camino", "carretera", "ctra", "travesía", "piso", "puerta",
    "escalera", "bajo", "izq", "dcha", "izda", "nº", "número", "portal", "bloque", "edificio",
    "urbanización", "urb", "sn",
})  # fmt: skip
_LINKS = frozenset({
    "of", "the", "and", "for", "at", "in", "on", "de", "del", "la", "las", "los", "el", "y", "e", "da",
    "do",
})  # fmt: skip
_DEPARTMENTS = (
    "Cardiology", "Neurology", "Oncology", "Pediatrics", "Radiology", "Urology", "Nephrology", "Dermatology",
    "Psychiatry", "Orthopedics", "Gastroenterology", "Hematology", "Endocrinology", "Rheumatology",
)  # fmt: skip
_SPANISH_COUNTRIES = (
    "Francia", "Italia", "Portugal", "Chile", "Perú", "México", "Argentina", "Uruguay", "Bolivia",
    "Ecuador", "Colombia", "Venezuela", "Marruecos", "Rumanía", "Bulgaria", "Polonia", "Ucrania",
    "Alemania", "Bélgica", "Irlanda", "Suecia", "Noruega", "Dinamarca", "Finlandia", "Grecia", "Croacia",
    "Hungría",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_ºª]+(?:['’][^\W\d_]+)*")


def new_organisation(stream: Stream, text: str, spanish: bool = False) -> str:
    return _keep_heads(stream, text, _HEADS, spanish)


def new_street(stream: Stream, text: str, spanish: bool = False) -> str:
    return _keep_heads(stream, text, _STREET_HEADS, spanish)


def new_department(stream: Stream, text: str) -> str:
    """Another department; a code such as 4W or CCU-2 keeps its shape."""
    if any(c.isdigit() for c in text) or (text.isupper() and len(text) <= 5):
        return another(stream, text)
    return like_case(text, _pick(stream, _DEPARTMENTS, text))


def new_profession(stream: Stream, text: str, spanish: bool = False) -> str:
    new = _pick(stream, professions("es" if spanish else "en"), text)
    return new.title() if text.istitle() and " " in text else like_case(text, new)


def new_country(stream: Stream, text: str, spanish: bool = False) -> str:
    new = _pick(stream, _SPANISH_COUNTRIES if spanish else countries(), text)
    return new.upper() if text.isupper() and len(text) > 3 else new


def _keep_heads(stream: Stream, text: str, heads: frozenset[str], spanish: bool) -> str:
    """Every run of naming words becomes one stem; digits are drawn anew."""
    bank = stems("es" if spanish else "en")
    out: list[str] = []
    done, named = 0, False
    for start, end, acronym in _naming_runs(text, heads):
        out.append(scramble(stream, text[done:start], letters=False))
        old = text[start:end]
        out.append(another(stream, old) if acronym else like_case(old, _pick(stream, bank, old)))
        done, named = end, True
    out.append(scramble(stream, text[done:], letters=False))
    result = "".join(out)
    if named or (result != text and any(c.isdigit() for c in text)):
        return result
    return f"{like_case(text, _pick(stream, bank, text))} {text}"


def _naming_runs(text: str, heads: frozenset[str]) -> list[tuple[int, int, bool]]:
    """Start and end of each run of words that are no head words, and whether it is an acronym."""
    runs: list[list[int]] = []
    joined = False
    for match in _WORD.finditer(text):
        word = match.group().lower().replace("’", "").replace("'", "")
        if word in heads or (word.endswith("s") and word[:-1] in heads):
            joined = False
        elif word in _LINKS:
            continue
        elif joined and not re.search(r"[,;\d\n]", text[runs[-1][1] : match.start()]):
            runs[-1][1] = match.end()
        else:
            runs.append([match.start(), match.end()])
            joined = True
    return [(start, end, _is_acronym(text[start:end], text)) for start, end in runs]


def _is_acronym(run: str, text: str) -> bool:
    return run.isupper() and run.isalpha() and len(run) <= 5 and (run == text.strip() or not text.isupper())


def _pick(stream: Stream, bank: tuple[str, ...], old: str) -> str:
    new = bank[stream.below(len(bank))]
    while new.lower() == old.lower():
        new = bank[stream.below(len(bank))]
    return new
