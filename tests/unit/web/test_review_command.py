"""`deidlab review`: export and agreement without a server, errors in one line, and the loop back to training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from deidlab.cli.review import review
from deidlab.corpus import read_corpus
from deidlab.errors import DeidError
from deidlab.train.corpora import read_notes
from deidlab.web.store_marks import Wish
from tests.unit.web.desk import marks, note, open_store

app = typer.Typer()
app.command()(review)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus whose review is begun: one note done, one open, one that two people finished."""
    store = open_store(
        tmp_path, [(note("n1"), marks(), False), (note("n2"), marks(), False), (note("n3"), marks(), True)]
    )
    store.decide(1, "", 0, Wish("accept-all"), "anna")
    store.decide(1, "", 1, Wish("done"), "anna")
    for name, kind in (("anna", "accept"), ("ben", "reject")):
        store.decide(3, name, 0, Wish(kind, (1,)), name)  # type: ignore[arg-type]
        store.decide(3, name, 1, Wish("done"), name)
    store.close()
    return tmp_path / "notes"


@pytest.mark.parametrize("name", ["out.jsonl", "out"])
def test_the_reviewed_corpus_is_what_training_reads(corpus: Path, tmp_path: Path, name: str) -> None:
    result = run(corpus, "--export", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert "wrote 1 notes with 4 spans" in result.stderr
    assert "1 notes that are not done" in result.stderr and "1 notes of two reviewers" in result.stderr
    assert [document.id for document in read_notes(tmp_path / name)] == ["n1"]
    assert {span.source for document in read_corpus(tmp_path / name) for span in document.spans} == {
        "review:anna"
    }


def test_a_note_of_two_reviewers_is_exported_as_one_marked_it(corpus: Path, tmp_path: Path) -> None:
    result = run(corpus, "--export", tmp_path / "out.jsonl", "--by", "ben", "--json")
    assert json.loads(result.stdout) == {
        "notes": 2,
        "spans": 7,
        "not_done": 1,
        "not_settled": 0,
        "losses": {},
    }


def test_all_notes_are_exported_on_request(corpus: Path, tmp_path: Path) -> None:
    run(corpus, "--export", tmp_path / "brat", "--to", "brat", "--part", "all")
    assert [document.id for document in read_corpus(tmp_path / "brat")] == ["n1", "n2", "n3"]


def test_agreement_is_printed(corpus: Path) -> None:
    assert "anna and ben, 1 notes" in run(corpus, "--agreement").stdout
    [found] = json.loads(run(corpus, "--agreement", "--json").stdout)
    assert (found["one"], found["f1"]) == ("anna", pytest.approx(6 / 7))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--export", "out", "--to", "nonsense"), "unknown format"),
        (("--export", "out", "--part", "some"), "unknown part"),
        (("--reviewer", "two words"), "reviewer's name"),
        (("--host", "0.0.0.0"), "needs a token"),
        (("--model", "no-such-folder"), "no such"),
        (("--compare", "no-such-folder"), "no such"),
    ],
)
def test_errors_are_one_line(corpus: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "notes").write_text('{"text": "Seen on Friday."}\n')
    result = run(corpus, "--port", "0", "--from", "jsonl", "--store", tmp_path / "notes.review", *arguments)
    assert isinstance(result.exception, DeidError)
    assert said in str(result.exception)


def test_an_export_of_nothing_writes_nothing(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    result = run(tmp_path / "notes", "--export", tmp_path / "out")
    assert isinstance(result.exception, DeidError) and "no note is done" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_there_must_be_a_review_to_export(tmp_path: Path) -> None:
    result = run(tmp_path / "nothing", "--export", tmp_path / "out")
    assert isinstance(result.exception, DeidError) and "no review was begun" in str(result.exception)
    assert not (tmp_path / "nothing.review").exists()
