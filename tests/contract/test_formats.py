"""One suite that every format passes: what is written is read back.

Tests of `WRITABLE` take a new format by themselves; those with a list of names say what only these formats promise.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given

from deidlab.corpus import FORMATS, read_corpus, recognise_format, write_corpus
from deidlab.errors import CorpusError
from deidlab.types import Document, Span
from tests.strategies import any_texts, documents

WRITABLE = [name for name, format in FORMATS.items() if format.takes_any_note]
SCORED = [name for name in WRITABLE if not {"scores and sources", "spans"} & {*FORMATS[name].lacks}]
UNSCORED = ["doccano", "uima-xmi", "uima-json", "spacy"]
NOTE = Document(
    "220-03",
    "220",
    "Seen by Dr. Ilse Brandt\r\non 3/14, age 82.\n",
    (Span(12, 23, "DOCTOR"), Span(28, 32, "DATE"), Span(38, 40, "AGE")),
)


def destination(folder: Path, name: str) -> Path:
    return folder / ("out" if FORMATS[name].render else f"out{FORMATS[name].suffixes[0]}")


def there_and_back(notes: Iterable[Document], name: str, folder: Path) -> list[Document]:
    path = destination(folder, name)
    write_corpus(notes, path, name)
    return list(read_corpus(path, name))


@pytest.mark.parametrize("name", ["i2b2", "brat", "jsonl"])
@given(document=documents(overlapping=True))
def test_round_trip_is_the_identity_on_adversarial_text(name: str, document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back([document], name, Path(folder)) == [document]


@pytest.mark.parametrize("name", ["csv", "parquet"])
@given(document=documents(overlapping=True))
def test_tables_round_trip_too(name: str, document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back([document], name, Path(folder)) == [document]


@pytest.mark.parametrize("name", ["label-studio", *UNSCORED])
@given(document=documents(overlapping=True))
def test_formats_of_other_tools_round_trip_too(name: str, document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (read,) = there_and_back([document], name, Path(folder))
    # Some tools have a span once.
    assert replace(read, spans=tuple(set(read.spans))) == replace(document, spans=tuple(set(document.spans)))


@pytest.mark.parametrize("name", ["huggingface", "huggingface-jsonl"])
@given(document=documents())
def test_words_and_tags_round_trip_where_no_spans_overlap(name: str, document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back([document], name, Path(folder)) == [document]


@given(document=documents(any_texts))
def test_jsonl_and_parquet_hold_any_character(document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back([document], "jsonl", Path(folder)) == [document]
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back([document], "parquet", Path(folder)) == [document]


@given(document=documents())
def test_i2b2_2006_keeps_text_and_spans(document: Document) -> None:
    assume("\0" not in document.text)
    with tempfile.TemporaryDirectory() as folder:
        (read,) = there_and_back([document], "i2b2-2006", Path(folder))
    assert (read.id, read.patient, read.text, read.spans) == (
        document.id,
        document.patient,
        document.text,
        document.spans,
    )


@given(document=documents())
def test_inline_keeps_text_and_spans_or_refuses(document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            (read,) = there_and_back([document], "inline", Path(folder))
        except CorpusError as error:
            assert "reads like a tag" in str(error)
            return
    assert read == document


@pytest.mark.parametrize("name", ["conll", "conll-bilou"])
@given(document=documents())
def test_conll_keeps_words_and_spans_where_they_stood(name: str, document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (read,) = there_and_back([document], name, Path(folder))
    assert (read.id, read.patient) == (document.id, document.patient)
    assert read.text.split() == document.text.split()
    trimmed = []
    for span in document.spans:
        inside = document.text[span.start : span.end]
        if inside.strip():
            lead, trail = len(inside) - len(inside.lstrip()), len(inside) - len(inside.rstrip())
            trimmed.append((span.start + lead, span.end - trail, span.label))
    assert [(s.start, s.end, s.label) for s in read.spans] == trimmed


@pytest.mark.parametrize("name", WRITABLE)
def test_the_format_is_recognised_from_its_files(name: str, tmp_path: Path) -> None:
    path = destination(tmp_path, name)
    write_corpus([NOTE], path, name)
    assert recognise_format(path).name == name
    assert recognise_format(tmp_path).name == name


@pytest.mark.parametrize("name", ["jsonl", "parquet", "conll", "i2b2-2006", "label-studio", "doccano"])
def test_a_file_whose_name_says_nothing_is_recognised_from_its_beginning(name: str, tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "out", name)
    assert [document.spans for document in read_corpus(tmp_path / "out")] == [NOTE.spans]


@pytest.mark.parametrize("name", SCORED)
def test_scores_and_sources_survive(name: str, tmp_path: Path) -> None:
    document = Document(
        "d",
        text="Dr. Brandt",
        spans=(Span(0, 3, "OTHER", 0.125), Span(4, 10, "DOCTOR", 1 / 3, "rules & model")),
    )
    assert there_and_back([document], name, tmp_path) == [document]


@pytest.mark.parametrize("name", WRITABLE)
def test_what_a_format_does_not_say_it_lacks_comes_back(name: str, tmp_path: Path) -> None:
    lacks = FORMATS[name].lacks
    one_line = any("white space" in each for each in lacks)
    text = "Ilse Brandt came today" if one_line else " Ilse Brandt\r\ncame\n\n\ttoday | \\n\n"
    start, end = text.index("Ilse"), text.index(" came" if one_line else "\r")
    overlapping = () if "overlapping spans" in lacks else (Span(start + 5, end, "PATIENT"),)
    spans = () if "spans" in lacks else (Span(start, end, "DOCTOR"), *overlapping)
    meta = {} if "meta" in lacks else {"ward": "b"}
    note = Document("220-03", "220", text, spans, meta)
    assert there_and_back([note], name, tmp_path) == [note]


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_named_where_people_look_for_it(name: str) -> None:
    root = Path(__file__).parents[2]
    rows = [
        line
        for line in (root / "docs" / "corpora.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert any(f"`{name}`" in row.split(" | ")[0] for row in rows), (
        "add a row to the table of docs/corpora.md"
    )


@pytest.mark.parametrize("name", WRITABLE)
def test_no_text_and_no_span_is_a_document_too(name: str, tmp_path: Path) -> None:
    (read,) = there_and_back([Document("empty", text="")], name, tmp_path)
    assert (read.id, read.text, read.spans) == ("empty", "", ())


@pytest.mark.parametrize("name", WRITABLE)
def test_order_of_documents_is_the_same_every_time(name: str, tmp_path: Path) -> None:
    notes = [Document(f"n{i}", text="x") for i in (3, 1, 2)]
    path = destination(tmp_path, name)
    write_corpus(notes, path, name)
    first = [document.id for document in read_corpus(path, name)]
    assert sorted(first) == ["n1", "n2", "n3"]
    assert first == [document.id for document in read_corpus(path, name)]


@pytest.mark.parametrize("name", WRITABLE)
def test_a_failed_write_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    def fails() -> Iterable[Document]:
        yield NOTE
        raise CorpusError("stop")

    with pytest.raises(CorpusError, match="stop"):
        write_corpus(fails(), destination(tmp_path, name), name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", WRITABLE)
def test_nothing_is_replaced_unless_asked(name: str, tmp_path: Path) -> None:
    path = destination(tmp_path, name)
    write_corpus([NOTE], path, name)
    with pytest.raises(CorpusError, match="--overwrite"):
        write_corpus([Document("other", text="")], path, name)
    assert [d.id for d in read_corpus(path, name)] == ["220-03"]
    write_corpus([Document("other", text="")], path, name, overwrite=True)
    assert [d.id for d in read_corpus(path, name)] == ["other"]


@pytest.mark.parametrize("name", [name for name in WRITABLE if FORMATS[name].render])
def test_two_documents_of_one_id_cannot_share_a_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="second document of this id"):
        write_corpus([NOTE, NOTE], destination(tmp_path, name), name)


@pytest.mark.parametrize("name", [name for name in WRITABLE if name not in ("jsonl", "parquet")])
def test_a_nul_is_refused_by_offset_where_the_format_cannot_hold_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"\b3\b"):
        write_corpus([Document("d", text="abc\0")], destination(tmp_path, name), name)


def test_overlaps_that_inline_formats_cannot_hold_are_counted(tmp_path: Path) -> None:
    note = Document("d", text="Dr. Brandt", spans=(Span(0, 10, "DOCTOR"), Span(4, 10, "PATIENT")))
    for name in ("inline", "i2b2-2006", "conll"):
        assert write_corpus([note], destination(tmp_path / name, name), name)["overlapping spans"] == 1
    assert write_corpus([note], tmp_path / "txt", "txt") == {"spans": 2}
    assert write_corpus([note], tmp_path / "brat", "brat") == {}


def test_one_file_formats_take_a_folder_too(tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path, "jsonl")
    assert (tmp_path / "corpus.jsonl").exists()


@pytest.mark.parametrize("name", WRITABLE)
def test_what_a_format_does_not_hold_is_what_it_says_it_lacks(name: str, tmp_path: Path) -> None:
    spans = (Span(0, 9, "DOCTOR", 0.5, "rules"), Span(4, 10, "PATIENT"), Span(10, 12, "DATE"))
    losses = write_corpus(
        [Document("d", "p", "Dr. Brandt  today", spans, {"ward": "b"})], destination(tmp_path, name), name
    )
    assert set(losses) == set(FORMATS[name].lacks)
