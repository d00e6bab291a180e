"""The words by which French notes speak of people, ages and places."""

from __future__ import annotations

import re

from deidlab.languages.fr.banks import belgium, canada, france, luxembourg, maghreb, switzerland, west_africa
from deidlab.languages.language import Ages, People, Places
from deidlab.rules.wordlists import read_words

PEOPLE = People(
    titles={
        **dict.fromkeys(("monsieur", "messieurs"), "m"),
        **dict.fromkeys(("mme", "mmes", "mlle", "madame", "mademoiselle", "dre"), "f"),
        **dict.fromkeys(("docteur", "pr", "professeur", "maître"), ""),
        **dict.fromkeys(("docteure", "doctoresse", "professeure"), "f"),
    },
    # Elsewhere these are initials or words of their own.
    own_titles={"m": "m", "mr": "m", "mm": "m", "me": "", "melle": "f"},
    abbreviations=frozenset({"mme", "mmes", "mlle", "melle", "dre", "pr", "mr"}),
    # Maître is a title, a Maitre may be anybody.
    accented=frozenset({"maitre"}),
    particles=frozenset({"de", "du", "des", "la", "le", "van", "von", "el", "ben", "ould"}),
    kin={
        **dict.fromkeys(("femme", "épouse", "fille", "mère", "maman", "sœur", "soeur", "tante", "nièce",
                         "cousine",
                         "grand-mère", "mamie", "belle-mère", "belle-sœur", "belle-fille", "conjointe",
                         "compagne",
                         "amie", "voisine", "infirmière", "veuve", "marraine", "blonde"), "f"),
        **dict.fromkeys(("mari", "époux", "fils", "père", "papa", "frère", "oncle", "neveu", "cousin",
                         "grand-père",
                         "papi", "beau-père", "beau-frère", "beau-fils", "gendre", "conjoint", "compagnon",
                         "ami",
                         "voisin", "infirmier", "veuf", "parrain", "chum"), "m"),
    },
    patient=re.compile(
        r"(?<!\w)(?:(?P<f>(?:la|une|cette) patiente|femme de \d+|madame|elle|fillette|née|âgée|admise|"
        r"hospitalisée)|(?P<m>(?:le|un|ce) patient|homme de \d+|monsieur|"
        r"il(?! (?:y a|s['’]agit|existe|faut))|garçon|né|âgé|admis|hospitalisé))(?!\w)",
        re.IGNORECASE,
    ),
    origin="french",
)  # fmt: skip

AGES = Ages(
    units={
        "mois": 12,
        **dict.fromkeys(("semaine", "semaines", "sem"), 52),
        **dict.fromkeys(("jour", "jours"), 365),
        **dict.fromkeys(("heure", "heures"), 8760),
    },
    years=(r"\bans?\b", r"années?"),
    others=("mois", "semaines?", "jours?", "heures?"),
    old={
        "quatre-vingt-dix": 90, "quatre-vingt-onze": 91, "quatre-vingt-douze": 92, "quatre-vingt-treize": 93,
        "quatre-vingt-quatorze": 94, "quatre-vingt-quinze": 95, "quatre-vingt-seize": 96, "nonante": 90,
        "cent": 100, "centenaire": 100, "nonagénaire": 90,
    },
    young=frozenset({
        "vingt", "trente", "quarante", "cinquante", "soixante", "septante", "huitante", "octante",
    }),
    beside=frozenset({
        "an", "ans", "a", "année", "années", "de", "d", "âge", "âgé", "âgée", "vie", "environ", "presque",
        "et", "demi", "un", "une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf",
        "homme", "femme", "vingts", "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize",
        "bientôt", "passés",
    }),
    to=("à", "ou", "et"),
    born=(r"née?\b(?: le)?", "naissance", r"d\.?d\.?n\.?"),
)  # fmt: skip

