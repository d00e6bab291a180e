"""`corpus make`: sources, label sets, formats, and one line for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deidlab.cli.app import app
from deidlab.corpus import read_corpus
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.labels import load_label_set
from deidlab.make import choose_source


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["corpus", "make", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_spanish_notes_have_meddocans_labels() -> None:
    notes = list(choose_source(60, 1, "meddocan"))
    labels = {span.label for note in notes for span in note.spans}
    assert labels <= set(load_label_set("meddocan").labels)
    assert {
        "NOMBRE_SUJETO_ASISTENCIA",
        "FECHAS",
        "HOSPITAL",
        "TERRITORIO",
        "EDAD_SUJETO_ASISTENCIA",
    } <= labels
    assert notes == list(choose_source(60, 1, "meddocan"))


@pytest.mark.parametrize("format", ["jsonl", "brat", "i2b2", "inline", "conll", "csv"])
def test_any_format(tmp_path: Path, format: str) -> None:
    out = tmp_path / "made"
    run(out, "--notes", 5, "--seed", 2, "--format", format, "--quiet")
    assert len(list(read_corpus(out, format))) == 5


def test_written_notes_are_the_made_ones(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    answer = json.loads(run(out, "--notes", 12, "--seed", 9, "--lift", "--json"))
    assert list(read_corpus(out)) == list(choose_source(12, 9, lift=True))
    assert answer["notes"] == 12
    assert answer["spans"] == sum(answer["labels"].values())


def test_a_base_is_filled(tmp_path: Path) -> None:
    base = tmp_path / "base.jsonl"
    base.write_text('{"id": "a", "text": "Dr. X saw the wound on ___ at ABC Hospital."}\n', "utf-8")
    out = tmp_path / "filled.jsonl"
    run(out, "--notes", 4, "--base", base, "--quiet")
    for note in read_corpus(out):
        assert {"DOCTOR", "DATE", "HOSPITAL"} <= {span.label for span in note.spans}


def test_what_cannot_be() -> None:
    with pytest.raises(UnknownNameError, match="i2b2-2014"):
        choose_source(1, 1, "i2b2-2015")
    with pytest.raises(ConfigError, match="--base"):
        choose_source(1, 1, "meddocan", base=Path("notes"))
