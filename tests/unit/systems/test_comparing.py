"""The comparison as a whole: `deidlab compare`, what it writes, and what it must not show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.cli.app import run
from deidlab.corpus import write_corpus
from deidlab.errors import ConfigError
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, score_systems
from deidlab.systems.comparing import compare
from deidlab.systems.judging import CompareSettings
from deidlab.systems.specification import read_specs
from deidlab.types import Document, Span
from tests.unit.systems.conftest import NAME, program

TEXT = "Seen by Dr. {}, Ilse on 3/14/2070, 617-555-0100. Call Bob Quillfeather."
SENTINEL = "Quillfeather"


def make_note(number: int) -> Document:
    text = f"{number}: " + TEXT.format(NAME)
    places = (
        (NAME, "DOCTOR"),
        ("3/14/2070", "DATE"),
        ("617-555-0100", "PHONE"),
        (f"Bob {SENTINEL}", "PATIENT"),
    )
    spans = tuple(Span(text.index(part), text.index(part) + len(part), label) for part, label in places)
    return Document(f"n{number}", f"p{number // 2}", text, spans)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_corpus([make_note(number) for number in range(6)], tmp_path / "notes.jsonl", "jsonl")
    return tmp_path / "notes.jsonl"


def settings(**more: object) -> CompareSettings:
    return CompareSettings(ScoreSettings(resample=ResampleSettings(50)), **more)  # type: ignore[arg-type]


def test_a_toy_program_stands_beside_ours_in_every_table(tmp_path: Path, notes: Path) -> None:
    toy = program(tmp_path, "if number == 3: os._exit(1)")
    out = tmp_path / "report"
    said = ["compare", str(notes), "--system", f"Toy={toy}", "--system", "rules:en", "--system", "philter",
            "--ensemble", "union", "--resamples", "50", "--out", str(out), "--quiet"]  # fmt: skip
    # Philter is not installed here: it is named, and the others are compared.
    assert run(said) == 0
    report = json.loads((out / "report.json").read_text())
    verdict = {row["system"]: row for row in report["tables"]["verdict"]["rows"]}
    assert set(verdict) == {"Toy", "rules:en", "ensemble"}
    assert "philter" in report["missing"][0]
    # A name of six words in each note; one note failed, and counts as nothing found.
    assert verdict["Toy"]["precision"]["value"] == 1.0
    assert 0 < verdict["Toy"]["recall"]["value"] < verdict["rules:en"]["recall"]["value"]
    assert verdict["ensemble"]["recall"]["value"] >= verdict["rules:en"]["recall"]["value"]
    assert report["tables"]["failures"]["rows"] == [
        {"system": "Toy", "copy": "as given", "reason": "crashed", "notes": 1}
    ]
    assert report["tables"]["recall-by-label"]["rows"][0]["Toy"]["low"] is not None
    assert {row["figure"] for row in report["tables"]["paired-tests"]["rows"]}
    for file in out.rglob("*"):
        if file.is_file():
            assert SENTINEL not in file.read_text() and NAME not in file.read_text(), file.name


def test_text_is_shown_where_it_was_asked_for(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "report"
    toy = program(tmp_path, "pass")
    said = ["compare", str(notes), "--system", toy, "--out", str(out), "--quiet", "--resamples", "0"]
    assert run([*said, "--show-text"]) == 0
    page = (out / "index.html").read_text()
    assert SENTINEL in page and "quotes the notes" in page and "No word of a note" not in page


def test_figures_are_those_of_deidlab_score(notes: Path, tmp_path: Path) -> None:
    from deidlab.corpus import read_corpus
    from deidlab.evaluate.pairing import Pair

    documents = list(read_corpus(notes))
    toy = program(tmp_path, "pass")
    (result,) = compare(documents, read_specs([toy]), settings()).results
    answers = [Document(each.id, each.patient, each.text, (Span(15, 21, "NAME"),)) for each in documents]
    gold = [
        Document(each.id, each.patient, each.text, tuple(Span(s.start, s.end, "NAME" if s.label in
                 ("DOCTOR", "PATIENT") else "DATE" if s.label == "DATE" else "CONTACT") for s in each.spans))
        for each in documents
    ]  # fmt: skip
    pairs = tuple(Pair(one, other) for one, other in zip(gold, answers, strict=True))
    (score,) = score_systems({"x": pairs}, ScoreSettings(resample=ResampleSettings(50)))
    assert result.score.figures.intervals == score.figures.intervals
    assert result.types["strict"]["NAME"].value == score.figures.summary.entities["strict"].by_type["NAME"].f1


def test_poorer_copies_and_other_names_are_asked_on_request(tmp_path: Path, notes: Path) -> None:
    from deidlab.corpus import read_corpus

    toy = program(tmp_path, "pass")
    documents = list(read_corpus(notes))[:2]
    systems = read_specs([f"Toy={toy}", f"Twin={toy}"])
    asked = settings(robustness=True, fairness=True, ensemble="vote")
    result, _, ensemble = compare(documents, systems, asked).results
    whole = result.score.figures.intervals.headline["privacy.word_recall"].value
    assert result.robustness["wrapped lines"]["recall"].value == whole
    # The toy knows one spelling of one name.
    assert result.robustness["upper case"]["recall"].value == 0.0
    assert {figure.value for figure in result.fairness.values()} == {0.0}
    # All answer alike, and so does the ensemble.
    assert (ensemble.name, ensemble.robustness, ensemble.fairness) == (
        "ensemble", result.robustness, result.fairness,
    )  # fmt: skip


def test_a_system_that_fails_on_copies_is_told_and_the_rest_goes_on(tmp_path: Path, notes: Path) -> None:
    toy = program(tmp_path, "if text.isupper(): table = 3")
    out = tmp_path / "out"
    said = [
        "compare",
        str(notes),
        "--system",
        f"Toy={toy}",
        "--system",
        "rules:en",
        "--robustness",
        "--quiet",
    ]
    assert run([*said, "--resamples", "0", "--out", str(out)]) == 0
    tables = json.loads((out / "report.json").read_text())["tables"]
    failures = {(row["system"], row["copy"], row["reason"]) for row in tables["failures"]["rows"]}
    assert ("Toy", "upper case", "answered with JSON that is not an object") in failures
    assert {system for system, _, _ in failures} == {"Toy"}
    assert [row["system"] for row in tables["robustness-recall"]["rows"]] == ["Toy", "rules:en"]


def test_names_are_swapped_under_any_label_set_and_their_lack_is_told_at_once(
    tmp_path: Path, notes: Path
) -> None:
    from deidlab.corpus import read_corpus

    documents = list(read_corpus(notes))[:2]
    toy = program(tmp_path, "pass")
    (result,) = compare(documents, read_specs([toy]), settings(target="i2b2-2014", fairness=True)).results
    assert {figure.value for figure in result.fairness.values()} == {0.0}
    bare = [Document(each.id, each.patient, each.text, each.spans[1:3]) for each in documents]
    heard: list[str] = []
    with pytest.raises(ConfigError, match="needs names in the gold"):
        compare(bare, read_specs([toy]), settings(fairness=True), heard.append)
    assert heard == []


def test_labels_that_are_words_of_the_notes_are_not_shown(tmp_path: Path, notes: Path) -> None:
    toy = program(tmp_path, f"for span in spans: span['label'] = re.search('{SENTINEL}', text)[0].upper()")
    out = tmp_path / "out"
    said = ["compare", str(notes), "--system", f"Toy={toy}", "--quiet", "--resamples", "0", "--out", str(out)]
    assert run(said) == 0
    rows = json.loads((out / "report.json").read_text())["tables"]["labels-not-compared"]["rows"]
    assert [(row["label"], row["spans"]) for row in rows] == [("(words of a note)", 6)]
    for file in out.rglob("*"):
        assert file.is_dir() or SENTINEL.upper() not in file.read_text().upper(), file.name


def test_an_ensemble_of_one_is_told_to_be_none(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    said = ["compare", str(notes), "--system", "rules:en", "--system", "command:no-such-program", "--quiet"]
    assert run([*said, "--ensemble", "vote", "--resamples", "0", "--out", str(out)]) == 0
    assert (
        "ensemble: it needs two systems that started"
        in json.loads((out / "report.json").read_text())["missing"]
    )


def test_an_unknown_label_is_shown_and_can_be_given_a_meaning(tmp_path: Path, notes: Path) -> None:
    toy = program(tmp_path, "for span in spans: span['label'] = 'WHO'")
    said = ["compare", str(notes), "--system", f"Toy={toy}", "--quiet", "--resamples", "0", "--out"]
    assert run([*said, str(tmp_path / "one")]) == 0
    one = json.loads((tmp_path / "one" / "report.json").read_text())["tables"]
    assert [row["label"] for row in one["labels-not-compared"]["rows"]] == ["WHO"]
    assert one["verdict"]["rows"][0]["strict_f1"]["value"] == 0.0
    (tmp_path / "map.toml").write_text('WHO = "NAME"\n')
    assert run([*said, str(tmp_path / "two"), "--map", f"Toy={tmp_path / 'map.toml'}"]) == 0
    two = json.loads((tmp_path / "two" / "report.json").read_text())["tables"]
    assert "labels-not-compared" not in two
    assert two["verdict"]["rows"][0]["strict_f1"]["value"] > 0
    assert two["verdict"]["rows"][0]["recall"] == one["verdict"]["rows"][0]["recall"]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ([], 2),
        (["--system", "nonsense:x"], 2),
        (["--system", "rules:en", "--ensemble", "sum"], 2),
        (["--system", "rules:en", "--unit", "word"], 2),
        (["--system", "rules:en", "--map", "Other=x.toml"], 2),
        (["--system", "command:no-such-program"], 1),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, notes: Path, more: list[str], status: int) -> None:
    assert run(["compare", str(notes), "--out", str(tmp_path / "out"), "--quiet", *more]) == status
    assert not (tmp_path / "out").exists()


def test_notes_without_gold_are_refused(tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_text("A note.")
    said = ["compare", str(tmp_path / "n.txt"), "--system", "rules:en", "--out", str(tmp_path / "out")]
    assert run(said) == 1


def test_a_report_that_is_there_is_not_overwritten(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    said = ["compare", str(notes), "--system", "rules:en", "--out", str(tmp_path / "out")]
    assert run(said) == 1
