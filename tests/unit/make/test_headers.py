"""The first line of a rule: a label, whom and what it is about, shapes, and what is the patient's own."""

from __future__ import annotations

import random

import pytest

from deidlab.errors import ConfigError
from deidlab.languages.calendar import Calendar
from deidlab.languages.language import Population
from deidlab.make.cast import Cast
from deidlab.make.grammar import Grammar
from deidlab.make.pen import Part, Pen
from deidlab.make.population import make_world
from deidlab.make.scene import scene_slots

POPULATION = Population(
    countries={"XX": 1, "YY": 1},
    origins={"": {"hispanic": 1}},
    towns=(("XX", "Norte", "N", "Villa", "12###", "91"), ("YY", "Sur", "S", "Puebla", "#@", "")),
    two_families={"": 1.0},
)


def write(lines: str, rule: str = "a", seed: int = 1, country: str = "XX") -> list[Part]:
    world = make_world(POPULATION)
    calendar = Calendar(months=tuple("abcdefghijkl"), weekdays=tuple("ABCDEFG"))
    pen = Pen(random.Random(seed), Cast(f"test {seed}", world, country))
    Grammar(lines.splitlines(), scene_slots(calendar, world)).write(rule, pen)
    return pen.parts


def test_all_that_a_labelled_rule_writes_is_one_span() -> None:
    assert write("== a = HOSPITAL\nCasa {de} <b>\n== b\nsalud") == [("Casa de salud", "HOSPITAL")]


def test_ways_are_for_countries_and_sexes() -> None:
    rules = "== a\n@XX equis\n@YY ye\n== o of kin.f\n@m o\n@f a"
    assert write(rules)[0][0] == "equis"
    assert write(rules, country="YY")[0][0] == "ye"
    assert write(rules, "o") == [("a", "")]


def test_a_rule_that_is_for_nobody_here_says_so() -> None:
    with pytest.raises(ConfigError, match="rule a: no way is for"):
        write("== a\n@YY ye")


def test_names_days_and_towns_are_those_of_the_scene() -> None:
    rules = "== a = PATIENT of patient\n<given> <family>\n== b on born\n<y>\n== c at home\n<town> <postcode> <region>"
    cast = Cast("test 1", make_world(POPULATION), "XX")
    assert write(rules) == [(cast.patient.full(), "PATIENT")]
    assert write(rules, "b") == [(str(cast.born.year), "")]
    text = "".join(text for text, _ in write(rules, "c"))
    assert text.startswith("Villa 12") and text.endswith("Norte")


def test_days_from_the_notes_own() -> None:
    cast = Cast("test 1", make_world(POPULATION), "XX")
    (year, _), *_ = write("== a on -800..-400\n<y>")
    assert cast.day.year - 3 <= int(year) < cast.day.year + 1


def test_shapes_may_begin_with_a_digit_and_comments_have_a_space() -> None:
    for seed in range(8):
        ((text, label),) = write("== a = IDNUM shaped\n##-@@\n# a comment", seed=seed)
        assert label == "IDNUM" and len(text) == 5 and text[:2].isdigit() and text[3:].isalpha()


def test_what_is_own_is_written_once() -> None:
    parts = write("== a\n<b> <b>\n== b own shaped\n########")
    first, _, second = (text for text, _ in parts)
    assert first == second


def test_the_first_of_two_family_names_keeps_its_particle() -> None:
    from deidlab.make.names import first_family

    assert [first_family(name) for name in ("de la Cruz Peña", "Peña Nieto", "Peña", "de")] == [
        "de la Cruz",
        "Peña",
        "Peña",
        "de",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("== a of", "of means nothing"),
        ("== a wrong", "wrong means nothing"),
        ("== a of nobody", "nobody is in the role"),
        ("== a on monday", "monday is no day"),
    ],
)
def test_a_wrong_first_line_is_named(line: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        write(f"{line}\nx")
