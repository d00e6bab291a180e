"""The grammar's language: choices, weights, capitals, escapes, and errors that name the rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from deidlab.errors import ConfigError
from deidlab.make.cast import Cast
from deidlab.make.grammar import Grammar
from deidlab.make.pen import Pen


def new_pen(seed: int = 1) -> Pen:
    return Pen(random.Random(seed), Cast("test"))


def write(lines: str, rule: str = "a", seed: int = 1) -> str:
    pen = new_pen(seed)
    Grammar(lines.splitlines(), {"name": lambda pen: pen.put("jones", "PATIENT")}).write(rule, pen)
    return "".join(text for text, _ in pen.parts)


def test_rules_and_slots() -> None:
    assert write("== a\nseen by <b>, <name>\n== b\nnobody") == "seen by nobody, jones"


def test_choices_nest_and_may_be_empty() -> None:
    seen = {write("== a\n{x|y{1|2}|}z", seed=seed) for seed in range(60)}
    assert seen == {"xz", "y1z", "y2z", "z"}


def test_weights() -> None:
    found = Counter(write("== a\n9* often\nseldom", seed=seed) for seed in range(400))
    assert 300 < found["often"] < 399


def test_capitals_and_articles() -> None:
    assert write("== a\n^<name> and <name^>") == "Jones and Jones"
    pen = new_pen()
    pen.begin_article()
    pen.put("engineer", "PROFESSION")
    assert pen.parts == [("an ", ""), ("engineer", "PROFESSION")]


def test_escapes() -> None:
    assert write("== a\n\\{a\\|b\\}\\^\\n\\<c>") == "{a|b}^\n<c>"


def test_empty_choices_leave_no_double_space() -> None:
    assert write("== a\nfor {|} pain {|}.") == "for pain."


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("== a\n<missing>", "no rule or slot is called missing"),
        ("== a\n{x|y", "not closed"),
        ("== a\nx}", "too many"),
        ("text", "before the first rule"),
    ],
)
def test_mistakes_are_named(lines: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Grammar(lines.splitlines(), {})
