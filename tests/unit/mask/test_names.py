"""Names: who is meant, and what a surrogate keeps."""

from __future__ import annotations

import re

import pytest

from deidlab import languages
from deidlab.banks import fold, known_name, name_pool, origins, script_of
from deidlab.mask.people import parse_name
from tests.unit.mask.notes import KEY, OTHER_KEY, masked, one


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("John Smith", "g:John f:Smith"),
        ("SMITH, John A.", "f:SMITH g:John m:A"),
        ("Mr. Smith", "f:Smith"),
        ("Dr. Mary O'Brien-Lopez, M.D.", "g:Mary f:O'Brien f:Lopez"),
        ("J.S.", "g:J f:S"),
        ("JS", "g:J f:S"),
        ("J. A. Smith", "g:J m:A f:Smith"),
        ("Smith JA", "f:Smith g:J m:A"),
        ("Jean-Paul Martin", "g:Jean g:Paul f:Martin"),
        ("Ludwig van Beethoven", "g:Ludwig f:Beethoven"),
        ("Juan García López", "g:Juan f:García f:López"),
        ("Smith's", "?f:Smith"),
        ("LEE", "?f:LEE"),
        ("Sra. Pérez", "f:Pérez"),
        ("John Smith Jr.", "g:John f:Smith"),
        ("Mr. Do", "f:Do"),
        ("SMITH^JOHN^A", "f:SMITH g:JOHN m:A"),
        ("MR. DO", "f:DO"),
        ("john smith md", "g:john f:smith"),
        ("Smith, MD", "?f:Smith"),
        ("%%", ""),
    ],
)
def test_parts_of_a_name(text, roles):
    name = parse_name(text, languages.find("en"))
    assert " ".join(f"{part.role}:{text[part.start : part.end]}" for part in name.parts) == roles


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SMITH, John A.", r"[A-Z]{2,}, [A-Z][a-z]+ [A-Z]\."),
        ("John Smith", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("john smith", r"[a-z]+ [a-z]+"),
        ("J.S.", r"[A-Z]\.[A-Z]\."),
        ("Dr. Mary Adams, M.D.", r"Dr\. [A-Z][a-z]+ [A-Z][a-z]+, M\.D\."),
        ("Mary Smith-Jones", r"[A-Z][a-z]+ [A-Z][a-z]+-[A-Z][a-z]+"),
        ("Smith's", r"[A-Z][a-z]+'s"),
    ],
)
def test_case_order_and_format_stay(text, form):
    new = one("PATIENT", text)
    assert re.fullmatch(form, new)
    assert new != text


def test_all_forms_of_one_person_agree():
    (text,) = masked(
        "{PATIENT:SMITH, John A.}|{PATIENT:Mr. Smith}|{PATIENT:J.S.}|{PATIENT:John Smith}|{PATIENT:john}|{PATIENT:JAS}|"
        "{PATIENT:J. Smith}"
    )
    full, titled, initials, plain, lower, letters, short = text.split("|")
    family, given, middle = re.fullmatch(r"([A-Z]+), ([A-Z][a-z]+) ([A-Z])\.", full).groups()
    assert titled == f"Mr. {family.title()}"
    assert plain == f"{given} {family.title()}"
    assert lower == given.lower()
    assert initials == f"{given[0]}.{family[0]}."
    assert letters == f"{given[0]}{middle}{family[0]}"
    assert short == f"{given[0]}. {family.title()}"


def test_initials_agree_where_the_full_name_is_in_another_note():
    first, second = masked("{PATIENT:J.S.}", "{PATIENT:John Smith}")
    assert first == f"{second.split()[0][0]}.{second.split()[1][0]}."


@pytest.mark.parametrize("number", range(8))
def test_gender_and_origin_stay(number):
    key = bytes([number]) * 32
    for name, gender, origin in (
        ("Mary", "f", "english"),
        ("John", "m", "english"),
        ("Guadalupe", "f", "hispanic"),
        ("Juan", "m", "hispanic"),
    ):
        new = one("PATIENT", f"{name} Smith", key=key).split()[0]
        found, given, _ = known_name(new)
        assert gender in found and given == origin, (name, number)
    family = one("PATIENT", "Van Nguyen", key=key).split()[-1]
    assert known_name(family)[2] == "vietnamese"


def test_a_title_tells_the_gender_of_an_unknown_name():
    for number in range(6):
        new = one("PATIENT", "Mrs. Qqxat Smith", key=bytes([number]) * 32)
        assert "f" in known_name(new.split()[1])[0]


def test_doctors_and_patients_are_apart():
    (text,) = masked("{PATIENT:John Smith}|{DOCTOR:John Smith}|{DOCTOR:Dr. Smith}")
    patient, doctor, short = text.split("|")
    assert not {*patient.split()} & {*doctor.split()}
    assert short == f"Dr. {doctor.split()[1]}"


def test_relatives_share_the_new_family_name_and_have_their_own_number():
    (text,) = masked(
        "{PATIENT:John Smith}|{PATIENT:Mary Smith}|{PATIENT:Mrs. Smith}|{PATIENT:Mr. Smith}", style="tag"
    )
    assert text == "[PATIENT-1]|[PATIENT-2]|[PATIENT-2]|[PATIENT-1]"
    (text,) = masked("{PATIENT:John Smith}|{PATIENT:Mary Smith}")
    john, mary = (name.split() for name in text.split("|"))
    assert john[1] == mary[1] and john[0] != mary[0]


