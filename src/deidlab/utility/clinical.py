"""A text in, the clinical figures in it out: values, doses, scores and durations, found by plain rules.

The rules are the same for all languages: units are, and the words beside them are few. They are for counting
what masking keeps, not for reading charts: what they miss, they miss in the original and in the copy alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

KINDS = ("values", "doses", "scores", "durations")
_NUMBER = r"(?<![\w.,])\d+(?:[.,]\d+)?(?:\s?[-–/x]\s?\d+(?:[.,]\d+)?)?"
_MASS = r"(?:mcg|µg|μg|ug|ng|pg|mg|kg|g|mEq|mmol|µmol|umol|mol|UI|IU|mU|units?|unidades|unités|U)"
_VOLUME = r"(?:dL|mL|ml|cc|L|l|mm3|mm³|µL|uL)"
_PER = r"(?:/|\s?per\s)"
_TIME = (
    r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|wks?|months?|mos|"
    r"segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|heures?|jours?|semaines?|mois)"
)
_YEARS = r"(?:years?|yrs?|años?|ans?|années?)"
# `de 64 años`, `Edad: 64 años`, `64 years old` are ages.
_NO_AGE = r"(?<!\bde\s)(?<!\bedad\s)(?<!\bedad:\s)(?<!\baged\s)(?<!\bage\s)(?<!\bage:\s)(?<!\bâge:\s)"
_NOT_OLD = r"(?!\s?-?\s?(?:old|of age|de edad|d['’]âge)\b)"
_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|few|un|una|dos|tres|cuatro|cinco|seis|siete|"
    r"ocho|nueve|diez|doce|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze)"
)
_MEASURES = (
    r"(?:BP|TA|HR|FC|RR|FR|SpO2|SaO2|O2 sat|sats?|temp|T|Hgb|Hb|Hct|WBC|plt|platelets|Na|K|Cl|HCO3|BUN|Cr|"
    r"creat\w*|glucose|glucosa|INR|pH|FEVI|LVEF|EF|BMI|IMC|CRP|PCR|VSG|ESR|TSH|ALT|AST|GOT|GPT|LDH|HbA1c|A1C|"
    r"PSA|lactate)"
)
_SCALES = (
    r"(?:GCS|Glasgow|APGAR|NYHA|ASA|ECOG|MMSE|MoCA|NIHSS|Karnofsky|Child(?:-Pugh)?|CHA2DS2-VASc|HAS-BLED|"
    r"Wells|CURB-65|Braden|Morse|Norton|Barthel|Rankin|mRS|EVA|VAS|Gleason|BI-RADS|KPS|PHQ-9|GAD-7|SOFA|"
    r"APACHE(?: II)?|stage|grade|estadio|grado|stade|class|clase|classe)"
)
_SCORE = r"(?:\d{1,3}(?:\s?/\s?\d{1,3})?|IV|I{1,3}|[ABC])"
_SIGN = r"(?:mm\s?Hg|bpm|lpm|rpm|/min|%|°\s?[CF]|º\s?[CF]?|cm2?|mm|kg/m2|kg/m²|cmH2O)"
_PORTION = r"(?:tab\w*|caps?\w*|puffs?|gtt|drops?|comp\w*|gouttes)"
_EACH = r"(?:/(?:kg|d[ií]a|day|h|hr|dose|jour))*"
_OFTEN = r"(?:q\.?\s?\d{1,2}\s?h(?:rs?)?|q\.?d|b\.?i\.?d|t\.?i\.?d|q\.?i\.?d|qhs|prn)"
_PATTERNS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("scores", rf"\b{_SCALES}\b[\s:=]{{0,3}}(?:score\s)?(?:of\s|de\s)?{_SCORE}\b"),
        ("scores", r"(?<![\w/.])\d{1,2}\s?/\s?10(?![\w/])"),
        ("durations", rf"(?:{_NUMBER}|\b{_WORDS})(?:\s|-){{0,2}}{_TIME}\b{_NOT_OLD}"),
        ("durations", rf"{_NO_AGE}(?:{_NUMBER}|\b{_WORDS})(?:\s|-){{0,2}}{_YEARS}\b{_NOT_OLD}"),
        ("values", rf"{_NUMBER}\s?(?:{_MASS}|cells|células){_PER}(?:{_VOLUME}|min|m2|m²)(?!\w)"),
        ("values", rf"{_NUMBER}\s?{_SIGN}(?!\w)"),
        ("doses", rf"{_NUMBER}\s?(?:{_MASS}|{_VOLUME}|{_PORTION}){_EACH}(?!\w)"),
        ("doses", rf"(?<!\w){_OFTEN}(?!\w)"),
        (
            "values",
            rf"\b{_MEASURES}\b[\s:=]{{1,3}}(?:was\s|of\s|is\s|de\s)?\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?(?![\w/])",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Item:
    """A clinical figure: its kind, where it stands, and what it is, however it is spaced."""

    kind: str
    start: int
    end: int
    said: str

    def __repr__(self) -> str:
        return f"Item({self.kind}, {self.start}, {self.end})"


def find_items(text: str) -> list[Item]:
    """All of them, in order; what two rules want, the first of them has."""
    taken = bytearray(len(text))
    found = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(Item(kind, start, end, "".join(match[0].lower().split())))
    return sorted(found, key=lambda item: item.start)
