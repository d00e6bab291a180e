"""Numbers of many countries, made by code and announced in words: each must be found whole; a wrong digit is not."""

from __future__ import annotations

import pytest

from deidlab import languages
from deidlab.detect import DetectorSettings, load_detector
from deidlab.rules import announced
from deidlab.types import Document
from tests.unit.rules.valid_numbers import ACCOUNTS, SHAPES, accounts, numbers

EACH = 9
SENTENCES = {
    "en": ("{cue}: {number}", "Her {cue} is {number}, seen today.", "{cue} number {number}; lives alone."),
    "es": ("{cue}: {number}", "Paciente con {cue} {number}, refiere dolor.", "{cue} n.º {number}."),
    "fr": ("{cue} : {number}", "Patient ({cue} {number}) vu ce jour.", "{cue} n° {number}."),
}


def cue_of(module: str) -> str:
    cues = next(cues for modules, _, cues in announced._kinds() if module in modules)
    return cues[0]


def is_whole(text: str, number: str, language: str) -> bool:
    [found] = load_detector(None, DetectorSettings("only", language=language)).detect(
        [Document(id="n", text=text)]
    )
    hidden = {place for span in found.spans for place in range(span.start, span.end)}
    begin = text.index(number)
    return all(begin + i in hidden for i, char in enumerate(number) if char.isalnum())


@pytest.mark.parametrize("language", languages.SHIPPED)
@pytest.mark.parametrize("module", SHAPES)
def test_an_announced_number_is_found_whole(module: str, language: str) -> None:
    made = numbers(module, EACH)
    assert len(made) == EACH
    cue = cue_of(module)
    for index, number in enumerate(made):
        text = SENTENCES[language][index % 3].format(cue=cue.upper(), number=number)
        assert is_whole(text, number, language), text


def test_there_are_enough() -> None:
    assert len(SHAPES) * EACH >= 500


@pytest.mark.parametrize("language", languages.SHIPPED)
@pytest.mark.parametrize("country", ACCOUNTS)
def test_an_account_number_is_found_whole_with_and_without_a_word(country: str, language: str) -> None:
    for number in accounts(country, 3):
        grouped = " ".join(number[i : i + 4] for i in range(0, len(number), 4))
        for text in (f"IBAN {grouped}.", f"Transfer {number} failed", f"to {grouped}, please"):
            assert is_whole(text, grouped if grouped in text else number, language), text


@pytest.mark.parametrize("number", ["ES77 1234-1234-16 1234567890", "ME 2551 0000 0000 0623 4133"])
def test_an_account_number_may_be_grouped_in_any_way(number: str) -> None:
    assert is_whole(f"Refund to {number} PENDING", number, "en")
    wrong = number.replace("1234", "1243").replace("0623", "0632")
    assert not announced.find(f"Refund to {wrong} PENDING")


@pytest.mark.parametrize(
    "cue", ["national ID", "Identity number", "cédula de identidad", "identifiant national"]
)
def test_a_general_word_announces_any_country(cue: str) -> None:
    for module in ("pl.pesel", "tr.tckimlik", "za.idnr", "fi.hetu", "ee.ik"):
        for number in numbers(module, 3):
            assert is_whole(f"{cue}: {number}", number, "en")


@pytest.mark.parametrize("module", ["pl.pesel", "es.dni", "hr.oib", "nl.bsn", "it.codicefiscale"])
def test_a_wrong_check_digit_is_no_such_number(module: str) -> None:
    for number in numbers(module, 5):
        last = number[-1]
        wrong = number[:-1] + (chr(ord(last) + 1) if last not in "9Z" else chr(ord(last) - 1))
        assert announced.find(f"{cue_of(module)} {wrong}") == []


def test_nothing_is_announced_without_a_word() -> None:
    for module in ("pl.pesel", "hr.oib", "br.cpf"):
        for number in numbers(module, 3):
            assert announced.find(f"Creatinine {number}") == []


def test_what_follows_a_number_is_no_part_of_it() -> None:
    [number] = numbers("nl.bsn", 1)
    [span] = announced.find(f"BSN {number} 12 mg")
    assert (span.start, span.end) == (4, 4 + len(number))
