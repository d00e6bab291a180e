"""`deidlab audit` as a person types it."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.evaluate.privacy import upper_share
from deidlab.types import Document
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl([make_note(number) for number in range(12)], tmp_path / "gold.jsonl")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return write_key(tmp_path)


def mask_dates_only(tmp_path: Path, gold: Path, key: Path, capsys: Capture, *more: str) -> Path:
    """A run that saw the dates of all notes, and the name in every second one."""
    notes = [make_note(number) for number in range(12)]
    seen = [replace(note, spans=note.spans[number % 2 :]) for number, note in enumerate(notes)]
    out = tmp_path / "out.jsonl"
    spans = write_jsonl(seen, tmp_path / "seen.jsonl")
    assert deidlab(capsys, "mask", gold, "--spans", spans, "--out", out, "--key-file", key, *more).status == 0
    return out


def test_against_gold_the_figures_are_the_scorer_s(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    report = tmp_path / "audit.html"
    done = deidlab(capsys, "audit", out, "--gold", gold, "--key-file", key, "--report", report)
    assert done.status == 0, done.err
    found = json.loads(report.with_suffix(".json").read_text())["gold"]
    assert (found["leaked_words"], found["leaking_documents"]["n"], found["leaking_documents"]["of"]) == (
        6,
        6,
        12,
    )
    assert found["leaking_documents"]["upper"] == upper_share(6, 12)
    assert found["by_type"]["PATIENT"] == {"words": 12, "leaked": 6, "recall": 0.5}
    assert len(found["leaks"]) == 6
    assert "6 of" in done.err and "PHI words leaked" in done.err


def test_the_page_needs_nothing_and_names_nobody(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    report = tmp_path / "audit.html"
    deidlab(capsys, "audit", out, "--gold", gold, "--key-file", key, "--report", report)
    for page in (report.read_text(), report.with_suffix(".json").read_text()):
        for secret in ("Okonjo", "Ostrander", "n00001", "p0000", "2065", str(tmp_path)):
            assert secret not in page
    page = report.read_text()
    assert not re.search(r"(src|href)\s*=|@import|url\(|<script|https?:", page)
    for title in (
        "What was replaced",
        "Certainty",
        "most in need of review",
        "second detector",
        "Against gold",
    ):
        assert title in page


def test_a_second_detector_finds_what_was_left(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    notes = [make_note(number) for number in range(12)]
    spans = write_jsonl([replace(note, spans=note.spans[:1]) for note in notes], tmp_path / "names.jsonl")
    out = tmp_path / "out.jsonl"
    deidlab(capsys, "mask", gold, "--spans", spans, "--out", out, "--key-file", key)
    done = deidlab(capsys, "audit", out, "--report", tmp_path / "a.json", "--json")
    second = json.loads(done.out)["second"]
    assert second["by_label"]["DATE"] == 24 and second["in_notes"] == 12
    assert "no part in the run" in second["detector"]


def test_gold_needs_the_key_and_the_right_one(tmp_path: Path, gold: Path, key: Path, capsys: Capture) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    done = deidlab(capsys, "audit", out, "--gold", gold, "--report", tmp_path / "a.json")
    assert done.status == 1 and "--key-file" in done.err
    other = tmp_path / "other.key"
    other.write_bytes(b"x" * 32)
    done = deidlab(capsys, "audit", out, "--gold", gold, "--report", tmp_path / "a.json", "--key-file", other)
    assert done.status == 1 and "no gold note is in this run" in done.err


def test_people_s_verdicts_become_a_bound(tmp_path: Path, gold: Path, key: Path, capsys: Capture) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    sheet = tmp_path / "sheet.csv"
    arguments = ("audit", out, "--sample", "5", "--seed", "3", "--verdicts", sheet, "--overwrite")
    assert deidlab(capsys, *arguments, "--report", tmp_path / "a.html").status == 0
    with sheet.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5 and all(row["leaks"] == "" for row in rows)
    for row, leaks in zip(rows, ("0", "2", "0", "0", ""), strict=True):
        row["leaks"] = leaks
    write_sheet(sheet, rows)
    done = deidlab(capsys, *arguments, "--report", tmp_path / "a.html", "--json")
    sample = json.loads(done.out)["sample"]
    assert (sample["judged"], sample["leaking"], sample["leaks"]) == (4, 1, 2)
    assert sample["upper"] == upper_share(1, 4)
    assert "Read by people" in (tmp_path / "a.html").read_text()
    other = deidlab(
        capsys,
        "audit",
        out,
        "--sample",
        "5",
        "--seed",
        "4",
        "--verdicts",
        sheet,
        "--report",
        tmp_path / "b.json",
    )
    assert other.status == 1 and "not the sheet of this sample" in other.err
    rows[0]["leaks"] = "many"
    write_sheet(sheet, rows)
    assert "whole number" in deidlab(capsys, *arguments, "--report", tmp_path / "c.json").err


def test_a_sample_needs_no_more_than_its_size(tmp_path: Path, gold: Path, key: Path, capsys: Capture) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    done = deidlab(capsys, "audit", out, "--report", tmp_path / "a.html", "--sample", "4")
    assert done.status == 0 and "a-sample.csv: 4 notes to read" in done.err
    assert "looked with" in done.err
    assert len((tmp_path / "a-sample.csv").read_text().splitlines()) == 5
    assert deidlab(capsys, "audit", out, "--report", tmp_path / "b.html", "--verdicts", gold).status == 2


def write_sheet(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_an_output_that_changed_or_has_no_record_is_refused(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    done = deidlab(capsys, "audit", gold, "--report", tmp_path / "a.json")
    assert done.status == 1 and "no record of a masking run" in done.err
    out = mask_dates_only(tmp_path, gold, key, capsys)
    out.write_text(out.read_text().replace("BP", "Blood pressure"))
    done = deidlab(capsys, "audit", out, "--report", tmp_path / "a.json")
    assert done.status == 1 and "is not as the run wrote it" in done.err


def test_a_record_of_another_shape_is_called_damaged(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out.jsonl").write_text('{"id": "a", "text": "Well."}\n')
    folder = tmp_path / "out.jsonl.deidlab"
    folder.mkdir()
    (folder / "notes.jsonl").write_text("")
    for record in (
        "{}",
        "[]",
        "1",
        '{"settings": {}}',
        "[" * 20_000,
        '{"settings": {"columns": 3}, "masked": 1}',
    ):
        (folder / "record.json").write_text(record)
        done = deidlab(capsys, "audit", tmp_path / "out.jsonl", "--report", tmp_path / "audit.html")
        assert done.status == 1 and "the record is damaged" in done.err, done.err


def test_labels_that_people_invented_stay_out_of_the_record(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "n.jsonl"
    span = {"start": 0, "end": 7, "label": "Zebulon Quixwell", "source": "Ward of Dr. Quixwell"}
    source.write_text(json.dumps({"id": "a", "text": "Zebulon is well.", "spans": [span]}) + "\n")
    done = deidlab(capsys, "mask", source, "--spans", source, "--out", tmp_path / "o.jsonl", "--json", "--key-file",
                   write_key(tmp_path))  # fmt: skip
    assert done.status == 0 and json.loads(done.out)["replaced"] == [
        {"label": "OTHER", "source": "other", "n": 1}
    ]
    for path in (tmp_path / "o.jsonl.deidlab").iterdir():
        assert "Quixwell" not in path.read_text()


def test_gold_notes_without_any_phi_have_no_bound(tmp_path: Path, key: Path, capsys: Capture) -> None:
    plain = write_jsonl(
        [Document(f"n{number}", "", "BP 120/80.") for number in range(3)], tmp_path / "p.jsonl"
    )
    out = tmp_path / "masked.jsonl"
    assert deidlab(capsys, "mask", plain, "--rules", "only", "--out", out, "--key-file", key).status == 0
    report = tmp_path / "audit.json"
    done = deidlab(capsys, "audit", out, "--gold", plain, "--key-file", key, "--report", report)
    assert done.status == 0, done.err
    assert "against gold: 0 of 0 PHI words leaked, in 0 of 0 notes\n" in done.err


def test_labels_of_gold_that_people_invented_stay_out_of_the_page(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    own = tmp_path / "own.jsonl"
    rows = [json.loads(line) for line in gold.read_text("utf-8").splitlines()]
    rows[0]["spans"][0]["label"] = "Quixwell"
    own.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    report = tmp_path / "audit.html"
    done = deidlab(capsys, "audit", out, "--gold", own, "--key-file", key, "--report", report, "--json")
    assert done.status == 0, done.err
    shared = [done.out, done.err, report.read_text("utf-8"), report.with_suffix(".json").read_text("utf-8")]
    assert not any("Quixwell" in each for each in shared)


def test_originals_are_searched_for_in_every_file_of_the_output(
    tmp_path: Path, gold: Path, key: Path, capsys: Capture
) -> None:
    out = mask_dates_only(tmp_path, gold, key, capsys)
    report = tmp_path / "audit.json"
    said = ["audit", out, "--gold", gold, "--key-file", key, "--report", report, "--overwrite"]
    result = deidlab(capsys, *said)
    assert result.status == 0 and "originals of the gold can be read" in result.out + result.err
    search = json.loads(report.read_text())["gold"]["search"]
    # The output itself, the record, the digests, and where each replacement stands; names were missed in every second note.
    assert search["files"] == 4 and search["found"] > 0 and search["unread"] == 0
    assert {row["file"] for row in search["places"]} == {out.name}
    # Whoever leaves an original anywhere else is found out, in a zip and in a file's name too.
    missed = json.loads(gold.read_text().splitlines()[0])
    start, end = missed["spans"][0]["start"], missed["spans"][0]["end"]
    name = missed["text"][start:end]
    stray = tmp_path / f"{out.name}.deidlab"
    (stray / "debug.log").write_text(f"failed on {name.upper()}!")
    with zipfile.ZipFile(stray / "letter.docx", "w") as letter:
        letter.writestr("word/document.xml", f"<w:t>{name}</w:t>")
    assert deidlab(capsys, *said).status == 0
    places = json.loads(report.read_text())["gold"]["search"]["places"]
    assert {row["file"].split("/")[-1] for row in places} == {out.name, "debug.log", "letter.docx"}
    assert name not in report.read_text()


def test_what_the_source_has_elsewhere_too_is_no_trace(tmp_path: Path) -> None:
    from deidlab.report.audit.search import search_files
    from deidlab.types import Span

    gold = Document(
        "n",
        text="Mr. Rose saw a rose. Mr. Quillfeather did not.",
        spans=(Span(4, 8, "PATIENT"), Span(25, 37, "PATIENT")),
    )
    (tmp_path / "out.txt").write_text("Rose, rose and Quillfeathers; a quillfeather.")
    found = search_files(lambda: [gold], [tmp_path], ())
    assert (found["originals"], found["found"]) == (1, 1)
    assert search_files(lambda: [gold], [tmp_path], ("PATIENT",))["originals"] == 0
