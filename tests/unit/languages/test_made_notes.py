"""Notes made in a language of its own folder: whole spans, valid numbers, no wear, nothing typed in."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from stdnum.cl import rut
from stdnum.es import dni
from stdnum.mx import curp

from deidlab import languages
from deidlab.make.cast import Cast
from deidlab.make.pen import Pen
from deidlab.make.population import make_world
from deidlab.make.skeletons import count_skeletons
from deidlab.make.spoken import make_spoken_notes, write_all_whole
from deidlab.make.whole import SLOT
from deidlab.types import Document

CODES = tuple(code for code in languages.known() if languages.find(code).notes is not None)
N_WHOLE = {"es": 725, "fr": 609}
LABELS = {
    "PATIENT", "DOCTOR", "USERNAME", "PROFESSION", "HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY",
    "ZIP", "ROOM", "LOCATION-OTHER", "AGE", "DATE", "PHONE", "FAX", "EMAIL", "URL", "IPADDR", "SSN", "MEDICALRECORD",
    "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM", "SEX", "KIN",
}  # fmt: skip


def made(code: str, n: int, seed: int = 5) -> list[Document]:
    notes = languages.find(code).notes
    assert notes is not None
    return list(make_spoken_notes(code, notes(), n, seed))


@pytest.mark.parametrize("code", CODES)
def test_notes_have_whole_spans_of_every_label(code: str) -> None:
    documents = made(code, 1200)
    found = Counter(span.label for document in documents for span in document.spans)
    assert set(found) == LABELS
    for document in documents:
        assert document.text.strip()
        assert not re.search(r"<[a-z][\w.]*>|\{|\}", document.text) or document.meta["kind"] == "whole"
        for span in document.spans:
            text = document.text[span.start : span.end]
            assert text == text.strip() and text


@pytest.mark.parametrize("code", CODES)
def test_the_same_seed_makes_the_same_notes(code: str) -> None:
    assert made(code, 20, 7) == made(code, 20, 7)
    assert made(code, 20, 7) != made(code, 20, 8)


@pytest.mark.parametrize("code", CODES)
def test_no_sentence_wears_out(code: str) -> None:
    counts = count_skeletons(made(code, 3000))
    skeleton, most = counts.most_common(1)[0]
    assert most < 0.005 * sum(counts.values()), skeleton


@pytest.mark.parametrize("code", CODES)
def test_every_whole_note_can_be_written(code: str) -> None:
    notes = languages.find(code).notes
    assert notes is not None
    written = write_all_whole(code, notes())
    assert len(written) >= N_WHOLE[code]
    assert all(document.spans for document in written)


@pytest.mark.parametrize("code", CODES)
def test_no_date_is_typed_into_a_whole_note(code: str) -> None:
    language = languages.find(code)
    assert language.notes is not None
    typed = SLOT.sub("", language.notes().whole)
    months = "|".join(name for name in language.calendar.months if name not in ("mayo", "mars", "mai"))
    assert not re.search(rf"\b\d{{1,2}} (?:de )?(?:{months})\b", typed)
    assert not re.search(r"\b\d{1,2}/\d{1,2}/(?:19|20)?\d\d\b", typed)


def test_numbers_have_their_check_digits() -> None:
    from deidlab.languages.es import notes

    population = notes.made_notes().population
    checks = {"chk.dni": ("ES", dni), "chk.rut": ("CL", rut), "chk.curp": ("MX", curp)}
    for seed in range(40):
        for slot, (country, module) in checks.items():
            pen = Pen(random.Random(seed), Cast(f"{seed}", make_world(population), country))
            notes.SLOTS[slot](pen)
            ((text, _),) = pen.parts
            # A CURP's century and day are checked against each other: made notes may play in 2090.
            assert (module is curp and text[-1] == curp.calc_check_digit(text[:-1])) or module.is_valid(
                text.replace(".", "")
            ), slot
