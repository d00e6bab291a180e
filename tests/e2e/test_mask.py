"""`deidlab mask`, `restore` and `key` as a person types them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus, write_corpus
from tests.e2e.command import deidlab, deidlab_process
from tests.unit.pipeline.notes import make_note, read_jsonl, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
FORMATS = {"i2b2": "out", "brat": "out", "inline": "out", "jsonl": "out.jsonl", "csv": "out.csv",
           "parquet": "out.parquet", "conll": "out.conll", "i2b2-2006": "out.xml", "txt": "out", "label-studio": "out.json", "uima-xmi": "out",
           "spacy": "out.spacy", "doccano": "out.jsonl", "uima-json": "out", "huggingface": "out.tokens.parquet",
           "huggingface-jsonl": "out.jsonl"}  # fmt: skip
# They are written as one of the others is, or their library takes long to load.
SLOW = ("spacy", "doccano", "uima-json", "huggingface", "huggingface-jsonl")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return write_key(tmp_path)


@pytest.mark.parametrize(
    "format",
    [pytest.param(each, marks=pytest.mark.slow if each in SLOW else ()) for each in FORMATS],
)
def test_every_format_comes_out_as_it_went_in_and_back_again(
    format: str, tmp_path: Path, key: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    notes = [make_note(number) for number in range(7)]
    source, out, back = (tmp_path / f"{name}-{FORMATS[format]}" for name in ("src", "out", "back"))
    write_corpus(notes, source, format)
    before = list(read_corpus(source, format))
    done = deidlab(
        capsys, "mask", source, "--from", format, "--out", out, "--rules", "only", "--key-file", key,
        "--keep-map", tmp_path / "map", "--patient-from", r"^(n\d{4})", "--workers", "1",
    )  # fmt: skip
    assert done.status == 0, done.err
    after = list(read_corpus(out, format))
    assert len(after) == 7
    for note in notes:
        assert note.id not in {each.id for each in after}
        assert all("/20" not in each.text for each in after)
    assert sorted(len(each.spans) for each in after) == sorted(len(each.spans) for each in before)
    done = deidlab(capsys, "restore", out, "--from", format, "--map", tmp_path / "map", "--out", back)
    assert done.status == 0, done.err
    restored = {each.id: (each.text, each.spans) for each in read_corpus(back, format)}
    assert restored == {each.id: (each.text, each.spans) for each in before}
    assert (tmp_path / "map").stat().st_mode & 0o777 == 0o600
    assert b"Okonjo" not in (tmp_path / "map").read_bytes()


def test_annotations_are_moved_to_the_masked_text(tmp_path: Path, key: Path, capsys: Capture) -> None:
    write_corpus([make_note(0)], tmp_path / "src", "i2b2")
    deidlab(
        capsys,
        "mask",
        tmp_path / "src",
        "--spans",
        tmp_path / "src",
        "--out",
        tmp_path / "out",
        "--key-file",
        key,
    )
    note = next(read_corpus(tmp_path / "out"))
    assert [note.text[s.start : s.end] for s in note.spans] == ["[PATIENT-1]", "[DATE-1]", "[DATE-2]"]
    assert note.text == "Mr. [PATIENT-1] was seen on [DATE-1]. BP 120/80. Again on [DATE-2].\n"


def test_tables_keep_their_columns_names_and_drop_the_rest(
    tmp_path: Path, key: Path, capsys: Capture
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "note_id,person,body,ward,nurse\n1,A,Seen 03/04/2065,north,Zebulon\n2,A,Seen 03/11/2065,south,Zebulon\n"
    )
    out = tmp_path / "masked.csv"
    done = deidlab(
        capsys, "mask", table, "--out", out, "--rules", "only", "--key-file", key, "--text-column", "body",
        "--id-column", "note_id", "--patient-column", "person", "--keep-column", "ward",
    )  # fmt: skip
    assert done.status == 0, done.err
    with out.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["note_id", "person", "body", "ward"]
    assert [row["ward"] for row in rows] == ["north", "south"]
    assert [row["body"] for row in rows] == ["Seen [DATE-1]", "Seen [DATE-2]"]
    assert rows[0]["person"] == rows[1]["person"] != "A"
    assert "Zebulon" not in out.read_text()


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_columns_that_masking_dropped_come_back_with_the_map(
    suffix: str, tmp_path: Path, key: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "correct horse")
    notes = [replace(make_note(number), meta={"ward": "north", "nurse": "Zebulon"}) for number in range(3)]
    source, out, back = (tmp_path / f"{name}{suffix}" for name in ("src", "out", "back"))
    if suffix == ".csv":
        rows = [("id", "patient", "text", "ward", "nurse")]
        rows += [(note.id, note.patient, note.text, "north", "Zebulon") for note in notes]
        with source.open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)
    else:
        write_corpus(notes, source, suffix[1:])
    options = ("--rules", "only", "--key-file", key, "--keep-map", tmp_path / "map", "--keep-column", "ward")
    assert deidlab(capsys, "mask", source, "--out", out, *options).status == 0
    assert b"Zebulon" not in out.read_bytes() and b"Zebulon" not in (tmp_path / "map").read_bytes()
    assert deidlab(capsys, "restore", out, "--map", tmp_path / "map", "--out", back).status == 0
    restored = [(note.id, note.patient, note.text, dict(note.meta)) for note in read_corpus(back)]
    assert restored == [(note.id, note.patient, note.text, dict(note.meta)) for note in notes]


def test_ids_are_kept_on_request(tmp_path: Path, key: Path, capsys: Capture) -> None:
    source = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    out = tmp_path / "o.jsonl"
    done = deidlab(
        capsys, "mask", source, "--out", out, "--rules", "only", "--key-file", key, "--ids", "keep"
    )
    assert done.status == 0
    assert (read_jsonl(out)[0]["id"], read_jsonl(out)[0]["patient"]) == ("n00000", "p0000")


def test_what_is_said(tmp_path: Path, key: Path, capsys: Capture) -> None:
    (tmp_path / "notes").mkdir()
    for name in "ab":
        (tmp_path / "notes" / f"{name}.txt").write_text("Seen on 03/04/2065.")
    done = deidlab(capsys, "mask", tmp_path / "notes", "--out", tmp_path / "o1", "--rules", "only")
    assert "cannot be repeated" in done.err and "intervals across notes are lost" in done.err
    key.chmod(0o644)
    done = deidlab(
        capsys,
        "mask",
        tmp_path / "notes",
        "--out",
        tmp_path / "o2",
        "--rules",
        "only",
        "-q",
        "--key-file",
        key,
    )
    assert "can be read by others" in done.err and "cannot be repeated" not in done.err
    done = deidlab(
        capsys, "mask", tmp_path / "notes", "--out", tmp_path / "o2", "--rules", "only", "--key-file", key
    )
    assert done.status == 1 and "already there" in done.err
    done = deidlab(capsys, "mask", tmp_path / "notes", "--out", tmp_path / "o3", "--model", "nowhere")
    assert done.status == 1 and "nowhere: no such model folder" in done.err
    assert not (tmp_path / "o3").exists() and not list(tmp_path.glob(".o3*"))
    done = deidlab(capsys, "mask", tmp_path / "notes", "--rules", "only")
    assert done.status == 2


def test_annotations_on_unmasked_text_are_warned_about(tmp_path: Path, key: Path, capsys: Capture) -> None:
    source = write_jsonl([make_note(0)], tmp_path / "n.jsonl")
    allow = tmp_path / "allow.txt"
    allow.write_text("Okonjo\n")
    done = deidlab(
        capsys,
        "mask",
        source,
        "--out",
        tmp_path / "o.jsonl",
        "--rules",
        "only",
        "--key-file",
        key,
        "--allow",
        allow,
    )
    assert "1 annotations of the source stand on text that was not masked" in done.err


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path, key: Path, capsys: Capture) -> None:
    source = write_jsonl([make_note(n) for n in range(4)], tmp_path / "n.jsonl", with_spans=False)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = deidlab(capsys, "mask", source, "--rules", "only", "--dry-run", "--json", "--key-file", key)
    counts = json.loads(done.out)
    dates = next(row for row in counts["types"] if row["label"] == "DATE")
    assert (counts["notes"], dates["found"], dates["masked"]) == (4, 8, 8)
    assert set(dates["would_add"]) == {"0.4", "0.3", "0.2", "0.1"}
    stricter = deidlab(
        capsys,
        "mask",
        source,
        "--rules",
        "only",
        "--dry-run",
        "--json",
        "--key-file",
        key,
        "--threshold",
        "1",
    )
    added = next(row for row in json.loads(stricter.out)["types"] if row["label"] == "DATE")
    assert added["found"] == 0 and added["would_add"]["0.4"] == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert "DATE" in deidlab(capsys, "mask", source, "--rules", "only", "--dry-run", "-q").out


def test_standard_input_to_standard_output(tmp_path: Path, key: Path) -> None:
    arguments = ("mask", "-", "--out", "-", "--rules", "only", "--key-file", key)
    done = deidlab_process(*arguments, input="Seen on 03/04/2065 — naïve.\r\n")
    assert (done.status, done.out) == (0, "Seen on [DATE-1] — naïve.\n")  # text mode reads \r\n as \n
    lines = "".join(json.dumps({"text": f"Seen 03/0{n}/2065"}) + "\n" for n in (4, 5))
    done = deidlab_process(*arguments, "--from", "jsonl", input=lines)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["text"] for row in rows] == ["Seen [DATE-1]", "Seen [DATE-2]"]  # one patient: numbers go on
    assert rows[0]["patient"] == rows[1]["patient"]


def test_one_file_to_one_file_or_to_standard_output(tmp_path: Path, key: Path, capsys: Capture) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen on 03/04/2065.")
    options = ("--rules", "only", "--key-file", key)
    assert deidlab(capsys, "mask", note, "--out", tmp_path / "masked.txt", *options).status == 0
    assert (tmp_path / "masked.txt").read_text() == "Seen on [DATE-1]."
    assert deidlab_process("mask", note, "--out", "-", *options).out == "Seen on [DATE-1]."


def test_failed_notes_are_listed_with_their_real_names_for_their_owner_alone(
    tmp_path: Path, key: Path, capsys: Capture
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "good.txt").write_text("Seen on 03/04/2065.")
    (tmp_path / "notes" / "smith.txt").write_bytes(b"\xff")
    listed = tmp_path / "failed.jsonl"
    done = deidlab(
        capsys, "mask", tmp_path / "notes", "--out", tmp_path / "o", "--rules", "only", "--key-file", key,
        "--failures", listed,
    )  # fmt: skip
    assert done.status == 3 and "smith" not in done.err
    assert read_jsonl(listed)[0]["file"] == str(tmp_path / "notes" / "smith.txt")
    assert listed.stat().st_mode & 0o777 == 0o600
    assert len(list((tmp_path / "o").iterdir())) == 1
    assert "smith" not in (tmp_path / "o.deidlab" / "record.json").read_text()


def test_keys(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new.key"
    assert deidlab(capsys, "key", "new", path).status == 0
    assert len(path.read_bytes()) == 32 and path.stat().st_mode & 0o777 == 0o600
    assert deidlab(capsys, "key", "new", path).status == 1
    note = tmp_path / "note.txt"
    note.write_text("Seen on 03/04/2065.")
    short = write_key(tmp_path, b"too short")
    done = deidlab(capsys, "mask", note, "--out", tmp_path / "o.txt", "--rules", "only", "--key-file", short)
    assert done.status == 1 and "at least 16 bytes" in done.err
    monkeypatch.setenv("DEIDLAB_KEY_FILE", str(path))
    done = deidlab(capsys, "mask", note, "--out", tmp_path / "o.txt", "--rules", "only")
    assert done.status == 0 and "cannot be repeated" not in done.err


def test_the_record_says_what_was_done_and_names_nobody(tmp_path: Path, key: Path, capsys: Capture) -> None:
    source = write_jsonl([make_note(n) for n in range(5)], tmp_path / "n.jsonl")
    out = tmp_path / "o.jsonl"
    deidlab(capsys, "mask", source, "--spans", source, "--out", out, "--key-file", key)
    folder = tmp_path / "o.jsonl.deidlab"
    assert folder.stat().st_mode & 0o777 == 0o700
    record = json.loads((folder / "record.json").read_text())
    assert (record["notes"], record["masked"], record["failed"], record["patients"]) == (5, 5, 0, 2)
    assert {(row["label"], row["source"], row["n"]) for row in record["replaced"]} == {
        ("DATE", "people", 10), ("PATIENT", "people", 5)}  # fmt: skip
    assert record["settings"]["style"] == "tag" and len(record["settings"]["key"]) == 16
    whole = "".join(path.read_text() for path in folder.iterdir())
    for secret in ("Okonjo", "n0000", "p0000", str(tmp_path), "2065", key.read_text()):
        assert secret not in whole


def test_the_passphrase_comes_from_a_file_and_never_from_the_command_line(
    tmp_path: Path, key: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen on 03/04/2065.")
    arguments = (
        "mask",
        note,
        "--out",
        tmp_path / "o.txt",
        "--rules",
        "only",
        "--key-file",
        key,
        "--keep-map",
        tmp_path / "m",
    )
    done = deidlab(capsys, *arguments)
    assert done.status == 1 and "DEIDLAB_MAP_PASSPHRASE_FILE" in done.err
    (tmp_path / "phrase").write_text("correct horse\n")
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE_FILE", str(tmp_path / "phrase"))
    assert deidlab(capsys, *arguments).status == 0
    monkeypatch.setenv("DEIDLAB_MAP_PASSPHRASE", "wrong horse")
    done = deidlab(
        capsys, "restore", tmp_path / "o.txt", "--map", tmp_path / "m", "--out", tmp_path / "b.txt"
    )
    assert done.status == 1 and "wrong secret" in done.err and not (tmp_path / "b.txt").exists()


def test_blocks_or_a_mark(tmp_path: Path, key: Path, capsys: Capture) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen on 03/04/2065.")
    options = ("--rules", "only", "--key-file", key, "--style", "redact", "--overwrite", "-q")
    out = tmp_path / "masked.txt"
    assert deidlab(capsys, "mask", note, "--out", out, *options).status == 0
    assert out.read_text() == "Seen on ██████████."
    assert deidlab(capsys, "mask", note, "--out", out, *options, "--redact-mark", "[…]").status == 0
    assert out.read_text() == "Seen on […]."
    assert deidlab(capsys, "mask", note, "--out", out, *options, "--redact-mark", " ").status == 1


def test_a_wanted_recall_is_held_or_refused(tmp_path: Path, key: Path, capsys: Capture) -> None:
    gold = write_jsonl([make_note(n) for n in range(200)], tmp_path / "gold.jsonl")
    policy = tmp_path / "wanted.toml"
    policy.write_text('like = "i2b2"\nrecall = 0.9\n')
    arguments = ("mask", gold, "--out", tmp_path / "o.jsonl", "--rules", "only", "--policy", policy,
                 "--key-file", key, "--workers", "1")  # fmt: skip
    refused = deidlab(capsys, *arguments)
    assert refused.status == 1 and "no calibration says which threshold holds it" in refused.err
    calibration = tmp_path / "c.json"
    found = ("--out", tmp_path / "f.jsonl", "--write-calibration", calibration, "--workers", "1", "-q")
    assert deidlab(capsys, "detect", gold, "--rules", "only", *found).status == 0
    done = deidlab(capsys, *arguments, "--calibration", calibration)
    assert done.status == 0 and "holds the wanted recall (0.9 of all PHI)" in done.err
    both = deidlab(capsys, *arguments, "--calibration", calibration, "--threshold", "0.9", "--overwrite")
    assert both.status == 2 and "no --threshold" in both.err
    # What people marked is masked as it is: nothing can be missed.
    assert deidlab(capsys, *arguments, "--spans", gold, "--overwrite").status == 0


def test_a_known_table_that_fits_no_note_is_warned_about(tmp_path: Path, key: Path, capsys: Capture) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("7-1", "8-1"):
        (tmp_path / "notes" / f"{name}.txt").write_text("wexby came on 03/04/2065.")
    table = tmp_path / "known.csv"
    table.write_text("patient,name\np7,Wexby\np8,Ploom\n")
    arguments = ("mask", tmp_path / "notes", "--rules", "only", "--known", table, "--key-file", key)
    done = deidlab(capsys, *arguments, "--out", tmp_path / "a")
    warning = "nothing of the --known table was found (patients in it: 2; notes: 2)"
    assert warning in done.err
    for command in (("mask", "--out", tmp_path / "c", "-q", "--json"), ("mask", "--dry-run", "-q"),
                    ("detect", "--out", tmp_path / "d.jsonl", "-q")):  # fmt: skip
        done = deidlab(capsys, *command, tmp_path / "notes", "--rules", "only", "--known", table)
        assert done.status == 0 and warning in done.err, command
    table.write_text("patient,name\n7,Wexby\n8,Ploom\n")
    done = deidlab(capsys, *arguments, "--out", tmp_path / "b", "--patient-from", "^([0-9])")
    assert "known table" not in done.err
    texts = {path.read_text() for path in (tmp_path / "b").glob("*.txt")}
    assert texts == {"[PATIENT-1] came on [DATE-1].", "wexby came on [DATE-1]."}


def test_an_empty_known_table_is_an_error(tmp_path: Path, key: Path, capsys: Capture) -> None:
    (tmp_path / "note.txt").write_text("wexby came on 03/04/2065.")
    table = tmp_path / "known.csv"
    table.write_text("patient,name\n")
    for command in ("mask", "detect"):
        out = tmp_path / f"{command}.jsonl"
        done = deidlab(
            capsys, command, tmp_path / "note.txt", "--rules", "only", "--known", table, "--out", out
        )
        assert done.status == 1 and "no identifier in it" in done.err
        assert not out.exists()


def test_a_table_of_one_patient_is_about_standard_input(tmp_path: Path, key: Path) -> None:
    table = tmp_path / "known.csv"
    table.write_text("patient,name\n7,Wexby\n")
    arguments = ("mask", "-", "--out", "-", "--rules", "only", "--known", table, "--key-file", key, "-q")
    assert deidlab_process(*arguments, input="wexby came.").out == "[PATIENT-1] came."
    lines = json.dumps({"id": "a", "text": "wexby came."}) + "\n"
    assert "wexby" not in deidlab_process(*arguments, "--from", "jsonl", input=lines).out
