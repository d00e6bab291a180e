"""The Spanish calendar."""

from __future__ import annotations

from deidlab.languages.calendar import Calendar, from_easter, on

CALENDAR = Calendar(
    months=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre", "diciembre"),
    short_months=("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    spellings={"setiembre": (9, False)},
    weekdays=("lunes", "martes", "miércoles", "miercoles", "jueves", "viernes", "sábado", "sabado",
              "domingo"),
    seasons=("invierno", "primavera", "verano", "otoño"),
    connectors=frozenset({
        "y", "e", "o", "de", "del", "al", "el", "la", "los", "las", "desde", "hasta", "entre", "día", "dia",
        "mes", "año", "semana", "fecha",
    }),
    of_month=("de",),
    of_year=("de", "del"),
    of_year_after_day_month=("de", "del"),
    to=("al",),
    holidays={
        "navidad": on(12, 25), "nochebuena": on(12, 24), "nochevieja": on(12, 31), "año nuevo": on(1, 1),
        "reyes": on(1, 6), "pascua": from_easter(), "viernes santo": from_easter(-2),
    },
    feasts=("Navidad", "Nochebuena", "Nochevieja", "Año Nuevo", "Reyes", "Pascua", "Viernes Santo"),
    plain_day="{day} de {month}",
)  # fmt: skip
