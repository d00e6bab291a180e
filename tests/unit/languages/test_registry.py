"""Codes in, languages out; and what each says of itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deidlab import languages
from deidlab.errors import UnknownNameError
from deidlab.labels import language_of_label, load_label_set
from deidlab.types import Span

CODES = pytest.mark.parametrize("code", languages.SHIPPED)


def test_an_unknown_code_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="en, es"):
        languages.find("xx")


@pytest.mark.parametrize("code", ["", "xx"])
def test_a_model_of_no_known_language_speaks_the_first(code: str) -> None:
    assert languages.of(code) is languages.find(languages.FIRST)


@CODES
def test_rules_have_names_of_their_own_and_say_what_they_find(code: str) -> None:
    rules = languages.find(code).rules
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.about and len(rule.about) < 70
        spans = rule.find("Ana Ruiz, ana@ruiz.example, 12/03/2064, 45 years, C/ Mayor 3, 28013 Madrid")
        assert all(isinstance(span, Span) and span.source.startswith("rules:") for span in spans)


@CODES
def test_a_calendar_is_whole(code: str) -> None:
    calendar = languages.find(code).calendar
    assert (len(calendar.months), len(calendar.short_months), len(calendar.seasons)) == (12, 12, 4)
    assert {feast.lower() for feast in calendar.feasts} <= set(calendar.holidays)


def test_a_label_scheme_may_tell_the_language_of_its_notes() -> None:
    scheme = load_label_set("meddocan")
    telling = {label for label in scheme.labels if language_of_label(label)}
    assert {language_of_label(label) for label in telling} == {scheme.language} == {"es"}
    # Shared with other schemes, or written alike anywhere: these tell nothing.
    assert not telling & {"HOSPITAL", "FECHAS", "NUMERO_TELEFONO"}
    assert language_of_label("PATIENT") == language_of_label("no label") == ""


def test_the_command_line_starts_without_any_language() -> None:
    lean = (
        "import sys; from deidlab.cli.app import run; run(['--version']);"
        "print([name for name in sys.modules if name.startswith(('deidlab.rules', 'deidlab.languages.'))])"
    )
    done = subprocess.run([sys.executable, "-c", lean], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr[-300:]
