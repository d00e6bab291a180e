"""What the rules for Spanish notes find, and what they leave alone."""

from __future__ import annotations

import time

import pytest

from deidlab import languages
from deidlab.rules import Rule

Found = list[tuple[str, str]]


def found_by(rule: str, text: str) -> Found:
    spans = {each.name: each for each in languages.find("es").rules}[rule].find(text)
    found = {(span.start, span.end, span.label) for span in spans}
    return [(text[start:end], label) for start, end, label in sorted(found)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Su marido, Antonio, es albañil.", ["Antonio"]),
        ("Vive con su hija María del Carmen.", ["María del Carmen"]),
        ("Acude con su hermano (Juan).", ["Juan"]),
        ("Su pareja, llamada Lola, lo confirma.", ["Lola"]),
        ("La madre refiere fiebre.", []),
        ("Padre Diabetes tipo 2.", []),
        ("Hermana Enfermedad de Crohn.", []),
        ("su hijo de 3 años", []),
    ],
)
def test_names_after_a_word_for_a_relative(text: str, names: list[str]) -> None:
    assert [name for name, _ in found_by("kin", text)] == names


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Interconsulta (Dr. P. Iglesias).", ("P. Iglesias", "DOCTOR")),
        ("Valorada por la Dra. Zubizarreta ayer", ("Zubizarreta", "DOCTOR")),
        ("visto por dr. sanz en consulta", ("sanz", "DOCTOR")),
        ("DRA. LÓPEZ", ("LÓPEZ", "DOCTOR")),
        ("La Sra. Quispe refiere", ("Quispe", "PATIENT")),
        ("D. Manuel acude", ("Manuel", "PATIENT")),
        ("Paciente: GARCÍA PRIETO, MARÍA DOLORES", ("GARCÍA PRIETO, MARÍA DOLORES", "PATIENT")),
        ("Nombre: Aitor Goikoetxea Ruiz\nEdad: 4", ("Aitor Goikoetxea Ruiz", "PATIENT")),
        ("Fdo.: Dra. Nerea Ibarra Servicio de Urgencias", ("Nerea Ibarra", "DOCTOR")),
        ("Atentamente,\n\nLaura Méndez", ("Laura Méndez", "DOCTOR")),
        ("Psicóloga: Marta Oliver", ("Marta Oliver", "DOCTOR")),
    ],
)
def test_names_that_a_title_or_a_label_gives_away(text: str, wanted: tuple[str, str]) -> None:
    assert wanted in found_by("names", text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ana acude puntual.", ["Ana"]),
        ("Refiere que Rosa García la acompaña", ["Rosa García"]),
        ("según cuenta Iker Barrutia de la Torre hoy", ["Iker Barrutia de la Torre"]),
        ("INGRESA CARMEN RUIZ LÓPEZ POR DISNEA", ["CARMEN RUIZ LÓPEZ"]),
        ("hoy viene sola. la trae su vecina, javier no puede", ["javier"]),
    ],
)
def test_listed_names(text: str, names: list[str]) -> None:
    assert [name for name, _ in found_by("listed-names", text)] == names


