"""Texts come back as they were handed in; what is no text is told by its row and kind, never by its value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deidlab.easy import Deidentifier, load
from deidlab.errors import CorpusError, DeidError
from deidlab.types import Document

SEEN = "Seen on 3/14/2071."
MASKED = "Seen on [DATE-1]."


@pytest.fixture(scope="module")
def tool() -> Deidentifier:
    return load(None, rules="only")


def test_a_text_a_list_and_a_tuple_come_back_as_such(tool: Deidentifier) -> None:
    assert tool.mask_all(SEEN) == MASKED
    assert tool.mask_all([SEEN, "Well."]) == [MASKED, "Well."]
    assert tool.mask_all((SEEN, "")) == (MASKED, "")
    assert tool.mask_all([]) == []


@pytest.mark.parametrize("dtype", ["string", "object", "str", "category"])
def test_a_column_of_pandas_keeps_index_name_and_what_is_missing(tool: Deidentifier, dtype: str) -> None:
    notes = pd.Series([SEEN, None, "Well."], index=[7, 3, 5], name="note", dtype=dtype)
    masked = tool.mask_all(notes)
    assert isinstance(masked, pd.Series)
    assert list(masked.index) == [7, 3, 5]
    assert masked.name == "note"
    assert (masked[7], masked[5]) == (MASKED, "Well.")
    assert masked.isna().tolist() == [False, True, False]
    assert dtype not in ("string", "str") or masked.dtype == notes.dtype


def test_a_column_of_polars_keeps_its_name_and_what_is_missing(tool: Deidentifier) -> None:
    masked = tool.mask_all(pl.Series("note", [SEEN, None, "Well."]))
    assert isinstance(masked, pl.Series)
    assert (masked.name, masked.dtype, masked.to_list()) == ("note", pl.String, [MASKED, None, "Well."])
    named = pl.DataFrame({"note": [SEEN]}).with_columns(pl.col("note").map_batches(tool.mask_all))
    assert named["note"].to_list() == [MASKED]


def test_in_a_list_none_and_nan_stay_as_they_are(tool: Deidentifier) -> None:
    masked = tool.mask_all([None, SEEN, math.nan, pd.NA])
    assert masked[0] is None
    assert masked[1] == MASKED
    assert math.isnan(masked[2])
    assert masked[3] is pd.NA


@pytest.mark.parametrize(
    "row", [12345678, 3.5, True, b"Ilse", date(2071, 3, 14), ["Ilse"], np.int64(12345678)]
)
def test_what_is_no_text_is_refused_by_its_row_and_kind(tool: Deidentifier, row: Any) -> None:
    with pytest.raises(CorpusError) as caught:
        tool.mask_all([SEEN, row])
    message = str(caught.value)
    assert message.startswith("row 1 (the first is 0) is a")
    assert type(row).__name__ in message
    assert "None where there is no note" in message
    for told in ("12345678", "3.5", "Ilse", "2071"):
        assert told not in message


def test_numbers_among_the_texts_of_a_column_are_refused_too(tool: Deidentifier) -> None:
    with pytest.raises(CorpusError, match=r"row 2 \(the first is 0\) is an int and not text"):
        tool.mask_all(pd.Series([SEEN, None, 4711], index=["a", "b", "c"]))
    with pytest.raises(CorpusError, match=r"row 0 .* is an int and not text"):
        tool.mask_all(pl.Series([1, 2]))


def _some_texts() -> Iterator[str]:
    yield SEEN


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (pd.DataFrame({"note": [SEEN]}), "a table has several columns"),
        (pl.DataFrame({"note": [SEEN]}), "a table has several columns"),
        (pl.LazyFrame({"note": [SEEN]}), "a table has several columns"),
        (np.array([SEEN]), "hand texts in as a list"),
        ({SEEN}, "hand texts in as a list"),
        (_some_texts(), "hand texts in as a list"),
        (None, "a NoneType was given"),
        (7, "an int was given"),
        ([SEEN, Document("a", text=SEEN)], "documents and texts in one list"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_no_column_is_refused(tool: Deidentifier, given: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        tool.mask_all(given)


def test_mask_takes_one_text(tool: Deidentifier) -> None:
    with pytest.raises(CorpusError, match="mask_all takes a list"):
        tool.mask([SEEN])  # type: ignore[arg-type]


@pytest.mark.parametrize("column", [list, pd.Series, pl.Series], ids=["list", "pandas", "polars"])
def test_the_notes_of_a_patient_agree_and_those_of_nobody_do_not(column: Any) -> None:
    tool = load(None, rules="only")
    notes = column([f"Seen on 3/14/2071, visit {visit}." for visit in "abcdefghijkl"])
    shifted = list(tool.mask_all(notes, "surrogate"))
    assert len({note.partition(",")[0] for note in shifted}) > 8
    of_one = list(tool.mask_all(notes, "surrogate", patients=column([4711] * 12)))
    assert len({note.partition(",")[0] for note in of_one}) == 1
    unnamed = list(tool.mask_all(notes, "surrogate", patients=column([None] * 12)))
    assert len({note.partition(",")[0] for note in unnamed}) > 8


@pytest.mark.parametrize(
    ("patients", "said"),
    [
        (["p"], "1 were given for 2 notes"),
        ("p", "1 were given for 2 notes"),
        ([4711.0, 4712.0], r"row 0 .* is a float"),
        (pd.Series([4711, None]), r"row 0 .* is a float"),
        ([True, False], r"row 0 .* is a bool"),
    ],
)
def test_patients_that_cannot_be_told_are_refused(tool: Deidentifier, patients: Any, said: str) -> None:
    with pytest.raises(DeidError, match=f"patients: {said}") as caught:
        tool.mask_all([SEEN, SEEN], patients=patients)
    assert "4711" not in str(caught.value)


def test_documents_name_their_own_patients(tool: Deidentifier) -> None:
    with pytest.raises(CorpusError, match="each document names its own patient"):
        tool.mask_all([Document("a", text=SEEN)], patients=["p"])


def test_spans_and_word_scores_of_one_text_and_of_several(tool: Deidentifier) -> None:
    (span,) = tool.detect(SEEN)
    assert (span.start, span.end, span.label) == (8, 17, "DATE")
    assert tool.detect([SEEN, None, "Well."]) == [(span,), None, ()]
    words = tool.word_scores(SEEN)
    assert [(start, end) for start, end, _ in words][:2] == [(0, 4), (5, 7)]
    assert max(score for start, _, score in words if start >= 8) >= 0.5
    assert tool.word_scores(pd.Series([SEEN, None])) == [words, None]


def test_nothing_of_a_text_is_in_the_repr(tool: Deidentifier) -> None:
    from deidlab.easy.columns import to_column

    assert "Seen" not in repr(to_column([SEEN])) + repr(tool)