PLACES = Places(
    banks={
        "FR": france, "CA": canada, "BE": belgium, "CH": switzerland, "LU": luxembourg, "MA": maghreb,
        "SN": west_africa,
    },
    institutions=frozenset({
        "chu", "chr", "chru", "ch", "chi", "chum", "chus", "cusm", "ciusss", "cisss", "clsc", "chsld",
        "ehpad", "gmf", "ussr", "ssr", "smr", "msp", "cmp", "csapa", "hôpital", "hôpitaux", "hopital",
        "hospitalier", "hospitalière", "hospitaliers", "universitaire", "universitaires", "clinique",
        "cliniques", "polyclinique", "policlinique", "dispensaire", "centre", "santé", "maison", "médical",
        "médicale", "médico", "cabinet", "institut", "fondation", "résidence", "foyer", "pharmacie",
        "laboratoire", "école", "collège", "lycée", "université", "faculté", "entreprise", "société",
        "association", "mairie", "commune", "syndicat", "garage", "boulangerie", "restaurant", "hôtel",
        "banque", "usine", "crèche", "garderie", "maternité", "sanatorium", "hospice", "service", "unité",
        "département", "urgences", "régional", "régionale", "général", "générale", "national", "nationale",
        "départemental", "intercommunal", "privé", "privée", "public", "groupe", "pôle", "saint", "sainte",
        "réadaptation", "rééducation", "soins", "cégep", "paroisse", "mutuelle", "district",
    }),
    streets=frozenset({
        "rue", "r", "avenue", "av", "ave", "boulevard", "bd", "boul", "bld", "blvd", "chemin", "ch", "che",
        "rang", "route", "rte", "place", "pl", "impasse", "imp", "allée", "allées", "quai", "cours",
        "square", "sq", "passage", "ruelle", "montée", "côte", "sentier", "villa", "lotissement", "lot",
        "résidence", "rés", "quartier", "hameau", "cité", "faubourg", "fbg", "fg", "esplanade", "promenade",
        "rond", "point", "venelle", "traverse", "chaussée", "clos", "drève", "croissant", "bis", "ter",
        "quater", "bât", "bâtiment", "bat", "appt", "apt", "app", "appartement", "étage", "étg", "esc",
        "escalier", "porte", "boîte", "bte", "bp", "n", "no", "nº", "est", "ouest", "nord", "sud", "rn",
        "zone", "za", "zi", "lieu", "dit", "casier", "postal", "cp", "immeuble", "saint", "sainte", "st",
        "ste",
    }),
    links=frozenset({
        "de", "du", "des", "la", "le", "les", "l", "d", "et", "à", "au", "aux", "en", "sur", "sous",
    }),
)  # fmt: skip

COUNTRIES = (
    "Italie", "Espagne", "Portugal", "Allemagne", "Pologne", "Roumanie", "Grèce", "Irlande", "Suède",
    "Norvège", "Finlande", "Autriche", "Hongrie", "Croatie", "Bulgarie", "Turquie", "Algérie", "Tunisie",
    "Mauritanie", "Guinée", "Côte d'Ivoire", "Colombie", "Argentine", "Bolivie", "Chine", "Thaïlande",
    "Syrie", "Jordanie", "Arménie", "Géorgie", "Albanie", "Serbie", "Slovénie", "Lituanie", "Estonie",
    "Islande", "Nouvelle-Zélande",
)  # fmt: skip

DEPARTMENTS = (
    "Cardiologie", "Neurologie", "Oncologie", "Pédiatrie", "Radiologie", "Urologie", "Néphrologie",
    "Dermatologie", "Psychiatrie", "Orthopédie", "Gastro-entérologie", "Hématologie", "Endocrinologie",
    "Rhumatologie", "Pneumologie", "Gériatrie", "Médecine interne", "Chirurgie viscérale", "Réanimation",
    "Maladies infectieuses",
)  # fmt: skip

FICTIONAL_PHONES = {
    # What the French regulator keeps for films and novels; with the code of the country too.
    "06": "063998", "07": "063998", "01": "019900", "02": "026191", "03": "035301", "04": "046571",
    "05": "053649", "336": "3363998", "337": "3363998", "331": "3319900", "332": "3326191",
    "333": "3335301", "334": "3346571", "335": "3353649", "00336": "003363998", "00337": "003363998",
    "00331": "003319900",
}  # fmt: skip


def professions() -> tuple[str, ...]:
    """Lines of work, one gender a line."""
    return tuple(sorted(read_words("deidlab.languages.fr", "professions.txt")))


def stems() -> tuple[str, ...]:
    """What houses and streets are called."""
    return tuple(sorted(read_words("deidlab.languages.fr", "stems.txt")))
