"""Spanish text in, ages out: of the patient and of relatives, in words, numbers and shorthand."""

from __future__ import annotations

import re

from deidlab.rules.openings import Openings, places_of
from deidlab.rules.person import capital_starts
from deidlab.types import Span

SOURCE = "rules:age"
_NUMBER = (
    r"(?:\d{1,3}(?: y medio| 1/2)?|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|"
    r"catorce|quince)"
)
_AGE = rf"(?P<it>{_NUMBER} ?(?:años|año|meses|mes|semanas|días)(?: y medio)?)"
_YEARS = r"(?P<it>\d{1,3} ?años)"
_WHO = (
    r"hij[oa]s?|herman[oa]s?|madre|padre|marido|espos[oa]|pareja|abuel[oa]|niet[oa]|sobrin[oa]|prim[oa]|novi[oa]|"
    r"niñ[oa]|nen[ea]|beb[eé]|varón|hombre|mujer|femenina|masculino|paciente|señora?|joven|gemel[oa]s"
)
_OPENS = re.compile(r"[.|;:\n]")


def _sentence_starts(text: str) -> list[int]:
    """Where a sentence, a line or a cell begins, with the mark before it."""
    return [0, *(match.start() for match in _OPENS.finditer(text))]


_OPENINGS = Openings(
    *(
        (re.compile(pattern, re.IGNORECASE), opening)
        for pattern, opening in (
            # What opens a sentence or a cell is not how long something took: `37 años, profesora`.
            (rf"(?:^|[.|;:\n])[ \t]{{0,3}}{_YEARS}(?=[ \t]{{0,2}}(?:[,.;|/)]|$|\n))", _sentence_starts),
            (rf"\b(?:{_WHO})(?: (?:mayor|menor|pequeñ[oa]))?,? de {_AGE}\b(?! de (?:evol|trat|segu))", _WHO),
            (
                (
                    rf"\b(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{{2,}}),? (?:\([^()\n]{{0,20}}\) )?(?:de )?{_YEARS}"
                    r"(?= ?[,.;)])"
                ),
                capital_starts,
            ),
            (rf"\) {_YEARS} ?,", places_of(")")),
            (
                r"\bedad(?: actual)?[ \t]{0,3}[:|=]?[ \t]{0,4}(?P<it>\d{1,3} ?(?:años|a|meses|m|días)?)\b",
                "edad",
            ),
            (r"\bedad[ /|\w]{0,20}[:|] (?P<it>\d{1,3} años)", "edad"),
            # 45a, (8a), (25 a)
            (r"(?<![\w.,/:-])(?P<it>[1-9]\d) ?(?-i:a)(?=[ ,;)\n]|$)(?! (?:las|los|la|el|\d|\w+ de))", r"\d"),
            (r"\((?P<it>\d{1,2}) ?(?-i:a)\)", places_of("(")),
        )
    )
)
_BEFORE = re.compile(
    r"\b(?:hace|hacía|desde|durante|tras|cada|por|en|últimos|unos|casi|más de|menos de|los|las|pasados?) $",
    re.IGNORECASE,
)


def find(text: str) -> list[Span]:
    """Every age of somebody; how long something lasted is none."""
    return [
        Span(*match.span("it"), "AGE", 0.8, SOURCE)
        for _, match in _OPENINGS.find(text)
        if not _BEFORE.search(text[max(0, match.start("it") - 14) : match.start("it")])
    ]
