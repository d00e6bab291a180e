"""What a study keeps of what was found: offsets that come back as they were, and no text."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

from deidlab.encode.words import find_words
from deidlab.study.predictions import write_predictions
from deidlab.study.records import read_predictions
from deidlab.types import Document
from tests.strategies import documents


@given(documents())
def test_words_and_spans_come_back(document: Document) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "found.jsonl"
        write_predictions(path, [document], [document.spans])
        (back,) = read_predictions(path)
    assert list(back.words) == list(find_words(document.text, "runs"))
    assert [(s.start, s.end, s.label) for s in back.gold] == [
        (s.start, s.end, s.label) for s in document.spans
    ]


def test_no_text_is_kept(tmp_path: Path) -> None:
    document = Document("n1", "p1", "Seen by Quillfeather today")
    packed = write_predictions(tmp_path / "found.jsonl", [document], [()])
    assert b"Quillfeather" not in gzip.decompress(packed.read_bytes())
