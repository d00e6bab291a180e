"""Several systems mask together: the spans that `compare` scored for them, and nothing where one of them fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.cli.app import run
from deidlab.corpus import read_corpus, write_corpus
from deidlab.detect.naming import from_native, rename
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, score_systems
from deidlab.systems import comparing
from deidlab.systems.judging import ENSEMBLE, CompareSettings
from deidlab.systems.naming import GROUPS
from deidlab.systems.specification import read_specs
from deidlab.types import Document, Span
from tests.unit.pipeline.notes import write_key

NAME = "Brandt"
# Doubtful spans, overlapping ones, a label of two schemes and one that nobody knows.
FINDS = r"""
import json, re, sys
RULES = [
    ("Brandt", "PERSON", 0.55), ("Brandt|Ilse Brandt", "NAME", 0.9), (r"\d+/\d+", "DATE_TIME", 0.3),
    ("shoe size \\d+", "SHOE_SIZE", None), ("seen by", "ORG", 0.45), (r"\d{3}-\d{4}", "PHONE", 0.8),
]
for line in sys.stdin:
    note = json.loads(line)
    spans = [
        {"start": m.start(), "end": m.end(), "label": label, "score": score}
        for pattern, label, score in RULES for m in re.finditer(pattern, note["text"])
    ]
    print(json.dumps({"id": note["id"], "spans": spans}), flush=True)
"""
TEXTS = (
    "Mr. Ilse Brandt was seen by Dr. Otto Weber on 3/14/2070, Tel. 617-555-0142.",
    "Bra\u200bndt, shoe size 43, MRN 1234567; born 2 March 1961 in Bos-\nton, aged 61.",
    "BRANDT ILSE 3/14 seen by nobody.\r\n\r\nCall 555-0142. ilse.brandt@example.org",
    "No identifiers: BP 120/80, potassium 4.1.",
    " ",
)


def write_program(folder: Path, source: str = FINDS, name: str = "finds.py") -> str:
    (folder / name).write_text(source)
    return f"Own=command:{sys.executable} {folder / name}"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    sample = list(read_corpus(Path(__file__).parents[2] / "samples" / "notes"))
    made = [Document(f"n{number}", f"p{number}", text) for number, text in enumerate(TEXTS)]
    # Rules find the one, the program alone the other.
    marked = [
        replace(made[0], spans=(Span(4, 15, "PATIENT"),)),
        replace(made[1], spans=(Span(made[1].text.index("shoe"), made[1].text.index(", MRN"), "IDNUM"),)),
        *made[2:],
    ]
    write_corpus([*sample, *marked], tmp_path / "notes.jsonl", "jsonl")
    return tmp_path / "notes.jsonl"


def scored(
    notes: Path, systems: list[str], how: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[Any]]:
    """The spans that `compare` scores: those of the ensemble, or of the one system."""
    seen: dict[str, tuple[Pair, ...]] = {}

    def score(pairs: dict[str, tuple[Pair, ...]], settings: ScoreSettings) -> Any:
        seen.update(pairs)
        return score_systems(pairs, settings)

    monkeypatch.setattr(comparing, "score_systems", score)
    settings = CompareSettings(ScoreSettings(resample=ResampleSettings(0)), ensemble=how)
    comparing.compare(list(read_corpus(notes)), read_specs(systems), settings)
    pairs = seen[ENSEMBLE if how else next(iter(seen))]
    return {pair.gold.id: as_rows(pair.system.spans) for pair in pairs}


def found(notes: Path, systems: list[str], out: Path, *more: str) -> dict[str, list[Any]]:
    """The spans that `detect` marks, in the labels of the comparison."""
    said = [word for each in systems for word in ("--system", each)]
    assert run(["detect", str(notes), *said, "--out", str(out), "--quiet", *more]) == 0
    names = from_native(GROUPS)
    return {each.id: as_rows(rename(each.spans, names)) for each in read_corpus(out)}


def as_rows(spans: Any) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in spans]


@pytest.mark.parametrize("how", ["union", "vote", "mean"])
def test_what_compare_scores_is_what_is_found(
    tmp_path: Path, notes: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = ["embedded:en", "rules:en", write_program(tmp_path)]
    expected = scored(notes, systems, how, monkeypatch)
    assert sum(map(len, expected.values())) > 30
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.jsonl"
        assert found(notes, systems, out, "--ensemble", how, "--workers", workers) == expected


def test_so_it_is_with_one_system_and_with_answers_made_elsewhere(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = ["embedded:en"]
    assert found(notes, one, tmp_path / "one.jsonl") == scored(notes, one, "", monkeypatch)
    recorded = ["rules:en", f"corpus:{notes}"]
    expected = scored(notes, recorded, "union", monkeypatch)
    assert found(notes, recorded, tmp_path / "two.jsonl", "--ensemble", "union") == expected


def test_masked_is_what_compare_scored(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every character of every span is gone from the output, and every other one stands there."""
    systems = ["embedded:en", "rules:en", write_program(tmp_path)]
    expected = scored(notes, systems, "vote", monkeypatch)
    said = [word for each in systems for word in ("--system", each)]
    out = tmp_path / "out.jsonl"
    assert run(["mask", str(notes), *said, "--ensemble", "vote", "--style", "redact", "--ids", "keep",
                "--redact-mark", "#", "--out", str(out), "--quiet"]) == 0  # fmt: skip
    masked = {each.id: each.text for each in read_corpus(out)}
    for note in read_corpus(notes):
        text, at, left = note.text, 0, []
        for start, end, _ in expected[note.id]:
            left += [text[at:start], "#"]
            at = end
        assert masked[note.id] == "".join([*left, text[at:]])


