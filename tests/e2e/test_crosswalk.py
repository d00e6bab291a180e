"""Codes that are drawn, from the command line: kept over runs, refused where they are not sound, told of."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.containers import SAMPLES
from tests.e2e.command import Outcome, deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key


@pytest.fixture
def sealed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str | Path, ...]:
    """A crosswalk, as options."""
    key, path = write_key(tmp_path), tmp_path / "study.xwalk"
    done = deidlab(capsys, "crosswalk", "new", path, "--key-file", key, "--project", "s12")
    assert done.status == 0, done.err
    return "--key-file", key, "--crosswalk", path, "--project", "s12"


def mask(
    capsys: pytest.CaptureFixture[str], notes: Path, out: Path, *more: str | Path, status: int = 0
) -> Outcome:
    spans = ("--spans", notes) if notes.suffix == ".jsonl" else ("--rules", "only")
    done = deidlab(capsys, "mask", notes, *spans, "--out", out, "-q", *more)
    assert done.status == status, done.err
    return done


def test_a_year_later_the_same_patient_is_the_same(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = write_jsonl((make_note(number) for number in range(12)), tmp_path / "n.jsonl")
    later = write_jsonl((make_note(number) for number in range(6, 18)), tmp_path / "later.jsonl")
    for name, source, workers in (("one", notes, "1"), ("two", later, "2"), ("three", later, "1")):
        more = ("--style", "surrogate", "--workers", workers, *sealed)
        mask(capsys, source, tmp_path / f"{name}.jsonl", *more)
    one, two, three = (read_jsonl(tmp_path / f"{name}.jsonl") for name in ("one", "two", "three"))
    assert two == three
    assert one[6:] == two[:6]
    assert len({row["patient"] for row in (*one, *two)}) == 6
    record = json.loads((tmp_path / "one.jsonl.deidlab" / "record.json").read_text())
    assert record["settings"]["codes"] == "random" and len(record["settings"]["crosswalk"]) == 32
    mask(capsys, notes, tmp_path / "keyed.jsonl", "--style", "surrogate", *sealed[:2])
    assert not {row["id"] for row in read_jsonl(tmp_path / "keyed.jsonl")} & {row["id"] for row in one}


def test_safe_harbor_draws_codes_and_refuses_derived_ones(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = write_jsonl((make_note(number) for number in range(6)), tmp_path / "n.jsonl")
    out, harbor = tmp_path / "o.jsonl", ("--policy", "safe-harbor")
    refused = mask(capsys, notes, out, *harbor, *sealed[:2], status=1)
    assert "164.514(c)(1)" in refused.err and "crosswalk new" in refused.err and not out.exists()
    refused = mask(capsys, notes, out, *harbor, *sealed[:2], "--codes", "keyed", status=1)
    assert "164.514(c)(1)" in refused.err and "--accept-derived-codes" in refused.err and not out.exists()
    # Without a code in it, a key file is enough: it only seals what lies on the disk meanwhile.
    mask(capsys, notes, out, *harbor, *sealed[:2], "--ids", "keep")
    mask(capsys, notes, tmp_path / "drawn.jsonl", *harbor)
    mask(capsys, notes, tmp_path / "again.jsonl", *harbor)
    accepted = (*harbor, *sealed[:2], "--codes", "keyed", "--accept-derived-codes")
    mask(capsys, notes, tmp_path / "keyed.jsonl", *accepted)
    mask(capsys, notes, tmp_path / "kept.jsonl", *harbor, *sealed)
    drawn, again, keyed, kept = (
        read_jsonl(tmp_path / f"{name}.jsonl") for name in ("drawn", "again", "keyed", "kept")
    )
    assert len({row["id"] for row in (*drawn, *again, *keyed, *kept)}) == 4 * 6
    assert [row["text"] for row in drawn] == [row["text"] for row in kept]


@pytest.mark.parametrize("wrong", ["missing", "project", "damaged", "short", "no key", "keyed"])
def test_a_crosswalk_that_is_not_sound_ends_the_command_before_anything_is_written(
    wrong: str, sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    options, path = list(sealed), Path(sealed[3])
    if wrong == "missing":
        path.unlink()
    elif wrong == "project":
        options[5] = "another"
    elif wrong == "damaged":
        path.write_bytes(path.read_bytes()[:-1] + b"\0")
    elif wrong == "short":
        path.write_bytes(path.read_bytes()[:-1])
    elif wrong == "no key":
        options = options[2:]
    else:
        options += ["--codes", "keyed"]
    done = deidlab(capsys, "mask", notes, "--out", tmp_path / "o.jsonl", *options)
    assert done.status == (2 if wrong in ("no key", "keyed") else 1)
    assert len(done.err.strip().splitlines()) == 1 and "Traceback" not in done.err
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize("format", ["docx", "hl7v2", "fhir"])
def test_records_and_letters_keep_their_keys_over_runs(
    format: str, sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ending = {"docx": ".docx", "hl7v2": ".hl7", "fhir": ".json"}[format]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a{ending}").write_bytes(SAMPLES[format])
    read = []
    for number in range(2):
        out = tmp_path / f"out{number}"
        mask(capsys, tmp_path / "in", out, "--style", "surrogate", *sealed)
        read.append({path.name: path.read_bytes() for path in out.iterdir()})
    if format != "docx":
        assert read[0] == read[1]
    assert read[0].keys() == read[1].keys()
    counts = json.loads(
        deidlab(capsys, "crosswalk", "check", *sealed[3:4], *sealed[:2], *sealed[4:], "--json").out
    )
    assert counts["codes"]["patient"] == 1
    assert counts["codes"]["key"] == {"docx": 0, "hl7v2": 2, "fhir": 1}[format]


@pytest.mark.parametrize("name", ["kept", pytest.param("own", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_with_the_codes_that_it_drew(
    name: str, sealed: tuple[str | Path, ...], tmp_path: Path
) -> None:
    notes = write_jsonl((make_note(number) for number in range(700)), tmp_path / "n.jsonl")
    out = tmp_path / f"{name}.jsonl"
    parts = tmp_path / f".{out.name}.deidlab-run" / "parts"
    more = sealed if name == "kept" else (*sealed[:2], "--codes", "random", "--ids", "keep")
    command = [sys.executable, "-m", "deidlab", "mask", notes, "--spans", notes, "--out", out, "-q",
               "--workers", "1", *more]  # fmt: skip
    process = subprocess.Popen([str(each) for each in command])
    while process.poll() is None and len(list(parts.glob("*.part"))) < 3:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run was over before it could be killed"
    subprocess.run([str(each) for each in command], check=True)
    rows = read_jsonl(out)
    assert len({row["id"] for row in rows}) == 700
    assert len({row["patient"] for row in rows}) == 234


def test_standard_input_and_the_audit_know_the_crosswalk(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = write_jsonl((make_note(number) for number in range(4)), tmp_path / "n.jsonl")
    out = tmp_path / "o.jsonl"
    mask(capsys, notes, out, *sealed)
    audit = ("audit", out, "--gold", notes, "--report", tmp_path / "a.json")
    assert deidlab(capsys, *audit, *sealed[:2]).status == 1
    done = deidlab(capsys, *audit, *sealed)
    assert done.status == 0 and "0 of 44 PHI words leaked" in done.err
    command = [sys.executable, "-m", "deidlab", "mask", "-", "--from", "jsonl", "--out", "-", "--rules",
               "only", "-q", *map(str, sealed)]  # fmt: skip
    typed = subprocess.run(command, input=notes.read_bytes(), capture_output=True, check=True)
    ids = [json.loads(line)["id"] for line in typed.stdout.splitlines()]
    assert ids == [row["id"] for row in read_jsonl(out)]


def test_the_crosswalk_command_tells_what_it_did(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, named = sealed[3], (*sealed[:2], *sealed[4:])
    assert deidlab(capsys, "crosswalk", "check", path, *named).out.endswith(
        "codes 0 of patients, 0 of documents, 0 of keys\n"
    )
    again = deidlab(capsys, "crosswalk", "new", path, *named)
    assert again.status == 1 and "never overwritten" in again.err
    assert deidlab(capsys, "key", "new", tmp_path / "new.key").status == 0
    assert (
        deidlab(capsys, "crosswalk", "rekey", path, *named, "--new-key-file", tmp_path / "new.key").status
        == 0
    )
    assert deidlab(capsys, "crosswalk", "check", path, *named).status == 1
    assert (
        deidlab(capsys, "crosswalk", "check", path, "--key-file", tmp_path / "new.key", *sealed[4:]).status
        == 0
    )


@pytest.mark.slow
def test_a_run_does_not_go_on_with_an_older_copy(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes, out = (
        write_jsonl((make_note(number) for number in range(700)), tmp_path / "n.jsonl"),
        tmp_path / "o.jsonl",
    )
    path = Path(sealed[3])
    before, parts = path.read_bytes(), tmp_path / ".o.jsonl.deidlab-run" / "parts"
    command = [sys.executable, "-m", "deidlab", "mask", notes, "--spans", notes, "--out", out, "-q",
               "--workers", "1", *sealed]  # fmt: skip
    process = subprocess.Popen([str(each) for each in command])
    while process.poll() is None and len(list(parts.glob("*.part"))) < 2:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "the run was over before it could be killed"
    newest = path.read_bytes()
    path.write_bytes(before)
    refused = mask(capsys, notes, out, *sealed, status=1)
    assert "an older copy" in refused.err and not out.exists()
    path.write_bytes(newest)
    mask(capsys, notes, out, *sealed)
    assert len(read_jsonl(out)) == 700


def test_a_plan_keeps_no_code(
    sealed: tuple[str | Path, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = write_jsonl((make_note(number) for number in range(30)), tmp_path / "n.jsonl", with_spans=False)
    before = Path(sealed[3]).read_bytes()
    done = deidlab(capsys, "mask", notes, "--rules", "only", "--plan", "--sample", "30", *sealed)
    assert done.status == 0, done.err
    done = deidlab(capsys, "mask", notes, "--rules", "only", "--dry-run", *sealed)
    assert done.status == 0, done.err
    assert Path(sealed[3]).read_bytes() == before