@pytest.mark.parametrize(
    "text",
    [
        "Dolores óseos. Rosa de Bengala negativo. Candida albicans.",
        "ANA, ANCA y ELISA negativos. PIO 14 mmHg. EVA 8/10.",
        "Síndrome de Tolosa-Hunt, signo de Allen, prueba de Wilson",
        "Paciente: Mujer de 38 años. Informe clínico del paciente: Niña de 4 años.",
        "vitamina D de 19 ng/ml; valorado por su pediatra de zona",
        "Médico: no consta. Enfermería: constantes estables.",
        "Durante el ingreso. Ante estos hallazgos. Pero una masa. Diez meses después.",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert found_by("names", text) == found_by("listed-names", text) == []


@pytest.mark.parametrize(
    ("rule", "text", "wanted"),
    [
        ("ages", "Viene sola. 37 años, profesora", [("37 años", "AGE")]),
        ("ages", "Pte masc 63a, hijo de 4 meses (8a)", [("63", "AGE"), ("4 meses", "AGE"), ("8", "AGE")]),
        ("ages", "lumbalgia de 3 semanas, a las 10:00 a.m., costillas 3a y 4a, 15 mg/kg (2 meses)", []),
        (
            "dates",
            "el viernes 12, el 22 del presente, 12 SET 2020",
            [("viernes 12", "DATE"), ("22 del presente", "DATE"), ("12 SET 2020", "DATE")],
        ),
        ("kin", "a su cuñado Moncho le sentó mal", [("Moncho", "PATIENT")]),
        ("names", "B. Outeiral, médico de familia", [("B. Outeiral", "DOCTOR")]),
        ("names", "según la técnica de Brooke; 248 U/L. Perfil férrico", []),
        ("listed-places", "natural de Beni Mellal", [("Beni Mellal", "LOCATION-OTHER")]),
        ("professions", "Ocupación: perforista\nIdioma", [("perforista", "PROFESSION")]),
        ("ids", "NHC: 482213", [("482213", "MEDICALRECORD")]),
        ("ids", "RUT 12.345.678-9", [("12.345.678-9", "IDNUM")]),
        ("ids", "Col. 28/45678", [("28/45678", "LICENSE")]),
        ("ids", "CIP: GRPR 480512 9001", [("GRPR 480512 9001", "HEALTHPLAN")]),
        ("ids", "Nº de serie: PM-88213-X", [("PM-88213-X", "DEVICE")]),
        ("ids", "DNI 48213377K.", [("48213377K", "IDNUM")]),
        ("ids", "cc 500 ml; ci 3; col 12; muestra de 30; hc normal 2021", []),
        ("ids", "biopsia 12/05/2020", []),
        ("organisations", "en CS Zaidín.", [("CS Zaidín", "HOSPITAL")]),
        ("organisations", "el hospital de Getafe", [("de Getafe", "HOSPITAL")]),
        ("organisations", "Hospital 12 de Octubre", [("Hospital 12 de Octubre", "HOSPITAL")]),
        ("organisations", "del IES Ramón y Cajal", [("IES Ramón y Cajal", "ORGANIZATION")]),
        ("organisations", "Hospital de Día. Centro de Salud Mental. Clínica. Posteriormente mejora", []),
        ("organisations", "asociación de ETNB, grupo Herpes", []),
        ("listed-places", "vuelve de Alemania a Medellin", [("Alemania", "COUNTRY"), ("Medellin", "CITY")]),
        ("listed-places", "fiebre de Malta; Puño percusión; en lima", []),
        (
            "professions",
            "35 años, camarero. Trabaja como costurera",
            [("camarero", "PROFESSION"), ("costurera", "PROFESSION")],
        ),
        ("professions", "lo deriva el médico; pide al conductor", []),
        ("dates", "Sat O2 91%; pierna (EID)", []),
        ("dates", "el martes y en Navidad", [("martes", "DATE"), ("Navidad", "DATE")]),
    ],
)
def test_numbers_houses_places_work_and_days(rule: str, text: str, wanted: Found) -> None:
    assert found_by(rule, text) == wanted


@pytest.mark.parametrize(
    "piece", ["Dr. ", "Ana-", "NHC: 1-", "Hospital de la ", "A ", "DE LA ", "(8 ", "su hija, "]
)
def test_hostile_text_is_read_in_time(piece: str) -> None:
    """Ten times the text takes about ten times as long; a quadratic rule breaks the bound by far."""
    for rule in languages.find("es").rules:
        short, long = (best_time(rule, piece * n) for n in (500, 5000))
        assert long < 40 * short + 0.05, rule.name


def best_time(rule: Rule, text: str) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        rule.find(text)
        times.append(time.process_time() - began)
    return min(times)
