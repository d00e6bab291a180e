"""Patterns for patients: those that can take for ever are refused, all others find what they found."""

from __future__ import annotations

import time

import pytest

from deidlab.corpus.patients import compile_pattern, find_patient, longest_id
from deidlab.errors import ConfigError


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$", "(.*)*x", "((?:a*)+)", "(?:(ab|c))*", "^(?:a|aa)+(b)$", "(?:a?){30}(x)", "(?:[ab]+c?)+(x)",
        "(?:a{1,9}){1,9}(b)", "(?:a+?)+?(x)", "(?=(a+)+$)x", "(?:(?:a+))+(x)",
    ],
)  # fmt: skip
def test_a_repeat_inside_a_repeat_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="inside a repeat"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "not a regular expression"),
        ("(" * 5000, "not a regular expression"),
        ("a{99999999999999999999}(b)", "not a regular expression"),
        ("abc", "one group in brackets is expected, not 0"),
        ("(a)(b)", "one group in brackets is expected, not 2"),
        ("(.*).*.*.*.*x", "more than 4 repeats"),
    ],
)
def test_what_is_no_pattern_is_named(pattern: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "name", "patient"),
    [
        (r"^(\d+)-", "220-03", "220"),
        (r"^([^_]+)_", "p17_2065-03-04", "p17"),
        (r"^(?:old|new)_(p\d{2,4})_[a-z]+$", "new_p17_x", "p17"),
        (r"([A-Z]{2}(?:\d\d){3})", "x AB123456", "AB123456"),
        (r"^(\w+)/", "ward/note", "ward"),
        (r"(x*)", "abc", None),
        (r"(z)", "abc", None),
        (r"(a+)a*a*a*", "a" * 500, None),
        (r"^(a+)b", "a" * 5000 + "b", "a" * 5000),
    ],
)
def test_patients_are_found(pattern: str, name: str, patient: str | None) -> None:
    assert find_patient(compile_pattern(pattern), name) == patient


@pytest.mark.timeout(60)
def test_the_slowest_that_is_let_through_ends() -> None:
    started = time.monotonic()
    assert longest_id("(a*)a*a*a*b") == 137
    assert find_patient(compile_pattern("(a*)a*a*a*b"), "a" * 137) is None
    assert find_patient(compile_pattern("(a*)a*a*b"), "a" * longest_id("(a*)a*a*b")) is None
    assert time.monotonic() - started < 50
