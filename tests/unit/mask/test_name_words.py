"""Names that look like titles, degrees and particles; names joined by hyphens; the gender of a new name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab import languages
from deidlab.banks import fold, known_name
from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.mask.genders import gender_before, gender_of_pronouns
from deidlab.mask.people import parse_name
from deidlab.types import Document, Span
from tests.unit.mask.notes import KEY, masked, masked_spanish, one

KEYS = [bytes([number] * 32) for number in range(6)]
WORD = re.compile(r"[^\W\d_]+")


def words(text: str) -> set[str]:
    return {fold(word) for word in WORD.findall(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Don Harrow", "don harrow"), ("DON HARROW", "don harrow"), ("don harrow", "don harrow"), ("Don", "don"),
        ("Don's", "don"), ("Harrow, Don", "don harrow"), ("Mr. Don Harrow", "don harrow"), ("Dona Harrow", "dona harrow"),
        ("Dr. Al Wexley", "al wexley"), ("AL WEXLEY", "al wexley"), ("Al's", "al"), ("Al J. Wexley", "al wexley"),
        ("Ruaridh “Al” Drummond", "al ruaridh drummond"), ("Delbert (Del) Harrow", "del delbert harrow"),
        ("Van", "van"), ("van", "van"), ("Van Nguyen", "van nguyen"), ("Nguyen Van Minh", "van nguyen minh"),
        ("Le, Thi", "le thi"), ("Do, Minh", "do minh"), ("DO^MINH", "do minh"), ("MINH DO", "minh do"), ("Nguyen, Do", "nguyen do"),
        ("Le-Ann", "le ann"), ("Minh-Van Le", "minh van le"), ("Bin Zhang", "bin zhang"), ("Das, Ranjit", "das ranjit"),
        ("Di Marco", "di marco"), ("Del Rio, Ana", "del rio ana"), ("Den Hartog", "den hartog"), ("El Amrani", "el amrani"),
        ("Herr, John", "herr john"), ("Doctor, Anil", "doctor anil"), ("Nurse, Paul", "nurse paul"), ("Pa, Mai", "pa mai"),
        ("D. Harrow", "d harrow"), ("\u0301Harrow Ann", "harrow ann"),
    ],
)  # fmt: skip
def test_a_name_that_equals_a_title_or_a_particle_does_not_survive(text, names):
    for label in ("PATIENT", "DOCTOR"):
        assert not words(one(label, text)) & set(names.split())


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Vincent van Gogh", r"\w+ van \w+"),
        ("Ana García de la Cruz", r"\w+ \w+ de la \w+"),
        ("ANA DE LA CRUZ", r"\w+ DE LA \w+"),
        ("De La Cruz, Ana", r"De La \w+, \w+"),
        ("Dr. van der Berg", r"Dr\. van der \w+"),
        ("Omar Al-Rashid", r"\w+ Al-\w+"),
        ("Maria Del Carmen", r"\w+ Del \w+"),
        ("John Smith, DO", r"\w+ \w+, DO"),
        ("Smith, DO", r"\w+, DO"),
        ("Doña Ana", r"Doña \w+"),
        ("Nurse Jones", r"Nurse \w+"),
    ],
)
def test_what_can_be_no_name_stays(text, form):
    assert re.fullmatch(form, one("PATIENT", text))


def test_don_is_a_title_in_spanish():
    assert re.fullmatch(r"Don \w+ \w+", masked_spanish("{PATIENT:Don Pedro Ruiz}"))
    assert re.fullmatch(r"D\. \w+ \w+", masked_spanish("{PATIENT:D. Pedro Ruiz}"))
    assert "don" not in words(masked_spanish("{PATIENT:Don, Pedro}"))
    assert "don" not in words(masked_spanish("{PATIENT:Don}"))


@pytest.mark.parametrize("name", ["Anna-Maria", "Lou-Ann", "Junior-Lowell", "Mary-Ann", "Le-Ann"])
def test_a_lone_name_with_a_hyphen_gets_one_of_its_kind(name):
    for key in KEYS:
        (text,) = masked(f"{{DOCTOR:{name}}}|{{DOCTOR:{name}}}|{{DOCTOR:{name} Harrow}}", key=key)
        first, again, full = text.split("|")
        assert first == again == full.split()[0]
        assert not words(first) & words(name)
    assert [part.role[-1] for part in parse_name("Mary-Ann", languages.find("en")).parts] == ["g", "g"]
    assert known_name(one("PATIENT", "Mary-Ann").split("-")[0])[0]


@pytest.mark.parametrize("name", ["Jean-P", "J-Paul", "J-P", "Harrow-J", "-", "Al-", "-Al", "O'", "D'-Ann"])
def test_an_initial_behind_a_hyphen_is_masked(name):
    assert one("DOCTOR", name) != name


def test_all_mentions_of_a_family_name_with_a_particle_agree():
    (text,) = masked(
        "{PATIENT:Mpho Du Plessis}|{PATIENT:Du Plessis, Mpho}|{PATIENT:Dr. Du Plessis}|{PATIENT:M. DU PLESSIS}"
    )
    full, turned, titled, letter = text.split("|")
    given, family = full.split(" ", 1)
    assert (
        turned == f"{family}, {given}"
        and titled == f"Dr. {family}"
        and letter == f"{given[0]}. {family.upper()}"
    )
    tags = masked("{PATIENT:Mpho Du Plessis}|{PATIENT:Dr. Du Plessis}|{PATIENT:mpho du plessis}", style="tag")
    assert tags == ["[PATIENT-1]|[PATIENT-1]|[PATIENT-1]"]


PIECES = st.sampled_from([
    "Tamsin", "HARROW", "wexley", "Mary", "Ann", "Junior", "García", "Piñeiro", "e\u0301lise", "Do", "DO", "do", "Van",
    "van", "Al", "AL", "Don", "Dona", "Doña", "Le", "Di", "Del", "de", "la", "der", "El", "Bin", "Pa", "MD", "Jr", "Mr", "Ms",
    "Dr", "Sra", "D", "J", "JS", "A", "O", "محمد", "علي", "王", "王伟", "דוד", "Иван", "नमन", "김", "ß", "İlker", "ﬁona", "Ⓙⓞ", "4711",
    "\u0301", "s",
])  # fmt: skip
GLUE = st.sampled_from(
    [
        " ",
        "-",
        "'",
        "’",
        ". ",
        ".",
        ", ",
        "^",
        " (",
        ") ",
        "“",
        "\n",
        "\u00a0",
        "/",
        "",
        "‑",
        "\u200b",
        "👩",
    ]
)
NAMES = st.lists(st.tuples(PIECES, GLUE), min_size=1, max_size=5).map(
    lambda pairs: "".join(a + b for a, b in pairs)
)
# What may stay by design: titles, degrees, particles, and the letters of initials, which may be drawn again.
MAY_STAY = {
    "mr",
    "ms",
    "dr",
    "sra",
    "md",
    "jr",
    "s",
    "and",
    "de",
    "la",
    "der",
    "del",
    "el",
    "al",
    "van",
    "do",
    "di",
    "le",
}


@given(st.lists(NAMES, min_size=1, max_size=3), st.sampled_from(["PATIENT", "DOCTOR", "NOMBRE_SUJETO_ASISTENCIA"]),
       st.sampled_from(["", "es"]))  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_no_name_fails_nor_survives_and_the_same_one_is_the_same(names, label, language):
    text, spans = "", []
    for name in (*names, names[0]):
        spans.append(Span(len(text), len(text) + len(name), label))
        text += name + " | "
    chosen = MaskSettings(load_policy("i2b2"), "surrogate", KEY, None, False, language)
    new = [new for _, new in mask_notes([Document("n", "p", text, tuple(spans))], chosen)[0].replacements]
    assert new[0] == new[-1]
    stays = MAY_STAY | ({"don", "dona", "d"} if language or label.startswith("NOMBRE") else {"dona"})
    for name, other in zip(names, new, strict=False):
        old = {word for word in words(name) if len(word) > 2 or word in ("do", "pa")} - stays
        assert not old & words(other)


def gender(text: str) -> str:
    return known_name(text)[0]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("note", "wanted"),
    [
        ("Ms. {PATIENT:Tamsin Okonjo} came.", "f"),
        ("Mr. {DOCTOR:Tamsin Okonjo} came.", "m"),
        ("{PATIENT:Tamsin Okonjo}. Ms. {PATIENT:Okonjo} came.", "f"),
        ("{PATIENT:Tamsin Okonjo} came; she feels well and her leg has healed.", "f"),
        ("{PATIENT:Tamsin Okonjo} came; he feels well and his leg has healed.", "m"),
        ("seen with her husband {PATIENT:Tamsin Okonjo}, she says", "m"),
    ],
)
def test_titles_kin_and_pronouns_tell_the_gender_of_an_unknown_given_name(key, note, wanted):
    (text,) = masked(note, key=key)
    place = note.split("{")[0]
    assert wanted in gender(text[len(place) :].split()[0])


@pytest.mark.parametrize("key", KEYS)
def test_spanish_notes_tell_the_gender_too(key):
    text = masked_spanish("{PATIENT:Xulquia Zeperroz}: la paciente refiere", key)
    assert "f" in gender(text.split()[0])
    text = masked_spanish("D. {PATIENT:Xulquia Zeperroz}", key)
    assert "m" in gender(text.split()[1])


def test_a_known_name_keeps_its_gender_and_a_doctor_has_no_pronouns():
    (text,) = masked("{PATIENT:John Okonjo} came with his wife. {DOCTOR:Tamsin Okonjo}: she and her team.")
    assert "m" in gender(text.split()[0])
    first = masked("{DOCTOR:Tamsin Okonjo}: she came.")[0].split(":")[0]
    assert first == masked("{DOCTOR:Tamsin Okonjo}: he came.")[0].split(":")[0]


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("She fell. Her leg hurts.", "en", "f"), ("He fell; his leg hurts him.", "en", "m"), ("She met him; his dog.", "en", ""),
        ("HER2 positive, HER-2 negative, bundle of His", "en", ""), ("She, her, hers; he", "en", "f"),
        ("La paciente acude", "es", "f"), ("Datos del paciente. Mujer de 40 años", "es", "f"), ("Varón de 40 años", "es", "m"), ("", "es", ""),
    ],
)  # fmt: skip
def test_the_gender_of_pronouns(text, language, told):
    assert gender_of_pronouns(text, languages.find(language)) == told


@pytest.mark.parametrize(
    ("before", "language", "told"),
    [
        ("Ms. ", "en", "f"), ("MRS ", "en", "f"), ("Dr. ", "en", ""), ("his wife, ", "en", "f"), ("son (", "en", "m"), ("Don ", "en", ""),
        ("Don ", "es", "m"), ("Dña. ", "es", "f"), ("Sra. ", "en", "f"), ("person ", "en", ""), ("grandson ", "en", ""), ("Ms. Smith and ", "en", ""),
    ],
)  # fmt: skip
def test_the_gender_before_a_name(before, language, told):
    assert gender_before(before + "Tamsin", len(before), languages.find(language)) == told
