"""DeidLab in a few lines of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.easy import load
from deidlab.errors import CorpusError, ModelError
from deidlab.types import Document
from tests.unit.pipeline.notes import write_key


def test_a_few_lines_mask_a_text() -> None:
    masked = load(rules="only").mask("Seen on 3/14/2071, mail ilse@example.org. BP 120/80.")
    assert masked.text == "Seen on [DATE-1], mail [EMAIL-1]. BP 120/80."
    assert "ilse" not in repr(masked)


def test_a_key_file_makes_it_repeatable_and_a_patient_s_notes_agree(tmp_path: Path) -> None:
    key = write_key(tmp_path)
    notes = [Document("a", "p", "Seen on 3/14/2071."), Document("b", "p", "Seen on 3/21/2071.")]
    first, second = (load(rules="only", key_file=key).mask_all(notes, "surrogate") for _ in range(2))
    assert [one.text for one in first] == [two.text for two in second]
    assert "2071" not in first[0].text or "3/14" not in first[0].text


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        load("nowhere")
    with pytest.raises(CorpusError, match="same id"):
        load(rules="only").mask_all([Document("a"), Document("a")])


def test_spans_alone() -> None:
    assert [span.label for span in load(rules="only").detect("Seen on 3/14/2071.")] == ["DATE"]


def test_texts_of_unknown_patients_have_date_shifts_of_their_own(tmp_path: Path) -> None:
    tool = load(None, rules="only", key_file=write_key(tmp_path))
    dates = {tool.mask("Seen on 3/14/2071.", "surrogate").text for _ in range(12)}
    assert len(dates) > 8


def test_a_patient_that_is_named_has_one_date_shift(tmp_path: Path) -> None:
    tool = load(None, rules="only", key_file=write_key(tmp_path))
    first, second = (
        tool.mask(f"Seen on 3/14/2071{end}", "surrogate", patient="p").text.split()[2].strip(".,")
        for end in (".", ", again.")
    )
    assert first == second