def test_the_same_person_has_the_same_number_in_all_notes():
    assert masked(
        "{PATIENT:SMITH, John} {DOCTOR:Dr. Adams}",
        "{DOCTOR:Lisa Brown} {PATIENT:Mr. Smith}",
        "{DOCTOR:Brown} {DOCTOR:ADAMS} {PATIENT:john smith} {PATIENT:Robert Jones}",
        style="tag",
    ) == [
        "[PATIENT-1] [DOCTOR-1]",
        "[DOCTOR-2] [PATIENT-1]",
        "[DOCTOR-2] [DOCTOR-1] [PATIENT-1] [PATIENT-2]",
    ]


def test_the_same_mention_is_the_same_in_every_note_and_the_key_decides():
    notes = ("{PATIENT:John Smith} and {DATE:3/14/2064}", "{PATIENT:john  smith}")
    assert masked(*notes) == masked(*notes)
    first, second = masked(*notes)
    assert second.split() == first.lower().split()[:2]
    others = [masked(*notes, key=bytes([number]) * 32)[0] for number in range(12)]
    assert len({text.split()[0] for text in others}) > 8
    assert masked(*notes, key=OTHER_KEY) != masked(*notes, key=KEY)


def test_surrogates_are_frozen():
    # These change only with the banks or the way of choosing, which the changelog must then say.
    assert one("PATIENT", "SMITH, John A.") == "PEDERSON, Omar C."
    assert one("DATE", "3/14/2064") == "5/6/2067"


def test_no_surrogate_is_a_real_name_of_the_notes_nor_given_twice():
    real = list(name_pool("vietnamese", "family"))[:-4]
    (text,) = masked("|".join(f"{{PATIENT:Mr. {name}}}" for name in real))
    new = [part.split()[1] for part in text.split("|")]
    assert not {fold(name) for name in new} & {fold(name) for name in real}


def test_names_in_other_scripts_stay_in_their_script():
    arabic = one("PATIENT", "محمد علي")
    assert arabic != "محمد علي" and all("\u0600" <= c <= "\u06ff" for c in arabic if c.isalpha())
    han = one("PATIENT", "王伟")
    assert han != "王伟" and all("\u4e00" <= c <= "\u9fff" for c in han) and len(han) >= 2
    (text,) = masked("חולה {PATIENT:דוד כהן} הגיע {DATE:14/3/2064}.")
    assert text.startswith("חולה ") and "כהן" not in text and "הגיע" in text


@pytest.mark.parametrize("origin", [name for name in origins() if name.endswith("-script")])
def test_every_script_has_names_of_its_own_for_both_genders(origin):
    for gender in ("m", "f"):
        given, family = name_pool(origin, gender)[0], name_pool(origin, "family")[0]
        new = one("PATIENT", f"{given} {family}").split()
        assert [script_of(word) for word in new] == [origin, origin]
        assert new[0] in name_pool(origin, gender) and new != [given, family]


def test_spanish_names_have_two_family_names():
    (text,) = masked(
        "{NOMBRE_SUJETO_ASISTENCIA:Ana Xurxo Piñeiro}|{NOMBRE_SUJETO_ASISTENCIA:Ana Xurxo}", style="tag"
    )
    assert text == "[NOMBRE_SUJETO_ASISTENCIA-1]|[NOMBRE_SUJETO_ASISTENCIA-1]"


def test_user_names_and_e_mails_follow_the_new_name():
    (text,) = masked(
        "{PATIENT:John Smith}|{EMAIL:jsmith@partners.org}|{EMAIL:john.smith@gmail.com}|{USERNAME:smithj}|{USERNAME:JS12}|"
        "{EMAIL:info@clinic.org}|{USERNAME:johnsmith}|{EMAIL:j.smith@gmail.com}|{USERNAME:smith_J}"
    )
    name, short, dotted, reverse, initials, other, joined, letter, behind = text.split("|")
    given, family = (fold(word) for word in name.split())
    assert short.split("@")[0] == given[0] + family
    assert dotted == f"{given}.{family}@example.com"
    assert reverse == family + given[0]
    assert re.fullmatch(rf"{(given[0] + family[0]).upper()}\d\d", initials) and initials != "JS12"
    assert other.split("@")[0] != "info" and other.split("@")[1].startswith("example.")
    assert joined == given + family
    assert letter == f"{given[0]}.{family}@example.com"
    assert behind == f"{family}_{given[0].upper()}"


def test_the_initial_of_a_name_with_two_family_names_goes_too():
    (text,) = masked("{DOCTOR:Iker Montoro Iza}|{EMAIL:imontoro@clinica.org}|{USERNAME:izai}")
    name, mail, user = text.split("|")
    given, first, second = (fold(word) for word in name.split())
    assert mail.split("@")[0] == given[0] + first
    assert user == second + given[0]


def test_digits_inside_a_name_do_not_survive():
    assert "4711" not in one("PATIENT", "John Smith 4711 22")


def test_three_initials_agree_with_a_middle_name_or_two_family_names():
    (text,) = masked(
        "{DOCTOR:María García-López}|{DOCTOR:MGL}|{PATIENT:John Adam Smith}|{PATIENT:J.A.S.}|{USERNAME:jas12}"
    )
    doctor, doctor_letters, patient, patient_letters, user = text.split("|")
    assert doctor_letters == "".join(word[0] for word in re.split(r"[ -]", doctor))
    wanted = [word[0] for word in patient.split()]
    assert patient_letters == ".".join(wanted) + "." and user[:3] == "".join(wanted).lower()
