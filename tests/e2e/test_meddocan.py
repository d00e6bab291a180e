"""A real annotated corpus, read whole: nothing is lost between its formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus, write_corpus
from deidlab.encode.tags import spans_to_tags, tags_to_spans
from deidlab.labels import load_label_set
from deidlab.types import Document
from tests.e2e.command import deidlab


@pytest.fixture(scope="module")
def documents(shared: Path) -> list[Document]:
    return list(read_corpus(shared / "data" / "meddocan", "i2b2"))


def test_xml_and_brat_say_the_same(documents: list[Document], shared: Path) -> None:
    assert len(documents) == 750
    assert sum(len(document.spans) for document in documents) == 17_134
    assert list(read_corpus(shared / "data" / "meddocan", "brat")) == documents


def test_no_misfit_and_tags_give_the_spans_back(documents: list[Document]) -> None:
    labels = load_label_set("meddocan")
    for style in ("runs", "whitespace"):
        for document in documents:
            tagged = spans_to_tags(document, labels, style)
            assert not tagged.misfits
            assert tags_to_spans(tagged.words, tagged.tags) == document.spans


def test_xml_to_jsonl_to_brat_to_xml(documents: list[Document], tmp_path: Path) -> None:
    write_corpus(documents, tmp_path / "a.jsonl", "jsonl")
    write_corpus(read_corpus(tmp_path / "a.jsonl"), tmp_path / "brat", "brat")
    write_corpus(read_corpus(tmp_path / "brat"), tmp_path / "xml", "i2b2")
    assert list(read_corpus(tmp_path / "xml")) == sorted(documents, key=lambda document: document.id)


def test_check_finds_nothing(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for format in ("i2b2", "brat"):
        done = deidlab(capsys, "corpus", "check", shared / "data" / "meddocan", "--from", format, "--json")
        answer = json.loads(done.out)
        assert (answer["documents"], answer["spans"], answer["misfits"]) == (750, 17_134, 0)
        assert answer["problems"] == []
