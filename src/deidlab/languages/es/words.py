"""The words by which Spanish notes speak of people, ages and places."""

from __future__ import annotations

import re

from deidlab.banks import canada, spain, united_states
from deidlab.languages.language import Ages, People, Places

PEOPLE = People(
    titles={
        **dict.fromkeys(("sr", "señor"), "m"),
        **dict.fromkeys(("sra", "srta", "señora", "doña", "dña", "dra"), "f"),
    },
    # In English Don is a name, D. an initial.
    own_titles={"don": "m", "d": "m"},
    abbreviations=frozenset({"sr", "sra", "srta", "dna", "dra", "d"}),
    # Doña is a title, Dona a name.
    accented=frozenset({"dona"}),
    particles=frozenset({"de", "del", "la", "las", "los", "el", "y", "e"}),
    kin={
        **dict.fromkeys(("esposa", "hija", "madre", "hermana", "tía", "sobrina", "abuela"), "f"),
        **dict.fromkeys(("esposo", "marido", "hijo", "padre", "hermano", "tío", "sobrino", "abuelo"), "m"),
    },
    # A form is headed 'Datos del paciente' whoever the patient is.
    patient=re.compile(
        r"(?<!\w)(?:(?P<f>(?:la|una) paciente|mujer de \d+|ella)|"
        r"(?P<m>(?:el|un) paciente|var[oó]n|hombre de \d+|él))(?!\w)",
        re.IGNORECASE,
    ),
    two_family_names=True,
    origin="hispanic",
)

AGES = Ages(
    units={
        **dict.fromkeys(("mes", "meses"), 12),
        **dict.fromkeys(("semana", "semanas"), 52),
        **dict.fromkeys(("día", "días", "dia", "dias"), 365),
        **dict.fromkeys(("hora", "horas"), 8760),
    },
    years=("años?",),
    others=("meses", "mes", "semanas?", "días?"),
    old={"noventa": 90, "cien": 100, "ciento": 100, "centenaria": 100, "centenario": 100, "nonagenaria": 90,
         "nonagenario": 90},
    young=frozenset({
        "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "veinte",
    }),
    beside=frozenset({
        "año", "años", "a", "o", "de", "edad", "vida", "con", "unos", "casi", "uno", "un", "dos", "tres",
        "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "hombre", "mujer", "varón",
    }),
    to=("a", "o"),
    born=("nacid[oa]", "nacimiento"),
)  # fmt: skip

PLACES = Places(
    banks={"ES": spain, "US": united_states, "CA": canada},
    territories=True,
    institutions=frozenset({
        "universitario", "universitaria", "clínico", "clinica", "clínica", "centro", "salud", "sanidad",
        "servicio", "unidad", "instituto", "colegio", "escuela", "universidad", "facultad", "complejo",
        "hospitalario", "hospitalaria", "provincial", "comarcal", "consorcio", "fundación", "residencia",
        "ambulatorio", "san", "santa",
    }),
    streets=frozenset({
        "calle", "c", "avenida", "avda", "plaza", "pza", "paseo", "pº", "ronda", "camino", "carretera",
        "ctra", "travesía", "piso", "puerta", "escalera", "bajo", "izq", "dcha", "izda", "nº", "número",
        "portal", "bloque", "edificio", "urbanización", "urb", "sn",
    }),
    links=frozenset({"de", "del", "la", "las", "los", "el", "y", "e", "da", "do"}),
)  # fmt: skip

COUNTRIES = (
    "Francia", "Italia", "Portugal", "Chile", "Perú", "México", "Argentina", "Uruguay", "Bolivia",
    "Ecuador", "Colombia", "Venezuela", "Marruecos", "Rumanía", "Bulgaria", "Polonia", "Ucrania",
    "Alemania", "Bélgica", "Irlanda", "Suecia", "Noruega", "Dinamarca", "Finlandia", "Grecia", "Croacia",
    "Hungría",
)  # fmt: skip
