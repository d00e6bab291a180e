"""Each note tells its language, and a detector and a masker that serve several follow it note by note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from deidlab import languages
from deidlab.corpus import read_corpus
from deidlab.detect import DetectorSettings, load_detector
from deidlab.detect.detector import make_detector
from deidlab.languages import in_note
from deidlab.make.spoken import make_spoken_notes
from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.types import Document, Span

ALL = "en+es+fr"
KEY = bytes(range(32))
DATA = Path(__file__).parents[2] / "data"
ENGLISH = "The patient was seen on 3/4/2064 by Dr. Harlan Voss and denies any chest pain since his discharge."
SPANISH = "La paciente Lucía Barrachina fue vista el 3/4/2064 y refiere dolor desde hace dos semanas."
FRENCH = "La patiente Zoé Marchand a été vue le 3/4/2064 et se plaint de douleurs depuis deux semaines."
WORDLESS = "BARRACHINA LUCIA 03/04/2064 K+ 4.1 Na+ 139"


class SeesNothing:
    """A model for all languages that finds nothing at all."""

    tags = ("O", "B-PATIENT", "I-PATIENT")
    language = ALL
    own_threshold = None

    def predict(
        self, documents: Sequence[Document]
    ) -> list[tuple[tuple[Span, ...], list[tuple[int, int, float]]]]:
        return [((), []) for _ in documents]


@pytest.mark.parametrize(("text", "code"), [(ENGLISH, "en"), (SPANISH, "es"), (FRENCH, "fr")])
def test_a_note_tells_its_language_with_or_without_accents_and_capitals(text: str, code: str) -> None:
    plain = text.translate(str.maketrans("áéíóúñàèêçÉ", "aeiounaeecE"))
    for each in (text, plain, text.upper()):
        assert in_note(ALL, each).code == code


def test_hand_written_notes_are_told_right() -> None:
    for folder, code in (("notes-en", "en"), ("notes-es-fresh", "es")):
        assert {in_note(ALL, note.text).code for note in read_corpus(DATA / folder, "inline")} == {code}


# Messages, tables and telegrams of Spanish wards hold few words: those may be in any language.
@pytest.mark.parametrize(("code", "alone"), [("es", 0.85), ("fr", 0.9)])
def test_no_made_note_is_told_wrong(code: str, alone: float) -> None:
    notes = languages.find(code).notes
    assert notes is not None
    told = [in_note(ALL, note.text).code.split("+") for note in make_spoken_notes(code, notes(), 400, 3, 0)]
    assert sum(each == [code] for each in told) >= alone * len(told)
    assert sum(code not in each for each in told) <= 0.005 * len(told)


def test_a_note_that_tells_nothing_may_be_in_any() -> None:
    for codes in permutations(("en", "es", "fr")):
        assert set(in_note("+".join(codes), WORDLESS).code.split("+")) == set(codes)
    assert in_note(ALL, "").code == ALL


def test_one_language_is_never_asked() -> None:
    assert in_note("es", ENGLISH) is languages.find("es")
    assert in_note("", SPANISH) is languages.find("en")


def test_several_together_have_the_rules_of_all_once() -> None:
    together = languages.of(ALL)
    assert set(together.rules) == {rule for code in ALL.split("+") for rule in languages.find(code).rules}
    assert len(set(together.rules)) == len(together.rules)
    assert not together.model_first and together.rules_need_backing
    assert languages.of("es+es") is languages.find("es")


def test_each_note_is_found_with_the_rules_of_its_own_language() -> None:
    notes = [Document(f"n{place}", "", text) for place, text in enumerate((ENGLISH, SPANISH, FRENCH))]
    several = load_detector(None, DetectorSettings("only", language=ALL))
    found = several.detect(notes)
    for note, code, own in zip(notes, ("en", "es", "fr"), found, strict=True):
        assert own == load_detector(None, DetectorSettings("only", language=code)).detect([note])[0]
    # Nor does its company change what is found.
    assert several.detect(notes[::-1]) == found[::-1]


def test_a_doubtful_note_gets_the_rules_of_several() -> None:
    detector = load_detector(None, DetectorSettings("only", language=ALL))
    assert detector.for_note(WORDLESS).language == in_note(ALL, WORDLESS).code
    assert set(detector.for_note(WORDLESS).rules) == set(languages.of(ALL).rules)


def test_rules_stay_off_and_switched_off_rules_do_too() -> None:
    silent = make_detector(SeesNothing(), DetectorSettings("off"))
    assert [silent.for_note(text).rules for text in (ENGLISH, SPANISH, WORDLESS)] == [(), (), ()]
    detector = make_detector(SeesNothing(), DetectorSettings(without_rules=("dates",)))
    for text in (ENGLISH, SPANISH, FRENCH, WORDLESS):
        assert detector.for_note(text).rules
        assert "dates" not in {rule.name for rule in detector.for_note(text).rules}


def test_backing_and_yielding_are_those_of_the_note_s_language() -> None:
    detector = make_detector(SeesNothing())
    told = {
        code: detector.for_note(text) for code, text in (("en", ENGLISH), ("es", SPANISH), ("fr", FRENCH))
    }
    assert [each.language for each in told.values()] == ["en", "es", "fr"]
    assert [bool(each.backing) for each in told.values()] == [True, False, False]
    assert [each.model_first for each in told.values()] == [False, True, False]


def test_a_named_language_goes_before_the_text() -> None:
    assert make_detector(SeesNothing(), DetectorSettings(language="es")).for_note(ENGLISH).language == "es"


def marked(text: str, name: str, patient: str = "", id: str = "n") -> Document:
    starts = [(text.index(name), len(name), "PATIENT"), (text.index("3/4/2064"), 8, "DATE")]
    return Document(id, patient or id, text, tuple(Span(at, at + size, label) for at, size, label in starts))


NOTES = (
    marked(ENGLISH, "Harlan Voss", id="a"),
    marked(SPANISH, "Lucía Barrachina", id="b"),
    marked(FRENCH, "Zoé Marchand", id="c"),
)


def test_masking_follows_the_note_s_language() -> None:
    settings = MaskSettings(load_policy("i2b2"), "surrogate", KEY, language=ALL)
    for note, code in zip(NOTES, ("en", "es", "fr"), strict=True):
        day_first = languages.find(code).day_first
        alone = replace(settings, language=code, day_first=day_first)
        assert mask_notes([note], settings)[0].text == mask_notes([note], alone)[0].text
    whole = mask_notes(NOTES, settings)
    assert [each.text for each in whole] == [mask_notes([note], settings)[0].text for note in NOTES]


def test_a_patient_with_notes_in_two_languages_stays_one_person() -> None:
    settings = MaskSettings(load_policy("i2b2"), "surrogate", KEY, language=ALL)
    first = marked(SPANISH, "Lucía Barrachina", "p", "a")
    second = marked(ENGLISH.replace("Dr. Harlan Voss", "Lucía Barrachina"), "Lucía Barrachina", "p", "b")
    masked = mask_notes([first, second], settings)
    names = [next(new for span, new in each.replacements if span.label == "PATIENT") for each in masked]
    assert names[0] == names[1] != "Lucía Barrachina"
    # The note in English reads the month first, the Spanish one the day.
    dates = [next(new for span, new in each.replacements if span.label == "DATE") for each in masked]
    assert dates[0] != dates[1]
    assert [each.text for each in mask_notes([second, first], settings)] == [
        each.text for each in masked[::-1]
    ]
