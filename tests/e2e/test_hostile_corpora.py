"""Corpora with one thing in them that is not as it should be: it costs that note alone, and nothing of it is told.

Each case has two good notes beside the bad one. `mask` and `detect` go on and list it, `corpus check` reports it, and
neither the terminal, nor `--json`, nor the record, nor the audit page holds a word of the data or a file's name.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command import Outcome, deidlab
from tests.unit.pipeline.notes import read_jsonl, write_key

Capture = pytest.CaptureFixture[str]
FIRST, LAST = "Zebulon", "Quillfeather"
GOOD = "Seen on 03/04/2065, BP 120/80.\n"


@dataclass(frozen=True)
class Room:
    """A source, and a folder for all that may be shared."""

    source: Path
    shared: Path
    key: Path
    capsys: Capture

    def mask(self, *more: str | Path, source: str | Path | None = None, out: str = "out") -> Outcome:
        return deidlab(
            self.capsys, "mask", source or self.source, "--out", self.shared / out, "--rules", "only",
            "--key-file", self.key, "--workers", "1", *more,
        )  # fmt: skip

    def refuse_leaks(self, *outcomes: Outcome) -> None:
        told = "".join(done.out + done.err for done in outcomes)
        for path in self.shared.rglob("*"):
            told += path.name + (path.read_text("utf-8", "replace") if path.is_file() else "")
        for word in (FIRST, LAST):
            assert word.lower() not in told.lower(), told


@pytest.fixture
def room(tmp_path: Path, capsys: Capture) -> Room:
    for name in ("notes", "shared", "private"):
        (tmp_path / name).mkdir()
    return Room(tmp_path / "notes", tmp_path / "shared", write_key(tmp_path / "private"), capsys)


def audit(room: Room, out: str = "out") -> Outcome:
    page = room.shared / "audit.html"
    done = deidlab(room.capsys, "audit", room.shared / out, "--report", page, "--overwrite")
    assert done.status == 0 and page.exists(), done.err
    return done


def write_rows(folder: Path) -> None:
    (folder / "a.csv").write_text(f"id,text\n1,{GOOD.strip()}\n2,{GOOD.strip()}\n".replace("065, ", "065 "))


# --- one note among others ------------------------------------------------------------------------------


def a_table_without_names(folder: Path) -> None:
    write_rows(folder)
    (folder / "b.csv").write_text(f"7,{FIRST} {LAST} was seen,{LAST}\n8,again,{LAST}\n")


def columns_of_the_same_name(folder: Path) -> None:
    write_rows(folder)
    (folder / "b.csv").write_text(f"id,text,text\n7,{FIRST},{LAST}\n")


def write_texts(folder: Path) -> None:
    (folder / "a.txt").write_text(GOOD)
    (folder / "b.txt").write_text(GOOD)


def side_file(data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        write_texts(folder)
        (folder / f"{FIRST} {LAST}.txt").write_text(GOOD)
        (folder / f"{FIRST} {LAST}.meta.json").write_bytes(data)

    return write


def a_pipe(folder: Path) -> None:
    write_texts(folder)
    os.mkfifo(folder / f"{LAST}.txt")


def a_pipe_beside(folder: Path) -> None:
    write_texts(folder)
    (folder / f"{LAST}.txt").write_text(GOOD)
    os.mkfifo(folder / f"{LAST}.meta.json")


def a_link_to_an_endless_device(folder: Path) -> None:
    write_texts(folder)
    (folder / f"{LAST}.txt").symlink_to("/dev/zero")


def a_link_to_nowhere(folder: Path) -> None:
    write_texts(folder)
    (folder / f"{LAST}.txt").symlink_to("/nowhere/at/all")


def a_name_that_is_not_utf8(folder: Path) -> None:
    write_texts(folder)
    Path(os.fsdecode(os.fsencode(folder) + b"/" + LAST.encode() + b"\xe9\xff.txt")).write_text(GOOD)


def write_brat(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(GOOD)
        (folder / f"{name}.ann").write_text("T1\tDATE 8 18\t03/04/2065\n")


def brat(annotations: bytes | None) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        write_brat(folder)
        (folder / f"{FIRST} {LAST}.txt").write_text(GOOD)
        if annotations is not None:
            (folder / f"{FIRST} {LAST}.ann").write_bytes(annotations)

    return write


def inline(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in ("a", "b"):
            (folder / f"{name}.tagged.txt").write_text("Seen on <DATE>03/04/2065</DATE>.\n")
        (folder / "c.tagged.txt").write_text(text)

    return write


def jsonl(line: str | bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        good = [json.dumps({"id": name, "text": GOOD}).encode() for name in ("a", "b")]
        bad = line.encode() if isinstance(line, str) else line
        (folder / "notes.jsonl").write_bytes(b"\n".join((good[0], bad, good[1], b"")))

    return write


def conll(lines: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in ("a", "b"):
            (folder / f"{name}.conll").write_text("Seen\tO\n03/04/2065\tB-DATE\n")
        (folder / "c.conll").write_text(lines)

    return write


def physionet(places: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        notes = "".join(f"START_OF_RECORD={n}||||1||||\n{GOOD}||||END_OF_RECORD\n" for n in (1, 2))
        (folder / "id.text").write_text(notes)
        (folder / "id.phi").write_text(f"Patient 1\tNote 1\n8\t8\t18\n{places}")

    return write


DEEP = b"[" * 200_000
SPAN = '{"start": 0, "end": 4, "label": "DATE"'
CASES: dict[str, Callable[[Path], None]] = {
    "a table without a row of names": a_table_without_names,
    "two columns of the same name": columns_of_the_same_name,
    "a side file that is a list": side_file(f'["{FIRST}"]'.encode()),
    "a side file that is nested too deep": side_file(b'{"meta": ' + DEEP),
    "a side file that is not UTF-8": side_file(LAST.encode() + b"\xff"),
    "a side file whose meta is nested": side_file(b'{"meta": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}"),
    "a side file that is a pipe": a_pipe_beside,
    "a pipe": a_pipe,
    "a link to an endless device": a_link_to_an_endless_device,
    "a link to nowhere": a_link_to_nowhere,
    "a name that is not UTF-8": a_name_that_is_not_utf8,
    "brat without annotations": brat(None),
    "brat that is not brat": brat(f"{FIRST} {LAST}\n".encode()),
    "brat with a note that is nested": brat(b"T1\tDATE 8 18\t03/04/2065\n#1\tDeidLabDetector T1\t" + DEEP),
    "brat with a score that is none": brat(
        b'T1\tDATE 8 18\t03/04/2065\n#1\tDeidLabDetector T1\t{"score": "high"}\n'
    ),
    "a tag that is never closed": inline(f"x\n<{LAST.upper()}>{FIRST}"),
    "a tag that was not opened": inline(f"x\n{FIRST}</{LAST.upper()}>"),
    "half a pair in an id": jsonl(f'{{"id": "{LAST} \\ud800", "text": "x"}}'),
    "half a pair in a patient": jsonl(f'{{"id": "x", "patient": "{LAST} \\ud800", "text": "x"}}'),
    "half a pair in a text": jsonl(f'{{"id": "{LAST}", "text": "{LAST} \\ud800"}}'),
    "half a pair in a field": jsonl(f'{{"id": "x", "text": "{LAST}", "w": "\\ud800"}}'),
    "half a pair in a label": jsonl('{"id": "x", "text": "long", "spans": [{"start": 0, "end": 4, "label": "\\ud800"}]}'),
    "a source that is an object": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "source": {{"{LAST}": 1}}}}]}}'),
    "a quote that is a number": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "text": 7}}]}}'),
    "a score that is true": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "score": true}}]}}'),
    "a score past one": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "score": 1e300}}]}}'),
    "a score that is no number": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "score": NaN}}]}}'),
    "a score of 400 digits": jsonl(f'{{"id": "x", "text": "long", "spans": [{SPAN}, "score": 1{"0" * 400}}}]}}'),
    "an offset that is a float": jsonl('{"id": "x", "text": "long", "spans": [{"start": 0.0, "end": 4.0, "label": "DATE"}]}'),
    "an offset that is true": jsonl('{"id": "x", "text": "long", "spans": [{"start": 0, "end": true, "label": "DATE"}]}'),
    "an offset of 400 digits": jsonl(f'{{"id": "x", "text": "long", "spans": [{{"start": 0, "end": 1{"0" * 400}, "label": "DATE"}}]}}'),
    "an id that is true": jsonl('{"id": true, "text": "long"}'),
    "a patient that is an object": jsonl(f'{{"id": "x", "patient": {{"name": "{LAST}"}}, "text": "long"}}'),
    "a line that is nested too deep": jsonl(b'{"id": "x", "text": "long", "meta": ' + DEEP),
    "fields that are nested": jsonl(b'{"id": "x", "text": "long", "meta": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}"),
    "CoNLL offsets past all memory": conll(f"{LAST}\t900000000000\t900000000012\tO\n"),
    "PhysioNet places without a note": physionet(f"Patient {LAST}\tNote {FIRST}\n1\t1\t2\n"),
}  # fmt: skip
# Read only: nothing is written in this format.
READ_ONLY = ("PhysioNet places without a note",)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", [case for case in CASES if case not in READ_ONLY])
def test_masking_goes_on_and_tells_nothing(case: str, room: Room) -> None:
    CASES[case](room.source)
    done = room.mask("--json")
    assert done.status == 3, done.err
    record = json.loads(done.out)
    assert (record["masked"], record["failed"]) == (2, 1)
    assert "internal error" not in record["failures"][0]["reason"]
    suffixed = next(path for path in room.shared.iterdir() if path.suffix != ".deidlab")
    room.refuse_leaks(done, audit(room, suffixed.name))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES)
def test_marking_goes_on(case: str, room: Room) -> None:
    CASES[case](room.source)
    found = room.shared.parent / "found.jsonl"
    done = deidlab(
        room.capsys, "detect", room.source, "--out", found, "--rules", "only", "--workers", "1", "--json"
    )
    assert done.status == 3, done.err
    assert len(read_jsonl(found)) == 2
    room.refuse_leaks(done)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES)
def test_a_check_reports_it(case: str, room: Room) -> None:
    CASES[case](room.source)
    for more in ((), ("--json",)):
        done = deidlab(room.capsys, "corpus", "check", room.source, *more)
        assert done.status == 1 and "internal error" not in done.err + done.out, done.err
    report = json.loads(done.out)
    assert len(report["problems"]) == 1
    assert FIRST not in report["problems"][0]["message"] and LAST not in report["problems"][0]["message"]
    converted = deidlab(
        room.capsys,
        "corpus",
        "convert",
        room.source,
        room.shared / "out.jsonl",
        "--to",
        "jsonl",
        "--keep-going",
    )
    assert converted.status == 3 and len(read_jsonl(room.shared / "out.jsonl")) == 2


# --- databases ------------------------------------------------------------------------------------------


def clinic(folder: Path, cell: object, column: str = "TEXT") -> str:
    path = folder / "clinic.db"
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE notes (id INTEGER PRIMARY KEY, text {column}, ward {column})")
        rows = [(1, GOOD, "W1"), (2, cell, "W1"), (3, GOOD, "W1")]
        database.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
    return f"sqlite:///{path}?table=notes"


@pytest.mark.parametrize(
    "cell", [f"Patient {LAST} é".encode(), 12, 1.5, b""], ids=["bytes", "int", "float", "no bytes"]
)
def test_a_cell_that_is_not_text_fails_its_row(cell: object, room: Room) -> None:
    done = room.mask("--json", source=clinic(room.source, cell, ""), out="out.jsonl")
    assert done.status == 3, done.err
    record = json.loads(done.out)
    assert (record["masked"], record["failed"]) == (2, 1)
    assert record["failures"][0]["reason"].startswith("row 2 in the order of the key")
    room.refuse_leaks(done)
    assert "b'" not in (room.shared / "out.jsonl").read_text()


@pytest.mark.parametrize("column", ["text", "ward"])
def test_text_that_is_not_utf8_costs_its_row_alone(column: str, room: Room) -> None:
    url = clinic(room.source, "x")
    with sqlite3.connect(room.source / "clinic.db") as database:
        database.execute(f"UPDATE notes SET {column} = CAST(x'5a6562756c6f6eff' AS TEXT) WHERE id = 2")
    done = room.mask("--json", source=url, out="out.jsonl")
    record = json.loads(done.out)
    # A column that nobody keeps may hold what it likes.
    assert (done.status, record["masked"]) == ((3, 2) if column == "text" else (0, 3))
    room.refuse_leaks(done)
    again = room.mask("--keep-column", "ward", "--json", source=url, out="again.jsonl")
    assert again.status == done.status
    room.refuse_leaks(again)


def test_keys_that_look_alike_when_joined_are_two_notes(room: Room) -> None:
    path = room.source / "clinic.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE notes (a TEXT, b TEXT, text TEXT, PRIMARY KEY (a, b))")
        rows = [("1", "2-3", GOOD), ("1-2", "3", GOOD), ("1", "2", GOOD)]
        database.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
    done = room.mask("--ids", "keep", source=f"sqlite:///{path}?table=notes", out="out.jsonl")
    assert done.status == 0, done.err
    assert [row["id"] for row in read_jsonl(room.shared / "out.jsonl")] == ["1-2", "1-2%2D3", "1%2D2-3"]


def test_a_pipe_in_place_of_a_database(room: Room) -> None:
    os.mkfifo(room.source / "clinic.db")
    done = room.mask(source=f"sqlite:///{room.source / 'clinic.db'}?table=notes", out="out.jsonl")
    assert done.status == 1 and "not a regular file" in done.err


# --- what passes through --------------------------------------------------------------------------------


def test_who_marked_a_span_stays_out_of_what_is_shared(room: Room) -> None:
    sources = [f"review:{LAST}", f"review:{FIRST}+{LAST}", LAST, "rules:date", f"rules:{LAST}", ""]
    text = " ".join(["03/04/2065"] * len(sources))
    spans = [
        {"start": 11 * n, "end": 11 * n + 10, "label": "DATE", **({"source": source} if source else {})}
        for n, source in enumerate(sources)
    ]
    notes = room.source / "notes.jsonl"
    notes.write_text(json.dumps({"id": "a", "text": text, "spans": spans}) + "\n")
    for out, more in (("given.jsonl", ("--spans", notes)), ("found.jsonl", ())):
        done = room.mask(*more, "--json", source=notes, out=out)
        assert done.status == 0, done.err
        room.refuse_leaks(done, audit(room, out))
        written = read_jsonl(room.shared / out)[0]["spans"]
        assert [span.get("source") for span in written] == [
            "review",
            "review",
            "other",
            "rules",
            "rules",
            None,
        ]  # type: ignore[attr-defined]
    dry = room.mask("--dry-run", "--spans", notes, "--json", source=notes)
    room.refuse_leaks(dry)


@pytest.mark.parametrize("given", [True, False])
def test_a_label_that_nobody_knows_is_not_written(given: bool, room: Room) -> None:
    notes = room.source / "notes.jsonl"
    rows = [
        {"id": "a", "text": GOOD, "spans": [{"start": 8, "end": 18, "label": "DATE"}]},
        {"id": "b", "text": GOOD, "spans": [{"start": 8, "end": 18, "label": f"{FIRST} {LAST}"}]},
    ]
    notes.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = room.mask(*(("--spans", notes) if given else ()), "--json", source=notes, out="out.jsonl")
    assert done.status == 0, done.err
    assert "1 annotations of the source have a label that no shipped set has" in done.err
    room.refuse_leaks(done, audit(room, "out.jsonl"))


def test_an_xml_file_that_cannot_be_read_fails_alone(room: Room) -> None:
    good = f"<a><TEXT>{GOOD}</TEXT></a>"
    (room.source / "a.xml").write_text(good)
    # A regular file, by its own account, that gives an error when it is read.
    (room.source / f"{LAST}.xml").symlink_to("/proc/self/mem")
    done = room.mask("--json")
    assert done.status == 3, done.err
    room.refuse_leaks(done)


# --- ids ------------------------------------------------------------------------------------------------


def test_files_of_one_name_in_two_folders_are_two_notes(room: Room) -> None:
    for folder in ("a", "b"):
        (room.source / "sub" / folder).mkdir(parents=True)
        (room.source / "sub" / folder / "note.txt").write_text(GOOD)
    (room.source / "sub" / "other.txt").write_text(GOOD)
    done = room.mask("--ids", "keep")
    assert done.status == 0, done.err
    names = sorted(path.name for path in (room.shared / "out").glob("*.txt"))
    assert names == ["other.txt", "sub%2Fa%2Fnote.txt", "sub%2Fb%2Fnote.txt"]


# --- options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--id-column", "--patient-column"])
@pytest.mark.parametrize("command", ["mask", "detect", "corpus check"])
def test_a_second_column_is_a_usage_error(command: str, option: str, room: Room) -> None:
    (room.source / "a.csv").write_text("id,text,note,patient\n1,a,b,c\n")
    out = () if command == "corpus check" else ("--out", room.shared / "out.csv")
    done = deidlab(room.capsys, *command.split(), room.source, *out, option, "text", f"{option}=note")
    assert done.status == 2
    assert "once" in done.err and option in done.err


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(?:a|aa)+(b)$", "(.*)*x", "^((?:a{1,40}){1,40})$", "^(a*)a*a*a*a*b$", "(" * 5000]
)
@pytest.mark.parametrize("kind", ["txt", "parquet"])
def test_a_pattern_that_would_take_for_ever_is_refused_at_once(pattern: str, kind: str, room: Room) -> None:
    (room.source / f"{'a' * 40}!.txt").write_text(GOOD)
    source = room.source
    if kind == "parquet":
        source = room.shared / "notes.parquet"
        deidlab(room.capsys, "corpus", "convert", room.source, source, "--to", "parquet")
    done = room.mask("--patient-from", pattern, source=source)
    assert done.status == 2 and done.err.count("\n") == 1
    assert "--patient-from" in done.err


def test_a_plain_pattern_still_finds_patients(room: Room) -> None:
    for name in ("p17_2065-03-04_a", "p17_2065-03-05_b", "p18_x_c"):
        (room.source / f"{name}.txt").write_text(GOOD)
    done = room.mask("--patient-from", r"^(p\d+)_[^_]+_[a-z]$", "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["patients"] == 2


# --- large cells ----------------------------------------------------------------------------------------


def test_a_cell_past_what_the_csv_module_takes_by_itself(room: Room) -> None:
    (room.source / "a.csv").write_text("id,text\n1," + "word " * 40_000 + "\n")
    done = room.mask()
    assert done.status == 0, done.err
