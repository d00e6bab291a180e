"""`deidlab.score` and `deidlab score` say the same, of paths and of documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deidlab
from deidlab.cli.app import run
from deidlab.types import Document, Span

GOLD = [
    Document("a", "p", "Ann Lee of Bath.", (Span(0, 7, "PATIENT"), Span(11, 15, "CITY"))),
    Document("b", "q", "Seen 3/14 by Lee.", (Span(5, 9, "DATE"), Span(13, 16, "DOCTOR"))),
]
FOUND = [
    Document("a", "p", "Ann Lee of Bath.", (Span(0, 7, "PATIENT", 0.9), Span(11, 15, "HOSPITAL", 0.6))),
    Document("b", "q", "Seen 3/14 by Lee.", (Span(5, 9, "DATE", 0.8),)),
]
LESS = [Document(each.id, each.patient, each.text) for each in GOLD]


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = (tmp_path / "gold.jsonl", tmp_path / "found.jsonl", tmp_path / "less.jsonl")
    for path, documents in zip(paths, (GOLD, FOUND, LESS), strict=True):
        deidlab.write_corpus(documents, path, "jsonl")
    return paths


@pytest.mark.parametrize("options", [{}, {"threshold": 0.7}, {"labels": "i2b2-2014", "unit": "patient"}])
def test_the_command_says_the_same(
    corpora: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], options: dict[str, object]
) -> None:
    gold, found, _ = corpora
    typed = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    assert run(["score", str(gold), str(found), "--json", *typed]) == 0
    said = json.loads(capsys.readouterr().out)
    ours = deidlab.score(gold, found, **options)  # type: ignore[arg-type]
    assert json.loads(json.dumps(ours)) == said
    of_documents = deidlab.score(GOLD, FOUND, **options)  # type: ignore[arg-type]
    assert json.loads(json.dumps(of_documents)) == {**said, "gold": "gold", "system": "system"}


def test_several_systems_are_compared_as_the_command_does(
    corpora: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, found, less = corpora
    assert run(["score", str(gold), str(found), str(less), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    ours = deidlab.score(gold, {"found": found, "less": less})
    assert json.loads(json.dumps(ours)) == said


def test_a_missing_document_is_an_error_that_names_no_text() -> None:
    with pytest.raises(deidlab.CorpusError) as caught:
        deidlab.score(GOLD, FOUND[:1])
    assert "Ann" not in str(caught.value)
