"""`--language`, `--without-rule` and `--list-rules` where commands take them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from deidlab import languages
from deidlab.cli.app import app
from deidlab.corpus import read_corpus
from deidlab.detect.vetoes import as_rules
from deidlab.pipeline.settings import Finding
from deidlab.web.choosing import choose_models

NOTE = "La paciente Carmen Ruiz Soler, de 45 años, ingresó el 04/03/2064 en el Hospital de Getafe.\n"


def run(*arguments: object, text: str = "") -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], input=text)


def found(tmp_path: Path, *options: str) -> set[tuple[str, str]]:
    source, out = tmp_path / "nota.txt", tmp_path / "found.jsonl"
    source.write_text(NOTE, "utf-8")
    done = run("detect", source, "--out", out, "--rules", "only", "--overwrite", "-q", *options)
    assert done.exit_code == 0, done.output
    [note] = read_corpus(out)
    return {(note.text[span.start : span.end], span.label) for span in note.spans}


def test_the_rules_of_a_language_run_without_a_model(tmp_path: Path) -> None:
    spanish, usual = found(tmp_path, "--language", "es"), found(tmp_path)
    assert ("45 años", "AGE") in spanish and ("45", "AGE") in usual
    assert usual == found(tmp_path, "--language", "en")


def test_a_rule_can_be_switched_off(tmp_path: Path) -> None:
    less = found(tmp_path, "--language", "es", "--without-rule", "ages", "--without-rule", "dates")
    assert {label for _, label in found(tmp_path, "--language", "es")} - {label for _, label in less} == {
        "AGE",
        "DATE",
    }


def test_surrogates_and_the_order_of_days_are_those_of_the_language() -> None:
    command = ("mask", "-", "--out", "-", "--rules", "only", "--style", "surrogate", "-q")
    masked = run(
        *command, "--language", "es", text="Ingreso 31/12/2063, alta 02/01/2064, Carmen Ruiz Soler.\n"
    )
    assert masked.exit_code == 0, masked.output
    days = [tuple(map(int, word.strip(",").split("/"))) for word in masked.stdout.split() if "/" in word]
    from datetime import date

    first, second = (date(year, month, day) for day, month, year in days)
    assert (second - first).days == 2
    assert "Carmen" not in masked.stdout and "Soler" not in masked.stdout


@pytest.mark.parametrize(
    "command", [("detect", "x", "--out", "y"), ("mask", "x", "--out", "y"), ("serve",), ("review", "x")]
)
def test_an_unknown_rule_or_language_is_a_usage_error_that_lists_the_known_ones(
    command: tuple[str, ...],
) -> None:
    for option, known in (("--language", "en, es"), ("--without-rule", "gazetteer")):
        done = run(*command, "--rules", "only", option, "nonsense")
        assert done.exit_code == 2
        assert known in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("code", languages.SHIPPED)
def test_rules_are_listed_with_what_they_find(code: str) -> None:
    listed = run("detect", "--list-rules", "--language", code, "--json")
    assert listed.exit_code == 0, listed.output
    rules = (*languages.find(code).rules, *as_rules())
    assert json.loads(listed.stdout) == [{"rule": rule.name, "finds": rule.about} for rule in rules]


def test_the_rules_of_the_models_language_are_listed() -> None:
    assert "listed-names" in run("detect", "--list-rules", "--model", "es").stdout
    assert "gazetteer" in run("detect", "--list-rules").stdout


def test_detect_still_says_what_is_missing() -> None:
    assert run("detect").exit_code == run("detect", "notes").exit_code == 2


def test_a_served_model_has_the_language_that_was_named_else_its_own() -> None:
    own = choose_models(["es"], Finding(None, without_rules=("listed-names",)))
    assert [(model.name, model.language, model.day_first) for model in own] == [
        ("es", "es", True),
        ("rules", "", False),
    ]
    # A rule is switched off for those that have it.
    assert [model.finding.without_rules for model in own] == [("listed-names",), ()]
    named = choose_models([], Finding(None, "only", language="es"))
    assert [(model.name, model.language) for model in named] == [("rules", "es")]


def test_notes_are_made_in_the_language_named_or_the_label_sets(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"

    def labels(*options: str) -> set[str]:
        done = run("corpus", "make", out, "-n", 6, "--overwrite", "-q", *options)
        assert done.exit_code == 0, done.output
        return {span.label for note in read_corpus(out) for span in note.spans}

    assert "NOMBRE_SUJETO_ASISTENCIA" in labels("--labels", "meddocan")
    assert labels("--language", "es") == labels("--language", "es", "--labels", "i2b2-2014")
    mapped = labels("--language", "es")
    assert "PATIENT" in mapped and not {"NOMBRE_SUJETO_ASISTENCIA", "SEX", "KIN"} & mapped
    wrong = run("corpus", "make", out, "--language", "en", "--labels", "physionet", "--overwrite")
    assert isinstance(wrong.exception, Exception) and "no map" in str(wrong.exception)
