from __future__ import annotations

import pytest

from deidlab.corpus.stats import count_corpus, row_labels
from deidlab.errors import CorpusError
from deidlab.labels import load_label_set
from deidlab.report.corpus.figures import draw_label_bars
from deidlab.report.corpus.tables import corpus_summary, corpus_table
from deidlab.report.figures import save_figure
from deidlab.report.tables import Table, table_to_csv, table_to_markdown
from deidlab.types import Document, Span

NOTES = [
    # Nine words: Dr . Ilse Brandt saw her 3 / 14
    Document("a", "p", "Dr. Ilse Brandt saw her 3/14", (Span(4, 15, "DOCTOR"), Span(24, 28, "DATE"))),
    # Two words, cut to three by the span; its trailing blank is no word.
    Document("b", "p", "IzaNo 7", (Span(0, 3, "PATIENT"), Span(3, 6, "OTHER"))),
]


def test_words_are_counted_by_label_and_blank_ones_not() -> None:
    counts = count_corpus(NOTES)["all"]
    assert (counts.documents, len(counts.patients), counts.words, counts.spans) == (2, 1, 12, 4)
    assert counts.words_by_label == {"DOCTOR": 2, "DATE": 3, "PATIENT": 1, "OTHER": 1}
    assert counts.misfits == 0


def test_words_at_white_space() -> None:
    counts = count_corpus(NOTES[:1], style="whitespace")["all"]
    assert counts.words == 6
    assert counts.words_by_label == {"DOCTOR": 2, "DATE": 1}


def test_the_table_is_the_studys() -> None:
    parts = count_corpus(NOTES, {"a": "train", "b": "test"})
    table = corpus_table(parts, "runs")
    assert tuple(column.title for column in table.columns) == (
        "Label",
        "train words (%)",
        "spans",
        "test words (%)",
        "spans",
    )
    assert table.rows[0] == ("Non-PHI", "4 (44.4444)", "–", "1 (33.3333)", "–")
    assert table.rows[1] == ("DATE", "3 (33.3333)", "1", "0 (0.0000)", "–")
    assert row_labels(parts) == ["DATE", "DOCTOR", "OTHER", "PATIENT"]
    summary = {row[0]: row[1:] for row in corpus_summary(parts, "runs").rows}
    assert summary["Mean words a note"] == ("9.0", "3.0")
    assert "| DOCTOR | 2 (22.2222) | 1 |" in table_to_markdown(table)
    assert table_to_csv(table).splitlines()[2].startswith("DATE,3 (33.3333),1,")


def test_a_label_set_fixes_the_rows_and_counts_what_is_outside() -> None:
    labels = load_label_set("hipaa-i2b2")
    parts = count_corpus(NOTES, labels=labels)
    table = corpus_table(parts, "runs", labels)
    assert [row[0] for row in table.rows] == ["Non-PHI", *labels.labels, "(outside the set)"]
    assert table.rows[-1][1:] == ("3 (25.0000)", "2")
    assert parts["all"].misfits == 2


def test_a_split_must_fit_its_corpus() -> None:
    with pytest.raises(CorpusError, match="document b is not in the split"):
        count_corpus(NOTES, {"a": "train"})
    with pytest.raises(
        CorpusError, match="1 documents of the split's manifest are not in the corpus, such as c"
    ):
        count_corpus(NOTES, {"a": "train", "b": "test", "c": "test"})


def test_charts_come_out_the_same(tmp_path) -> None:
    parts = count_corpus(NOTES, {"a": "train", "b": "test"})
    for name in ("a.svg", "b.svg", "c.png"):
        save_figure(draw_label_bars(parts), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "DOCTOR" in (tmp_path / "a.svg").read_text()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_refuses_crooked_rows() -> None:
    with pytest.raises(ValueError, match="a row has 1 cells, not 2"):
        Table("t", ("a", "b"), (("x",),))
