"""The notes that models are judged by say of themselves what they hold, and every line of the probe is there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus
from deidlab.labels import load_label_set

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    ("folder", "n_notes"), [("notes-en-judge", 40), ("notes-es-judge", 40), ("notes-fr-judge", 50)]
)
def test_notes_hold_what_their_page_says(folder: str, n_notes: int) -> None:
    documents = list(read_corpus(DATA / folder, "inline"))
    assert len(documents) == n_notes
    said = re.search(r"\(([\d,]+) spans\)", (DATA / folder / "README.md").read_text("utf-8"))
    assert said and sum(len(document.spans) for document in documents) == int(said[1].replace(",", ""))
    known = load_label_set("i2b2-2014")
    assert all(span.label in known for document in documents for span in document.spans)


def test_the_probe_has_a_hundred_lines_of_each_kind() -> None:
    rows = [line.split("\t") for line in (DATA / "probe-en.tsv").read_text("utf-8").splitlines()]
    kinds = Counter(kind for kind, _ in rows)
    assert len(rows) == 1200 and set(kinds.values()) == {120}
    assert len({line for _, line in rows}) == 1200
