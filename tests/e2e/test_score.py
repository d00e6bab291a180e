"""`deidlab score`, as a person runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from deidlab.evaluate.wordscores import write_word_scores
from tests.e2e.command import deidlab, deidlab_process
from tests.unit.evaluate.builders import marked

Capture = pytest.CaptureFixture[str]
ORACLE = Path(__file__).parents[1] / "data" / "oracles" / "i2b2-2014"
NAME = "Zsofia"


def write(path: Path, marked_texts: dict[str, str], meta: dict[str, Any] | None = None) -> Path:
    """A JSONL corpus of notes written with their spans in brackets."""
    lines = []
    for name, text in marked_texts.items():
        document = marked(name, text)
        spans = [
            {"start": span.start, "end": span.end, "label": span.label}
            | ({} if span.score is None else {"score": span.score})
            for span in document.spans
        ]
        record = {"id": name, "patient": name[0], "text": document.text, "spans": spans, "meta": meta or {}}
        lines.append(json.dumps(record))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    notes = {f"{letter}{row}": f"[PATIENT {NAME}] is [AGE 8{row}]" for letter in "abc" for row in range(4)}
    return write(tmp_path / "gold.jsonl", notes, {"site": "north"})


@pytest.fixture
def system(tmp_path: Path) -> Path:
    notes = {}
    for letter in "abc":
        for row in range(4):
            name = f"[PATIENT@0.{6 + row} {NAME}]" if row else NAME
            notes[f"{letter}{row}"] = f"{name} is [AGE@0.9 8{row}]"
    return write(tmp_path / "system.jsonl", notes)


def test_json_carries_the_challenges_own_figures(capsys: Capture) -> None:
    done = deidlab(capsys, "score", ORACLE / "gold", ORACLE / "system", "--json", "--resamples", "20")
    answer = json.loads(done.out)
    assert done.status == 0
    assert answer["i2b2_2014"] == json.loads((ORACLE / "expected.json").read_text("utf-8"))
    assert set(answer["meddocan"]) == {"ner", "spans_strict", "spans_merged"}
    assert all(set(part) == {"precision", "recall", "f1"} for part in answer["meddocan"].values())
    assert answer["words"]["style"] == "runs"
    assert done.err == ""


@pytest.mark.parametrize("format", ["brat", "i2b2"])
def test_meddocan_from_either_of_its_formats(capsys: Capture, shared: Path, format: str) -> None:
    oracle = shared / "oracles" / "meddocan"
    if not oracle.is_dir():
        pytest.skip(f"NEEDS {oracle}: the sample of MEDDOCAN, which may not be committed")
    done = deidlab(capsys, "score", oracle / "gold" / format, oracle / "system-subtrack2" / format, "--json")
    merged = {"precision": 0.5268, "recall": 0.1691, "f1": 0.2560}
    assert json.loads(done.out)["meddocan"]["spans_merged"] == merged
    mixed = deidlab(
        capsys, "score", oracle / "gold" / "brat", oracle / "system-subtrack1" / "i2b2", "--json",
        "--from", "brat", "--system-from", "i2b2",
    )  # fmt: skip
    assert json.loads(mixed.out)["meddocan"]["ner"] == {"precision": 0.3504, "recall": 0.1383, "f1": 0.1983}


def test_the_tables_come_first_and_notes_go_to_stderr(capsys: Capture, gold: Path, system: Path) -> None:
    done = deidlab(capsys, "score", gold, system)
    assert done.status == 0
    assert done.out.splitlines()[0].startswith("system: 12 documents, 3 patients, 36 words (runs)")
    assert "documents that leak" in done.out
    assert "i2b2" not in done.out
    everything = deidlab(capsys, "score", gold, system, "--all", "--by", "patient")
    for title in (
        "i2b2 2014",
        "MEDDOCAN",
        "Confusions",
        "Averages",
        "Leaks and over-maskings",
        "By patient",
        "Calibration",
    ):
        assert title in everything.out


def test_every_file_is_written_and_none_shows_text(
    capsys: Capture, gold: Path, system: Path, tmp_path: Path
) -> None:
    options = {
        "--leaks": "out/leaks.csv",
        "--csv": "out/score.csv",
        "--markdown": "out/score.md",
        "--chart": "out/f1.png",
        "--confusion": "out/confusion.svg",
        "--curves": "out/curves.png",
        "--reliability": "out/calibration.pdf",
    }
    arguments = [part for name, file in options.items() for part in (name, tmp_path / file)]
    done = deidlab(capsys, "score", gold, system, "--all", "--by", "site", *arguments)
    assert done.status == 0
    for file in options.values():
        path = tmp_path / file
        assert path.stat().st_size > 0
        assert f"wrote {path}" in done.err
        assert NAME.encode() not in path.read_bytes()
    assert NAME not in done.out + done.err
    quiet = deidlab(capsys, "score", gold, system, "-q", "--chart", tmp_path / "f1.png")
    assert quiet.err == ""


def test_text_is_shown_only_when_asked(capsys: Capture, gold: Path, system: Path, tmp_path: Path) -> None:
    leaks = tmp_path / "leaks.csv"
    done = deidlab(capsys, "score", gold, system, "--all", "--show-text", "--leaks", leaks)
    assert NAME in done.out
    with leaks.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["document"], row["start"], row["end"], row["text"]) for row in rows] == [
        (f"{letter}0", "0", "6", NAME) for letter in "abc"
    ]
    listed = deidlab(capsys, "score", gold, system, "--all", "--show-text", "--json")
    assert json.loads(listed.out)["slips"][0]["text"] == NAME


def test_texts_that_differ_and_ids_that_are_missing_are_one_line(
    capsys: Capture, gold: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other.jsonl", {"a0": f"{NAME} was [AGE 80]"})
    short = deidlab(capsys, "score", gold, other)
    assert short.status == 1
    assert "11 documents only in the gold corpus (a1, a2, a3, b0, b1 and 6 more)" in short.err
    done = deidlab(capsys, "score", gold, other, "--missing", "skip")
    assert done.status == 1
    assert "document a0: the texts of gold and system differ from character 7 on" in done.err
    assert NAME not in done.err
    assert done.err.count("\n") == 1


def test_missing_documents_are_left_out_or_missed_and_told(
    capsys: Capture, gold: Path, tmp_path: Path
) -> None:
    some = write(tmp_path / "some.jsonl", {"a0": f"[PATIENT {NAME}] is [AGE 80]", "z": "new"})
    skipped = deidlab(capsys, "score", gold, some, "--missing", "skip", "--resamples", "0")
    assert "some: 11 documents only in the gold corpus left out" in skipped.err
    assert "some: 1 document only in the system corpus left out" in skipped.err
    emptied = deidlab(capsys, "score", gold, some, "--missing", "empty", "--json", "--resamples", "0")
    assert json.loads(emptied.out)["words"]["micro"]["recall"] == pytest.approx(2 / 24)


def test_several_systems_are_compared_and_charted(
    capsys: Capture, gold: Path, system: Path, tmp_path: Path
) -> None:
    (tmp_path / "b").mkdir()
    twin = tmp_path / "b" / "system.jsonl"
    twin.write_bytes(gold.read_bytes())
    picture = tmp_path / "confusion.png"
    done = deidlab(
        capsys, "score", gold, system, twin, "--confusion", picture, "--chart", tmp_path / "f1.png"
    )
    assert done.status == 0
    assert "2 systems on 12 documents" in done.out
    assert "p bootstrap" in done.out
    assert (tmp_path / "confusion-b-system.png").is_file()
    answer = json.loads(deidlab(capsys, "score", gold, system, twin, "--json", "--unit", "patient").out)
    assert [part["system"] for part in answer["systems"]][1] == "b/system"
    assert answer["comparisons"][0]["figures"]["words.recall"]["difference"] == pytest.approx(3 / 24)
    assert answer["settings"]["unit"] == "patient"
    again = deidlab(capsys, "score", gold, system, system)
    assert again.status == 2


def test_a_threshold_is_promised_or_refused(capsys: Capture, tmp_path: Path) -> None:
    notes = {f"n{row}": f"[PATIENT {NAME}] is ill" for row in range(320)}
    golds = write(tmp_path / "gold.jsonl", notes)
    scores = tmp_path / "words.jsonl"
    write_word_scores(scores, ((name, [(0, 6, 0.8), (7, 9, 0.3), (10, 13, 0.01)]) for name in notes))
    found = write(tmp_path / "found.jsonl", notes)
    options = ("--scores", scores, "--target-recall")
    done = deidlab(capsys, "score", golds, found, *options, "0.99", "--json")
    assert done.status == 0
    threshold = json.loads(done.out)["threshold"]
    assert threshold["granted"] is True
    assert 0.3 < threshold["chosen"]["threshold"] <= 0.8
    assert (threshold["chosen"]["precision"], threshold["n_units"]) == (1.0, 320)
    shown = deidlab(capsys, "score", golds, found, *options, "0.99")
    assert "the expected recall of a new document is at least 0.99" in shown.out
    refused = deidlab(capsys, "score", golds, found, *options, "0.995")
    assert refused.status == 1
    assert (
        "needs at least 598 documents with PHI even if none of their words is missed; there are 320"
        in refused.err
    )
    assert "words, typed (micro)" in refused.out
    by_patient = deidlab(capsys, "score", golds, found, *options, "0.99", "--unit", "patient")
    assert "needs at least 299 patients" in by_patient.err


def test_spans_below_the_threshold_serve_only_the_curves(capsys: Capture, gold: Path, system: Path) -> None:
    whole = json.loads(deidlab(capsys, "score", gold, system, "--json").out)
    kept = json.loads(deidlab(capsys, "score", gold, system, "--json", "--threshold", "0.85").out)
    assert whole["entities"]["strict"]["micro"]["tp"] == 21
    assert kept["entities"]["strict"]["micro"]["tp"] == 15
    assert kept["operating_points"] == whole["operating_points"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--curves", "c.gif"), "a figure ends in"),
        (("--words", "tokens"), "unknown way to cut words 'tokens'"),
        (("--labels", "hipa"), "did you mean hipaa"),
        (("--by", "sit"), "unknown field 'sit'; did you mean site"),
        (("--unit", "ward"), "unknown unit 'ward'"),
        (("--confidence", "2"), "confidence of 2.0 is impossible"),
        (("--resamples", "-1"), "-1 resamples are impossible"),
        (("--missing", "drop"), "unknown rule for missing documents"),
        (("--target-recall", "1"), "a recall of 1 cannot be promised"),
        (("--scores", "none.jsonl"), "none.jsonl"),
    ],
)
def test_impossible_wishes_are_one_line(
    capsys: Capture, gold: Path, system: Path, options: tuple[str, ...], message: str
) -> None:
    done = deidlab(capsys, "score", gold, system, *options)
    assert done.status == (2 if "unknown" in done.err else 1)
    assert message in done.err
    assert done.err.count("\n") == 1


def test_curves_without_any_score_are_refused(capsys: Capture, gold: Path, tmp_path: Path) -> None:
    done = deidlab(capsys, "score", gold, gold, "--curves", tmp_path / "c.png")
    assert done.status == 1
    assert "need scores" in done.err
    both = deidlab(capsys, "score", gold, gold, tmp_path / "x.jsonl", "--curves", tmp_path / "c.png")
    assert "take one system at a time" in both.err


def test_from_a_shell() -> None:
    done = deidlab_process("score", ORACLE / "gold", ORACLE / "system", "--json")
    assert done.status == 0
    assert json.loads(done.out)["documents"] == 6
