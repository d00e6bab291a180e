"""The words by which English notes speak of people, ages and places."""

from __future__ import annotations

import re

from deidlab.languages.language import Ages, People, Places

PEOPLE = People(
    titles={
        **dict.fromkeys(("mr", "mister", "sir"), "m"),
        **dict.fromkeys(("mrs", "ms", "miss", "madam"), "f"),
        **dict.fromkeys(("dr", "drs", "doctor", "prof", "professor", "nurse", "rev", "fr", "capt", "sgt",
                         "lt", "pt", "attending", "resident"), ""),
    },
    abbreviations=frozenset({
        "mr", "mrs", "ms", "dr", "drs", "prof", "rev", "fr", "capt", "sgt", "lt", "pt",
    }),
    particles=frozenset({"and"}),
    kin={
        **dict.fromkeys(("wife", "daughter", "mother", "mom", "sister", "aunt", "niece", "grandmother",
                         "girlfriend", "stepmother"), "f"),
        **dict.fromkeys(("husband", "son", "father", "dad", "brother", "uncle", "nephew", "grandfather",
                         "boyfriend", "stepfather"), "m"),
    },
    patient=re.compile(
        r"(?<![\w-])(?:(?P<f>[Ss]he|SHE|[Hh]er|hers|herself)|(?P<m>[Hh]e|him|his|himself))(?![\w-])"
    ),
)  # fmt: skip

AGES = Ages(
    units={
        **dict.fromkeys(("mo", "mos", "month", "months"), 12),
        **dict.fromkeys(("wk", "wks", "week", "weeks"), 52),
        **dict.fromkeys(("day", "days"), 365),
        **dict.fromkeys(("hr", "hrs", "hour", "hours"), 8760),
    },
    years=(r"y(?:ea)?r", r"\by\b", r"y/?o"),
    others=(r"m(?:o|os|onths?)?", "weeks?", "wks?", "w", r"d(?:ays?)?", r"h(?:ours?|rs?)?"),
    old={"ninety": 90, "nineties": 90, "hundred": 100, "centenarian": 100, "nonagenarian": 90},
    young=frozenset({
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty",
        "forty", "fifty", "sixty", "seventy", "eighty", "teens", "twenties", "thirties", "forties", "fifties",
        "sixties", "seventies", "eighties", "newborn", "infant",
    }),
    beside=frozenset({
        "y", "yr", "yrs", "year", "years", "yo", "o", "old", "olds", "s", "m", "w", "d", "h", "f", "of",
        "age", "aged", "ages", "life", "in", "his", "her", "the", "early", "mid", "middle", "late", "about",
        "almost", "nearly", "around", "approximately", "approx", "over", "under", "and", "to", "or", "a",
        "half", "man", "woman", "male", "female", "boy", "girl",
    }),
    to=("to", "or"),
    born=("born", "birth", r"d\.?\s?o\.?\s?b"),
)  # fmt: skip

PLACES = Places(
    institutions=frozenset({
        "hospital", "hospitals", "clinic", "clinics", "medical", "center", "centre", "centers", "health",
        "healthcare", "general", "memorial", "regional", "university", "children", "childrens", "community",
        "county", "veterans", "va", "institute", "care", "nursing", "home", "rehab", "rehabilitation",
        "emergency", "department", "dept", "unit", "cancer", "heart", "surgical", "hospice", "services",
        "system", "group", "associates", "pharmacy", "laboratory", "lab", "labs", "school", "college",
        "academy", "church", "company", "co", "corp", "corporation", "inc", "llc", "ltd", "bank", "store",
        "market", "restaurant", "hotel", "airport", "army", "navy", "police", "fire", "station", "union",
        "association", "foundation", "society", "club", "office", "agency", "insurance", "house", "manor",
        "village", "senior", "living", "assisted", "facility", "womens", "women", "infirmary", "sanatorium",
        "practice", "family", "primary", "provincial", "st", "saint",
    }),
    streets=frozenset({
        "street", "st", "avenue", "ave", "av", "road", "rd", "drive", "dr", "lane", "ln", "boulevard", "blvd",
        "court", "ct", "place", "pl", "way", "terrace", "ter", "circle", "cir", "highway", "hwy", "parkway",
        "pkwy", "square", "sq", "trail", "trl", "route", "rte", "apt", "apartment", "suite", "ste", "unit",
        "floor", "fl", "room", "rm", "building", "bldg", "po", "p", "o", "box", "north", "south", "east",
        "west", "n", "s", "e", "w", "ne", "nw", "se", "sw", "no", "num",
    }),
    links=frozenset({"of", "the", "and", "for", "at", "in", "on"}),
)  # fmt: skip

DEPARTMENTS = (
    "Cardiology", "Neurology", "Oncology", "Pediatrics", "Radiology", "Urology", "Nephrology", "Dermatology",
    "Psychiatry", "Orthopedics", "Gastroenterology", "Hematology", "Endocrinology", "Rheumatology",
)  # fmt: skip
