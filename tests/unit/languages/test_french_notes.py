"""Made French notes: elisions, numbers with check digits, and notes that can be made at all."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import pytest
from stdnum import luhn
from stdnum.be import nn
from stdnum.ch import ssn, uid
from stdnum.fr import nir, siret

from deidlab.banks import origins
from deidlab.labels import load_label_set
from deidlab.languages.fr.made.joins import HELD, join
from deidlab.languages.fr.notes import SLOTS, made_notes
from deidlab.make.cast import Cast
from deidlab.make.pen import Pen
from deidlab.make.population import make_world
from deidlab.make.skeletons import count_skeletons
from deidlab.make.spoken import make_spoken_notes


def joined(*parts: tuple[str, str]) -> str:
    return "".join(text for text, _ in join(list(parts)))


@pytest.mark.parametrize(
    ("before", "text", "label", "expected"),
    [
        ("la fille de ", "Anne", "PATIENT", "la fille d'Anne"),
        ("la fille de ", "Paul", "PATIENT", "la fille de Paul"),
        ("la fille de ", "Yves", "PATIENT", "la fille d'Yves"),
        ("la fille de ", "Yasmine", "PATIENT", "la fille de Yasmine"),
        ("la fille de ", "Hélène", "PATIENT", "la fille d'Hélène"),
        ("la fille de ", "Hassan", "PATIENT", "la fille de Hassan"),
        ("LA FILLE DE ", "ÉMILE", "PATIENT", "LA FILLE D'ÉMILE"),
        ("dit que ", "Omar", "PATIENT", "dit qu'Omar"),
        ("lorsque ", "Inès", "PATIENT", "lorsqu'Inès"),
        ("depuis le ", "été 2019", "DATE", "depuis l'été 2019"),
        ("depuis le ", "onze mai", "DATE", "depuis le onze mai"),
        ("depuis le ", "huit mai", "DATE", "depuis le huit mai"),
        ("fin de ", "août", "DATE", "fin d'août"),
        ("vit à ", "Le Havre", "CITY", "vit au Havre"),
        ("vient de ", "Les Abymes", "CITY", "vient des Abymes"),
        ("la sœur de ", f"Le{HELD}Goff", "PATIENT", "la sœur de Le Goff"),
        ("né en ", "Maroc", "COUNTRY", "né au Maroc"),
        ("né en ", "France", "COUNTRY", "né en France"),
        ("venu de ", "Comores", "COUNTRY", "venu des Comores"),
        ("venu de ", "Algérie", "COUNTRY", "venu d'Algérie"),
        ("venu de ", "Haïti", "COUNTRY", "venu de Haïti"),
        ("suivi au ", "CHU de Arles", "HOSPITAL", "suivi au CHU d'Arles"),
        ("suivi au ", "Clinique du Parc", "HOSPITAL", "suivi à la Clinique du Parc"),
        ("suivi à la ", "Hôpital de Le Mans", "HOSPITAL", "suivi à l'Hôpital du Mans"),
        ("Le ", "Mairie de Huy", "ORGANIZATION", "La Mairie de Huy"),
        ("suivi au ", "Cliniques du Sud", "HOSPITAL", "suivi aux Cliniques du Sud"),
        ("le chef du ", "Pompiers de Huy", "ORGANIZATION", "le chef des Pompiers de Huy"),
        ("rentre au ", "La Roseraie", "HOSPITAL", "rentre à La Roseraie"),
        ("Le ", "La Roseraie", "HOSPITAL", "La Roseraie"),
        ("la facture du ", "Chez Lulu", "ORGANIZATION", "la facture de Chez Lulu"),
        ("SUIVI AU ", "CH DE LE HAVRE", "HOSPITAL", "SUIVI AU CH DU HAVRE"),
        ("avocat : Me ", "Alexandre", "PATIENT", "avocat : Me Alexandre"),
        ("prend de ", "aspirine", "", "prend d'aspirine"),
        ("grade ", "Anne", "PATIENT", "grade Anne"),
    ],
)
def test_words_meet_as_in_french(before: str, text: str, label: str, expected: str) -> None:
    assert joined((before, ""), (text, label)) == expected


def test_joining_keeps_marked_text_marked() -> None:
    parts = join([("vu de ", ""), ("", ""), ("Anne", "PATIENT"), (" à ", ""), ("Le Mans", "CITY"), (".", "")])

    assert parts == [("vu d'", ""), ("Anne", "PATIENT"), (" au ", ""), ("Mans", "CITY"), (".", "")]


def written(slot: str, country: str, key: str) -> tuple[str, Pen]:
    made = made_notes()
    world = make_world(replace(made.population, origins={"": {"french": 1}}))
    pen = Pen(random.Random(key), Cast(key, world, country))
    return pen.aside(SLOTS[slot]), pen


def figures(number: str) -> str:
    return "".join(sign for sign in number if sign.isalnum())


@pytest.mark.parametrize("key", [str(n) for n in range(25)])
def test_check_digits(key: str) -> None:
    number, pen = written("chk.nir", "FR", key)
    if len(figures(number)) == 15:
        assert nir.is_valid(figures(number))
    assert number[0] == ("1" if pen.cast.sex == "m" else "2")
    assert figures(number)[1:5] == f"{pen.cast.born:%y%m}"
    assert nn.is_valid(figures(written("chk.niss", "BE", key)[0])) or pen.cast.born > date.today()
    assert ssn.is_valid(written("chk.avs", "CH", key)[0])
    assert uid.is_valid(written("chk.ide", "CH", key)[0])
    assert siret.is_valid(figures(written("chk.siret", "FR", key)[0]))
    assert luhn.is_valid(written("chk.rpps", "FR", key)[0])
    assert luhn.is_valid(figures(written("chk.nas", "CA", key)[0]))


def test_the_number_of_the_ramq_tells_names_sex_and_birth() -> None:
    number, pen = written("chk.nam", "CA", "one")
    month = pen.cast.born.month + (50 if pen.cast.sex == "f" else 0)

    assert len(figures(number)) == 12
    assert figures(number)[4:8] == f"{pen.cast.born:%y}{month:02d}"


def test_the_first_of_a_month_is_an_ordinal() -> None:
    pen = written("jour", "FR", "day")[1]
    pen.cast.day = date(2024, 3, 1)
    assert pen.aside(SLOTS["jour"]) == "1er"
    pen.cast.day = date(2024, 3, 2)
    assert pen.aside(SLOTS["jour"]) == "2"


def test_everybody_has_a_name_and_a_town() -> None:
    population = made_notes().population
    towns = {row[0] for row in population.towns}
    for country in population.countries:
        assert country in towns
        for origin in population.origins[country]:
            listed = all((origin, kind) in population.names for kind in ("m", "f", "family"))
            assert listed or origin in (*origins(), "wide", "made", "caribbean", "westafrican")


def test_notes_are_made_with_few_repeated_sentences() -> None:
    made = made_notes()
    made = replace(made, whole_share=0.0, population=replace(made.population, origins={"": {"french": 1}}))
    notes = list(make_spoken_notes("fr", made, 600, seed=3))
    known = load_label_set(made.labels).labels
    counts = count_skeletons(notes)

    assert {span.label for note in notes for span in note.spans} <= set(known)
    assert counts.most_common(1)[0][1] < 0.006 * sum(counts.values())
    assert not any("<" + name in note.text for note in notes for name in ("pt.", "dt.", "doc", "id."))
