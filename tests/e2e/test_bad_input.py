"""Bad input gets one clear line with its place, and exit 1; never a traceback, never note text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import deidlab

SENTINEL = "Zebulon Quillfeather"
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    f"<a><TEXT>{SENTINEL} &c;</TEXT></a>"
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    f"<a><TEXT>{SENTINEL} &x;</TEXT></a>"
)
CASES = {
    "not XML": ("a.xml", f"{SENTINEL} is no XML".encode(), "is not well-formed XML (line 1, column 1)"),
    "truncated XML": ("a.xml", f"<a><TEXT>{SENTINEL}".encode(), "ends too early (line 1, column 30)"),
    "truncated CDATA": ("a.xml", f"<a><TEXT><![CDATA[{SENTINEL}".encode(), "ends too early (line 1,"),
    "crossed tags": ("a.xml", f"<a><TEXT>{SENTINEL}</a></TEXT>".encode(), "is not well-formed XML (line 1,"),
    "empty XML": ("a.xml", b"", "the file is empty"),
    "entity bomb": ("a.xml", BOMB.encode(), "declares XML entities, which are refused"),
    "entity bomb in UTF-16": (
        "a.xml",
        BOMB.replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16"),
        "declares XML entities, which are refused",
    ),
    "external entity": ("a.xml", OUTSIDE.encode(), "declares XML entities, which are refused"),
    "no TEXT": ("a.xml", b"<a><TAGS/></a>", "needs one TEXT element"),
    "XML not UTF-8": ("a.xml", f"<a><TEXT>{SENTINEL} ".encode() + b"\xff</TEXT></a>", "byte 30 is not UTF-8"),
    "NUL in XML": (
        "a.xml",
        f"<a><TEXT>{SENTINEL}\0</TEXT></a>".encode(),
        "is not well-formed XML (line 1, column 30)",
    ),
    "text not UTF-8": ("a.txt", SENTINEL.encode() + b"\xe9", "byte 20 is not utf-8"),
    "NUL in text": ("a.txt", SENTINEL.encode() + b"\0", "a NUL at character 20"),
    "JSONL cut short": ("a.jsonl", f'{{"text": "{SENTINEL}'.encode(), "line 1 is not JSON (column"),
    "JSONL second line": (
        "a.jsonl",
        f'{{"text": "ok"}}\n{{"txt": "{SENTINEL}"}}\n'.encode(),
        "line 2 has no 'text'",
    ),
    "missing column": ("a.csv", f"note\n{SENTINEL}\n".encode(), "no column 'text' (--text-column)"),
    "wrong cells": ("a.csv", f"text,id\n{SENTINEL}\n".encode(), "row 1 (line 2) has 1 cells, not 2"),
    "CSV not UTF-8": ("a.csv", f"text\n{SENTINEL} ".encode() + b"\xe9\n", "not utf-8 after row 0"),
    "not Parquet": ("a.parquet", SENTINEL.encode(), "is not a Parquet file"),
    "offsets": (
        "a.xml",
        f'<a><TEXT>{SENTINEL}</TEXT><TAGS><NAME start="0" end="7" text="Quillf" TYPE="PATIENT"/></TAGS></a>'.encode(),
        "document a 0–7: the quoted text is not what stands at these offsets",
    ),
    "bad inline tag": (
        "a.tagged.txt",
        f"x\n<DATE>{SENTINEL}</AGE>".encode(),
        "line 2: a tag does not match what is open there",
    ),
    "bad CoNLL": ("a.conll", f"{SENTINEL.split()[0]}\n".encode(), "line 1 has no tag column"),
    "unknown format": ("a.doc", SENTINEL.encode(), "cannot tell its format; say --from"),
    "2006 cut short": (
        "a.xml",
        f'<ROOT><RECORD ID="1"><TEXT>{SENTINEL}</TEXT></RECORD><RECORD ID="2">'.encode(),
        "ends too early (line 1,",
    ),
    "2006 bomb": (
        "a.xml",
        BOMB.replace("<a><TEXT>", '<ROOT><RECORD ID="1"><TEXT>').replace("</a>", "</RECORD></ROOT>").encode(),
        "declares XML entities, which are refused",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=list(CASES))
def test_one_clear_line_and_exit_1(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, content, message = CASES[case]
    source = tmp_path / name
    source.write_bytes(content)
    done = deidlab(capsys, "corpus", "convert", source, tmp_path / "out.jsonl", "--to", "jsonl")
    assert done.status == 1
    assert done.err.count("\n") == 1
    assert message in done.err
    assert str(source) in done.err
    assert not (tmp_path / "out.jsonl").exists()
    for word in SENTINEL.split():
        assert word not in done.err + done.out


@pytest.mark.parametrize("case", CASES, ids=list(CASES))
def test_check_and_keep_going_do_not_leak_either(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content, _ = CASES[case]
    source = tmp_path / name
    source.write_bytes(content)
    outcomes = [
        deidlab(capsys, "corpus", "check", source),
        deidlab(capsys, "corpus", "check", source, "--json"),
        deidlab(capsys, "corpus", "stats", source, "--keep-going"),
        deidlab(capsys, "corpus", "split", source, "--out", tmp_path / "s.json", "--keep-going"),
    ]
    for done in outcomes:
        assert done.status in (1, 3)
        for word in SENTINEL.split():
            assert word not in done.err + done.out


def test_an_empty_folder_and_a_missing_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no document of a known format" in deidlab(capsys, "corpus", "check", empty).err
    assert (
        "no i2b2 file (.xml)"
        in deidlab(capsys, "corpus", "check", empty, "--from", "i2b2", "--labels", "hipaa").err
    )
    missing = deidlab(capsys, "corpus", "check", tmp_path / "nowhere")
    assert missing.status == 1
    assert "no such file or folder" in missing.err


def test_unknown_names_offer_the_nearest(
    notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / "x", "--to", "jsnl")
    assert done.err == "deidlab: unknown format 'jsnl'; did you mean jsonl?\n"
    done = deidlab(capsys, "corpus", "check", notes_en, "--labels", "i2b2-2013")
    assert "did you mean i2b2-2014" in done.err
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / "x", "--to", "physionet")
    assert done.status == 2
    assert "unknown format to write 'physionet'" in done.err


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt", "a.csv", "a.xml", "a.conll"])
def test_a_line_of_200_mb_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = {
        "a.jsonl": (b'{"text": "', b'"}\n'),
        "a.csv": (b'text\n"', b'"\n'),
        "a.xml": (b"<a><TEXT>", b"</TEXT></a>"),
        "a.conll": (b"", b"\tO\n"),
    }.get(name, (b"", b""))
    source = tmp_path / name
    with source.open("wb") as stream:
        stream.write(before)
        for _ in range(200):
            stream.write(b"Zebulon " * 125_000 if name != "a.conll" else b"Zebulon-" * 125_000)
        stream.write(after)
    done = deidlab(capsys, "corpus", "convert", source, tmp_path / "out.jsonl", "--to", "jsonl")
    assert done.status == 1
    assert done.err.count("\n") == 1
    assert "Zebulon" not in done.err
    assert any(limit in done.err for limit in ("128 MiB", "64 Mi"))
    source.unlink()


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "gone.txt")
    done = deidlab(capsys, "corpus", "check", tmp_path)
    assert done.status == 1
    assert "No such file" in done.out + done.err


def test_a_folder_that_cannot_be_written(
    notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / "file" / "out", "--to", "brat")
    assert done.status == 1
    assert done.err.count("\n") == 1


def test_a_bug_shows_its_place_but_not_the_data(
    notes_en: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from deidlab.corpus.formats import jsonl

    def broken(document: object) -> None:
        raise RuntimeError(f"unexpected {SENTINEL}")

    monkeypatch.setattr(jsonl, "document_to_record", broken)
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / "out.jsonl", "--to", "jsonl")
    assert done.status == 1
    assert "internal error (RuntimeError at test_bad_input.py:" in done.err
    assert SENTINEL not in done.err
    assert list(tmp_path.iterdir()) == []
