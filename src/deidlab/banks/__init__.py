"""Names, places, professions and stems that surrogates draw from: frozen package data, read once.

Nothing here chooses: a bank gives tuples in a fixed order and says what it knows of a word.
"""

from deidlab.banks.names import fold, known_name, name_pool, origins, script_of
from deidlab.banks.places import Place, PlaceBank, canada, make_bank, spain, united_states
from deidlab.banks.words import countries, professions, stems

__all__ = [
    "Place",
    "PlaceBank",
    "canada",
    "countries",
    "fold",
    "known_name",
    "make_bank",
    "name_pool",
    "origins",
    "professions",
    "script_of",
    "spain",
    "stems",
    "united_states",
]