def test_a_map_of_ones_own_means_the_same(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "map.toml").write_text('SHOE_SIZE = "ID"\nORG = ""\n')
    systems = ["rules:en", write_program(tmp_path)]
    mapped = found(
        notes, systems, tmp_path / "a.jsonl", "--ensemble", "union", "--map", f"Own={tmp_path / 'map.toml'}"
    )
    plain = found(notes, systems, tmp_path / "b.jsonl", "--ensemble", "union")
    labels = [{label for *_, label in rows} for rows in (mapped["n1"], plain["n1"])]
    assert "OTHER" not in labels[0] and "OTHER" in labels[1]


def mask(tmp_path: Path, notes: Path, *more: str, out: str = "out.jsonl") -> int:
    return run(["mask", str(notes), "--out", str(tmp_path / out), "--quiet", "--ids", "keep", *more])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os._exit(1)", "crashed"),
        ("time.sleep(60)", "took longer than 1 seconds"),
        ("table = {'id': note['id'], 'error': text}", "said that it failed"),
        ("table['spans'] = [{'start': 0, 'end': 9999, 'label': 'NAME'}]", "gave a span out of bounds"),
    ],
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_note_that_one_system_fails_on_is_not_written(
    tmp_path: Path, body: str, reason: str, workers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text(f"{'Bad' if number == 1 else 'Seen'}: {NAME} on 3/14/2070.")
    toy = (
        "import json, os, sys, time\nfor line in sys.stdin:\n    note = json.loads(line)\n    text = note['text']\n"
        "    table = {'id': note['id'], 'spans': []}\n"
        f"    if 'Bad' in text: {body}\n    print(json.dumps(table), flush=True)\n"
    )
    own = write_program(tmp_path, toy)
    said = ("--system", "rules:en", "--system", own, "--timeout", "1", "--start-timeout", "1")
    status = mask(tmp_path, folder, *said, "--workers", workers, out="out")
    assert status == 3
    written = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert len(written) == 3 and not [text for text in written if "Bad" in text or "3/14" in text]
    heard = capsys.readouterr()
    limit = reason.replace("1 seconds", "2 seconds") if "longer" in reason else reason
    assert (reason in heard.err or limit in heard.err) and NAME not in heard.err + heard.out


@pytest.mark.parametrize(
    ("system", "why"),
    [
        ("command:no-such-program", "did not start"),
        ("presidio:no-such-file.yaml", "did not start"),
        ("corpus:no-such-folder", "did not start"),
        ("http:http://example.org/find", "--allow-host"),
    ],
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_system_that_does_not_start_ends_the_run(
    tmp_path: Path, notes: Path, system: str, why: str, workers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ("--system", "rules:en", "--system", system, "--workers", workers)
    assert mask(tmp_path, notes, *said) == 1
    assert why in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    "more",
    [
        ("--system", "rules:en", "--model", "es"),
        ("--system", "rules:en", "--rules", "only"),
        ("--system", "rules:en", "--without-rule", "date"),
        ("--system", "rules:en", "--threshold", "0.3"),
        ("--system", "rules:en", "--device", "cuda"),
        ("--system", "rules:en", "--system", "rules:en"),
        ("--system", "nonsense"),
        ("--python", sys.executable),
    ],
)
def test_what_no_system_would_hear_is_refused(tmp_path: Path, notes: Path, more: tuple[str, ...]) -> None:
    assert mask(tmp_path, notes, *more) == 2
    assert not (tmp_path / "out.jsonl").exists()


def test_systems_of_two_languages_want_the_language_named(tmp_path: Path, notes: Path) -> None:
    two = ("--system", "rules:en", "--system", "rules:es")
    assert mask(tmp_path, notes, *two) == 1
    assert mask(tmp_path, notes, *two, "--language", "es") == 0


def test_no_calibration_is_made_of_systems(tmp_path: Path, notes: Path) -> None:
    said = ("--system", "rules:en", "--write-calibration", str(tmp_path / "c.json"))
    assert run(["detect", str(notes), "--out", str(tmp_path / "d.jsonl"), *said]) == 2


def test_lists_stand_beside_systems(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(f"Ward Seven: {NAME} on 3/14/2070.")
    (tmp_path / "deny.txt").write_text("Ward Seven\n")
    (tmp_path / "allow.txt").write_text("3/14/2070\n")
    lists = ("--deny", str(tmp_path / "deny.txt"), "--allow", str(tmp_path / "allow.txt"))
    said = ("--system", "rules:en", "--system", write_program(tmp_path), "--style", "redact")
    assert mask(tmp_path, tmp_path / "note.txt", *said, *lists, out="out.txt") == 0
    written = (tmp_path / "out.txt").read_text()
    assert "Ward" not in written and NAME not in written and "3/14/2070" in written


def test_the_record_names_systems_with_their_digests(tmp_path: Path, notes: Path) -> None:
    own = write_program(tmp_path)
    said = ("--system", "embedded:en", "--system", own, "--ensemble", "vote")
    assert mask(tmp_path, notes, *said) == 0
    record = json.loads((tmp_path / "out.jsonl.deidlab" / "record.json").read_text())
    assert record["settings"]["systems"] == ["embedded:en", "command"]
    assert record["settings"]["ensemble"] == "vote" and record["settings"]["model"] is None
    ours, theirs = record["provenance"]["systems"]
    assert ours["versions"]["deidlab"] and len(ours["files"]) == 1
    assert len(theirs["files"]) == 2
    assert str(tmp_path) not in json.dumps(record)
    (tmp_path / "finds.py").write_text(FINDS + "# another\n")
    assert mask(tmp_path, notes, *said, out="again.jsonl") == 0
    again = json.loads((tmp_path / "again.jsonl.deidlab" / "record.json").read_text())
    changed = again["provenance"]["systems"][1]["files"]
    assert changed[0] == theirs["files"][0] and changed[1] != theirs["files"][1]


def test_the_command_that_compare_tells_masks_so(
    tmp_path: Path, notes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    secret = tmp_path / "Quillfeather"
    secret.mkdir()
    own = write_program(secret)
    systems = ["rules:en", own]
    said = [word for each in systems for word in ("--system", each)]
    report = tmp_path / "report"
    assert run(["compare", str(notes), *said, "--ensemble", "union", "--timeout", "30", "--resamples", "0",
                "--out", str(report)]) == 0  # fmt: skip
    (line,) = [each for each in capsys.readouterr().err.splitlines() if each.startswith("to mask with ")]
    program, *words = shlex.split(line.partition(": ")[2])
    assert program == "deidlab" and words[:2] == ["mask", "NOTES"] and words[-2:] == ["--out", "MASKED"]
    rows = json.loads((report / "report.json").read_text())["tables"]["masking"]["rows"]
    assert {row["system"] for row in rows} == {"rules:en", "Own", "ensemble"}
    assert line.startswith(f"to mask with {rows[0]['system']},")
    assert all("Quillfeather" not in path.read_text() for path in report.rglob("*") if path.is_file())
    given = {"NOTES": str(notes), "MASKED": str(tmp_path / "found.jsonl")}
    assert run(["detect", *(given.get(each, each) for each in words[1:]), "--quiet"]) == 0
    names = from_native(GROUPS)
    marked = {each.id: as_rows(rename(each.spans, names)) for each in read_corpus(tmp_path / "found.jsonl")}
    assert rows[0]["system"] == ENSEMBLE
    assert marked == scored(notes, systems, "union", monkeypatch)


SLOW = """
import json, os, re, sys, time
open(sys.argv[1] + "/pids", "a").write(f"{os.getpid()}\\n")
for line in sys.stdin:
    note = json.loads(line)
    open(sys.argv[1] + "/asked", "a").write("x")
    time.sleep(0.004)
    spans = [{"start": m.start(), "end": m.end(), "label": "NAME"} for m in re.finditer("Brandt", note["text"])]
    print(json.dumps({"id": note["id"], "spans": spans}), flush=True)
"""


def asked(folder: Path) -> int:
    return (folder / "asked").stat().st_size if (folder / "asked").exists() else 0


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are looked up in /proc")
def test_a_run_that_was_killed_goes_on_and_leaves_no_process(tmp_path: Path) -> None:
    n = 1200
    write_corpus(
        (Document(f"n{i}", f"p{i // 3}", f"{i}: {NAME} on 3/14/2070.") for i in range(n)),
        tmp_path / "notes.jsonl", "jsonl",
    )  # fmt: skip
    key = write_key(tmp_path)
    own = f"{write_program(tmp_path, SLOW)} {tmp_path}"

    def command(out: str, *more: str) -> list[str]:
        systems = ["--system", "rules:en", "--system", own, "--ensemble", "union", *more]
        return [sys.executable, "-m", "deidlab", "mask", str(tmp_path / "notes.jsonl"), *systems,
                "--out", str(tmp_path / out), "--key-file", str(key), "--workers", "2", "-q"]  # fmt: skip

    process = subprocess.Popen(command("out.jsonl"), stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while asked(tmp_path) < n * 2 // 3:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    pids = [int(each) for each in (tmp_path / "pids").read_text().split()]
    while any(map(is_there, pids)):
        assert time.monotonic() < until, "a system outlives the run that asked it"
        time.sleep(0.05)
    before = asked(tmp_path)
    # Longer patience is no other run; another way to come together is one.
    other = subprocess.run(
        [*command("out.jsonl"), "--ensemble", "vote"], capture_output=True, text=True, check=False
    )
    assert other.returncode == 1 and "--overwrite" in other.stderr
    assert subprocess.run(command("out.jsonl", "--timeout", "90"), check=False).returncode == 0
    assert before < n and asked(tmp_path) - before < n, "the notes that were done were asked about again"
    assert subprocess.run(command("whole.jsonl"), check=False).returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    pids = [int(each) for each in (tmp_path / "pids").read_text().split()]
    assert not any(map(is_there, pids))
