"""A French note through the command: rules alone, surrogates, and back again; and beside another language's model."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from deidlab.cli.app import app
from tests.unit.pipeline.notes import write_key

NOTE = """CHU de Nantes, compte rendu du 3 mars 2064
Mme DUPONT Marie, née le 01/03/1992, âgée de 72 ans, demeurant 12, rue des Lilas, 44000 Nantes (tél. 06 12 34 56 78).
Revue le 1er avril avec le mari d'Isabelle. NIR 2 92 03 44 109 123 12. Score de Glasgow 15/15, TA 120/80.
Dr Olivier Lemoine, RPPS 10003456789
"""
TOLD = ("DUPONT", "Marie", "Lilas", "44000", "Nantes", "06 12 34 56 78", "01/03/1992", "Isabelle", "109 123", "Lemoine",
        "10003456789", "1er avril", "3 mars 2064")  # fmt: skip
STAYS = (
    "compte rendu du ",
    "Mme ",
    "née le ",
    "âgée de 72 ans",
    "Score de Glasgow 15/15, TA 120/80.",
    "Dr ",
    "RPPS ",
)


@pytest.mark.parametrize("options", [("--rules", "only"), ("--model", "en")], ids=["rules", "model"])
def test_a_french_note_is_masked_with_surrogates(tmp_path: Path, options: tuple[str, ...]) -> None:
    source, out = tmp_path / "note.txt", tmp_path / "out.txt"
    source.write_text(NOTE, "utf-8")
    # A key of its own: with a random one a surrogate may by chance be what it stands for.
    key = ("--key-file", str(write_key(tmp_path)))
    command = ["mask", str(source), "--out", str(out), "--language", "fr", "--style", "surrogate", "-q"]
    done = CliRunner().invoke(app, [*command, *key, *options])
    assert done.exit_code == 0, done.output
    masked = out.read_text("utf-8")
    assert [told for told in TOLD if told in masked] == []
    if "only" in options:
        assert [stays for stays in STAYS if stays not in masked] == []
        assert "tél. 06 39 98" in masked


def test_an_unknown_model_says_which_are_embedded(tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(NOTE, "utf-8")
    command = ["mask", str(source), "--out", str(tmp_path / "out.txt"), "--language", "fr", "--model", "fr"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code != 0 and "embedded are all, en, es" in str(done.exception) + done.output
