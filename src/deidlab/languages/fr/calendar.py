"""The French calendar, with the feasts of France, Québec, Belgium and Switzerland.

Feasts that move with the moon (Ramadan, l'Aïd) have no day here: dates with them are masked, not shifted.
"""

from __future__ import annotations

from deidlab.languages.calendar import Calendar, from_easter, nth, on

_HOLIDAYS = {
    "noël": on(12, 25), "jour de noël": on(12, 25), "noel": on(12, 25), "veille de noël": on(12, 24),
    "réveillon de noël": on(12, 24), "jour de l'an": on(1, 1), "nouvel an": on(1, 1),
    "saint-sylvestre": on(12, 31), "épiphanie": on(1, 6), "chandeleur": on(2, 2),
    "saint-valentin": on(2, 14), "mardi gras": from_easter(-47), "mercredi des cendres": from_easter(-46),
    "dimanche des rameaux": from_easter(-7), "rameaux": from_easter(-7), "jeudi saint": from_easter(-3),
    "vendredi saint": from_easter(-2), "pâques": from_easter(), "paques": from_easter(),
    "dimanche de pâques": from_easter(), "lundi de pâques": from_easter(1), "ascension": from_easter(39),
    "jeudi de l'ascension": from_easter(39), "pentecôte": from_easter(49), "pentecote": from_easter(49),
    "lundi de pentecôte": from_easter(50), "fête du travail": on(5, 1), "armistice": on(11, 11),
    "fête nationale": on(7, 14), "saint-jean-baptiste": on(6, 24), "saint-jean": on(6, 24),
    "assomption": on(8, 15), "toussaint": on(11, 1), "jour du souvenir": on(11, 11),
    "action de grâce": nth(10, 0, 2), "action de grâces": nth(10, 0, 2), "fête du canada": on(7, 1),
    "jeûne genevois": nth(9, 3, 1), "halloween": on(10, 31), "fête des mères": nth(5, 6, 2),
    "fête des pères": nth(6, 6, 3), "immaculée conception": on(12, 8), "saint-nicolas": on(12, 6),
}  # fmt: skip

CALENDAR = Calendar(
    months=("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
            "novembre", "décembre"),
    # With a full stop where a note has one: it stands behind the form, and stays.
    short_months=("janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"),
    spellings={
        "fevrier": (2, False), "aout": (8, False), "decembre": (12, False), "jan": (1, True),
        "fev": (2, True), "fév": (2, True), "fevr": (2, True), "mar": (3, True), "avri": (4, True),
        "jun": (6, True), "jul": (7, True), "juill": (7, True), "aoû": (8, True), "sep": (9, True),
        "octo": (10, True), "dec": (12, True),
    },
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    seasons=("hiver", "printemps", "été", "automne"),
    connectors=frozenset({
        "le", "la", "les", "l", "du", "de", "d", "des", "au", "aux", "à", "a", "en", "et", "ou", "depuis",
        "entre", "jusqu", "dès", "vers", "début", "fin", "mi", "courant", "mois", "jour", "journée", "an",
        "année", "années", "semaine", "dernier", "dernière", "prochain", "prochaine", "matin", "soir",
        "midi", "nuit", "heures", "h",
    }),
    of_month=("de",),
    of_year=("de", "en"),
    of_year_after_day_month=("de",),
    to=("au", "et", "ou"),
    ordinals=("er",),
    ordinal=lambda day: "er" if day == 1 else "",
    holidays=_HOLIDAYS,
    feasts=("Noël", "Jour de l'an", "Saint-Sylvestre", "Épiphanie", "Saint-Valentin", "Mardi gras",
            "Vendredi saint", "Pâques", "Lundi de Pâques", "Ascension", "Pentecôte", "Lundi de Pentecôte",
            "Saint-Jean-Baptiste", "Assomption", "Toussaint", "Armistice", "Action de grâce"),
    plain_day="{day} {month}",
    before_year=" ",
)  # fmt: skip
