"""Notes that try to break masking: empty, huge, binary, wrongly encoded, repetitive, crowded, right to left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.corpus.raw import MAX_NOTE_CHARACTERS
from tests.e2e.command import Outcome, deidlab
from tests.unit.pipeline.notes import read_jsonl, write_key

Capture = pytest.CaptureFixture[str]
PARAGRAPH = (
    "BP 120/80, pulse 72. Furosemide 40 mg twice a day, creatinine 1.7, chest clear, wound dry, home soon.\n"
    * 99
)


def mask(capsys: Capture, source: Path, out: Path, *more: str | Path) -> Outcome:
    key = source.parent / "site.key"
    if not key.exists():
        write_key(source.parent)
    return deidlab(
        capsys, "mask", source, "--out", out, "--rules", "only", "--key-file", key, "--workers", "1", *more
    )


def test_an_empty_note_and_one_of_white_space(tmp_path: Path, capsys: Capture) -> None:
    for name, text in (("empty", ""), ("white", " \n\t\r\n")):
        source, out = tmp_path / f"{name}.txt", tmp_path / f"{name}-out.txt"
        source.write_bytes(text.encode())
        assert mask(capsys, source, out).status == 0
        assert out.read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("data", "as_latin"),
    [(bytes(range(256)) * 4, 3), (b"Seen by Zebulon \xe9 on 03/04/2065", 0)],
)
def test_binary_and_other_encodings_fail_by_name(
    data: bytes, as_latin: int, tmp_path: Path, capsys: Capture
) -> None:
    source, out = tmp_path / "note.txt", tmp_path / "out.txt"
    source.write_bytes(data)
    done = mask(capsys, source, out)
    assert done.status == 2 and not out.exists()
    assert "is not utf-8; name the right one with --encoding" in done.err
    assert "Zebulon" not in done.err
    assert mask(capsys, source, out, "--encoding", "latin-1").status == as_latin


def test_one_note_of_another_encoding_among_others_fails_alone(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "notes", tmp_path / "out"
    source.mkdir()
    (source / "a.txt").write_text("Seen on 03/04/2065")
    (source / "b.txt").write_bytes(b"Seen by Zebulon \xe9 on 03/04/2065")
    done = mask(capsys, source, out)
    assert done.status == 3 and len(list(out.iterdir())) == 1
    assert "byte 16 is not utf-8" in done.err and "Zebulon" not in done.err


def test_one_word_repeated(tmp_path: Path, capsys: Capture) -> None:
    for name, text in (
        ("a", "Smith " * 50_000),
        ("b", "a" * 300_000),
        ("c", "1" * 100_000),
        ("d", "-/." * 50_000),
    ):
        source, out = tmp_path / f"{name}.txt", tmp_path / f"{name}-out.txt"
        source.write_text(text)
        assert mask(capsys, source, out).status == 0


def test_ten_thousand_spans(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "n.jsonl", tmp_path / "o.jsonl"
    text = "".join(f"Seen {1 + n % 12:02}/{1 + n % 28:02}/{2030 + n % 60}.\n" for n in range(10_000))
    spans = [{"start": 17 * n + 5, "end": 17 * n + 15, "label": "DATE"} for n in range(10_000)]
    source.write_text(json.dumps({"id": "n", "text": text, "spans": spans}) + "\n")
    for style in ("tag", "surrogate", "redact"):
        done = mask(capsys, source, out, "--spans", source, "--style", style, "--overwrite", "--json")
        assert done.status == 0
        assert json.loads(done.out)["replaced"] == [{"label": "DATE", "source": "people", "n": 10_000}]
        row = read_jsonl(out)[0]
        assert len(row["spans"]) == 10_000  # type: ignore[arg-type]


def test_right_to_left_text_keeps_every_character_outside(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "n.txt", tmp_path / "o.txt"
    text = "המטופל נראה בתאריך 03/04/2065 \u202eمرحبا\u202c ثم عاد 11/04/2065.\n"
    source.write_text(text)
    assert mask(capsys, source, out).status == 0
    assert out.read_text() == text.replace("03/04/2065", "[DATE-1]").replace("11/04/2065", "[DATE-2]")


def test_five_megabytes_in_one_note(tmp_path: Path, capsys: Capture) -> None:
    check_large(tmp_path, capsys, 5)


@pytest.mark.timeout(900)
def test_fifty_megabytes_in_one_note(tmp_path: Path, capsys: Capture) -> None:
    check_large(tmp_path, capsys, 50)


def check_large(tmp_path: Path, capsys: Capture, megabytes: int) -> None:
    source, out = tmp_path / "n.txt", tmp_path / "o.txt"
    piece = "Seen on 03/04/2065.\n" + PARAGRAPH
    n = megabytes * 1_000_000 // len(piece) + 1
    source.write_text(piece * n)
    done = mask(capsys, source, out)
    assert done.status == 0, done.err
    assert out.read_text() == piece.replace("03/04/2065", "[DATE-1]") * n


def test_more_than_64_mebi_is_refused(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "n.txt", tmp_path / "o.txt"
    source.write_bytes(b"a " * (MAX_NOTE_CHARACTERS // 2) + b"a")
    done = mask(capsys, source, out)
    assert done.status == 3 and "the limit is 64 Mi" in done.err and not out.exists()
