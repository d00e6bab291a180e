"""What goes wrong with notes, and with the files that hold them.

`loses_count` says that the fault decides how many notes there are, `mangles` that words may be cut or offsets moved, so that
nobody can say what must be masked, `relabels` that words carry labels that some policies keep,
`spreads` that a file of many notes fails as a whole. The case's generator decides all else.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.builders import Built
from tests.fuzz.sentinels import Sentinels
from tests.fuzz.structures import Mark, Note

ODD_NAMES = (
    "..",
    ".",
    "a/b",
    "%2F",
    "-",
    " ",
    "CON",
    "a" * 300,
    "x\ny",
    "\ud800",
    "e\u0301",
    "\u202e",
    "0",
    "null",
    "-rf",
    "a\0b",
    "=1+1",
    "",
)
HUGE = (10**30, -1, 2**63, 1e308, "12", None, True, 2.5, [0], float("nan"))
DEEP = 100_000


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong before a command runs."""

    name: str
    do: Callable[..., None]
    loses_count: bool = False
    mangles: bool = False
    formats: tuple[str, ...] = ()
    relabels: bool = False
    spreads: bool = False


def lone_surrogate(note: Note, random: Random, words: Sentinels) -> None:
    spoilt = random.choice(("id", "patient", "text"))
    setattr(note, spoilt, f"{getattr(note, spoilt)}\ud800")


def nul(note: Note, random: Random, words: Sentinels) -> None:
    spoilt = random.choice(("id", "patient", "text"))
    setattr(note, spoilt, f"{getattr(note, spoilt)}\0")


def odd_id(note: Note, random: Random, words: Sentinels) -> None:
    note.id = random.choice(ODD_NAMES)


def odd_patient(note: Note, random: Random, words: Sentinels) -> None:
    note.patient = random.choice((*ODD_NAMES, None, 7, [words.plant("patient")], {words.plant("key"): 1}))


def empty_text(note: Note, random: Random, words: Sentinels) -> None:
    note.text, note.marks = random.choice(("", " ", "\n")), []


def wrong_type(note: Note, random: Random, words: Sentinels) -> None:
    spoilt = random.choice(("id", "text", "meta", "marks"))
    value: Any = {
        "id": [words.plant("id")],
        "text": {words.plant("plain"): words.plant("plain")},
        "meta": [words.plant("cell")],
        "marks": [],
    }
    setattr(note, spoilt, value[spoilt])


def huge_offsets(note: Note, random: Random, words: Sentinels) -> None:
    note.marks.append(Mark(random.choice(HUGE), random.choice(HUGE), "DATE"))


def bad_mark(note: Note, random: Random, words: Sentinels) -> None:
    length = len(str(note.text))
    start, end = random.choice(((5, 5), (5, 2), (0, length + 9), (-3, 4)))
    note.marks.append(
        Mark(
            start,
            end,
            random.choice(("DATE", "", "A B", "x\ny", words.plant("label"))),
            words.plant("origin"),
        )
    )


def wrong_quote(note: Note, random: Random, words: Sentinels) -> None:
    note.marks.append(Mark(0, 1, "DATE", quoted=words.plant("quoted")))


def odd_source(note: Note, random: Random, words: Sentinels) -> None:
    value = random.choice(({words.plant("key"): words.plant("origin")}, [words.plant("origin")], 7, "\ud800"))
    note.marks.append(Mark(0, 1, "DATE", value, random.choice((None, 2, "x", words.plant("origin")))))


def overlap(note: Note, random: Random, words: Sentinels) -> None:
    for mark in list(note.marks):
        label = random.choice(("AGE", "DATE", "ZIP", words.plant("label").upper()))
        note.marks.append(
            Mark(max(0, mark.start - random.randint(0, 4)), mark.end + random.randint(0, 1), label)
        )


def relabel(note: Note, random: Random, words: Sentinels) -> None:
    """A word marked as what it is not: an age without a number, a date that is none."""
    for mark in note.marks:
        mark.label = random.choice(("AGE", "DATE", "ZIP"))


def deep_meta(note: Note, random: Random, words: Sentinels) -> None:
    inner: Any = words.plant("cell")
    for _ in range(400):
        inner = {words.plant("key"): inner} if random.random() < 0.01 else [inner]
    note.meta = {"deep": inner}


def long_note(note: Note, random: Random, words: Sentinels) -> None:
    note.text += "The patient is well. " * random.choice((4_000, 9_000))


ANY_FIELD = ("jsonl", "csv")
NOTE_FAULTS = (
    Fault("lone surrogate", lone_surrogate, spreads=True),
    Fault("NUL", nul, spreads=True),
    Fault("odd id", odd_id, True, True),
    Fault("odd patient", odd_patient, mangles=True, formats=(*ANY_FIELD, "txt", "brat", "inline", "i2b2")),
    Fault("empty text", empty_text),
    Fault("wrong type", wrong_type, True, True, ANY_FIELD),
    Fault("huge offsets", huge_offsets, formats=(*ANY_FIELD, "i2b2", "brat", "physionet", "parquet")),
    Fault("bad mark", bad_mark, formats=(*ANY_FIELD, "i2b2", "brat", "parquet")),
    Fault("wrong quote", wrong_quote, formats=(*ANY_FIELD, "i2b2", "brat")),
    Fault("odd source", odd_source, formats=(*ANY_FIELD, "parquet")),
    Fault("overlap", overlap, formats=(*ANY_FIELD, "i2b2", "brat", "parquet")),
    Fault("label of another kind", relabel, relabels=True),
    Fault("deep meta", deep_meta, formats=(*ANY_FIELD, "txt", "brat")),
    Fault("long note", long_note),
)


def files_of(built: Built) -> list[Path]:
    if built.path.is_file():
        return [built.path]
    return sorted(path for path in built.path.rglob("*") if path.is_file())


def flip_bytes(built: Built, random: Random, words: Sentinels) -> None:
    path = random.choice(files_of(built))
    data = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 4)):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)
    path.write_bytes(data)


def truncate(built: Built, random: Random, words: Sentinels) -> None:
    path = random.choice(files_of(built))
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data) + 1)])


def bad_bytes(built: Built, random: Random, words: Sentinels) -> None:
    path = random.choice(files_of(built))
    data = path.read_bytes()
    place = random.randrange(len(data) + 1)
    path.write_bytes(
        data[:place]
        + random.choice((b"\xff", b"\0", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1a", b"\x1c"))
        + data[place:]
    )


def other_encoding(built: Built, random: Random, words: Sentinels) -> None:
    path = random.choice(files_of(built))
    text = path.read_bytes().decode("utf-8", "replace")
    path.write_bytes(text.encode(random.choice(("utf-16", "utf-32", "cp1252", "utf-8-sig")), "replace"))


def empty_file(built: Built, random: Random, words: Sentinels) -> None:
    random.choice(files_of(built)).write_bytes(random.choice((b"", b"\n", b" ", b"\xef\xbb\xbf")))


def no_header(built: Built, random: Random, words: Sentinels) -> None:
    built.path.write_bytes(built.path.read_bytes().partition(b"\n")[2])


def second_header(built: Built, random: Random, words: Sentinels) -> None:
    """Another table in the folder whose first row is a note."""
    other = built.path.with_name(f"{words.plant('file')}{built.path.suffix}")
    other.write_text(f'"{words.plant("cell")}","Seen {words.plant("plain")} today"\n' * 2)
    built.path = built.path.parent


def missing_side(built: Built, random: Random, words: Sentinels) -> None:
    sides = [
        path
        for path in sorted(built.path.parent.rglob("*"))
        if path.suffix in (".ann", ".phi", ".phrase", ".txt")
    ]
    for path in sides[:1]:
        path.unlink()


def odd_side(built: Built, random: Random, words: Sentinels) -> None:
    """A side file that is not the object it should be."""
    path = random.choice(files_of(built))
    name = path.name.partition(".")[0] + ".meta.json"
    odd = ("[" * DEEP, "[]", json.dumps(words.plant("side")), '{"meta": 7}', '{"patient": {"a": []}}', "", "{", '{"meta": ' + '{"a":' * DEEP,
           f'{{"patient": "{words.plant("side")}\\ud800"}}', json.dumps({"meta": [[words.plant("side"), 1]]}), "1" * 5000)  # fmt: skip
    path.with_name(name).write_text(random.choice(odd))


def deep_line(built: Built, random: Random, words: Sentinels) -> None:
    with built.path.open("ab") as stream:
        stream.write(b'{"id": "deep", "text": "x", "spans": ' + b"[" * DEEP + b"\n")


def strange_line(built: Built, random: Random, words: Sentinels) -> None:
    word = words.plant("plain")
    lines = ("null", "7", f'"{word}"', "[]", '{"text": 1}', f'{{"text": "{word}', "NaN", "{}", "1" * 5000,
             '{"id": 1e999, "text": "x"}', f'{{"id": "{words.plant("id")}", "text": null}}')  # fmt: skip
    with built.path.open("a") as stream:
        stream.write(random.choice(lines) + "\n")


def pipe_inside(built: Built, random: Random, words: Sentinels) -> None:
    os.mkfifo(_beside(built, words))


def endless_link(built: Built, random: Random, words: Sentinels) -> None:
    _beside(built, words).symlink_to(random.choice(("/dev/zero", "/dev/stdin", "/proc/self/mem", "/dev/tty")))


def dead_link(built: Built, random: Random, words: Sentinels) -> None:
    (path := _beside(built, words)).symlink_to(random.choice((words.plant("file"), str(path), path.parent)))


def folder_named_like_a_note(built: Built, random: Random, words: Sentinels) -> None:
    _beside(built, words).mkdir()


def name_of_no_encoding(built: Built, random: Random, words: Sentinels) -> None:
    name = os.fsencode(built.path / words.plant("file")) + b"\xff" + _suffix(built).encode()
    with contextlib.suppress(OSError):
        Path(os.fsdecode(name)).write_bytes(b"Nothing to see.\n")


def _suffix(built: Built) -> str:
    return {"i2b2": ".xml", "inline": ".tagged.txt"}.get(built.format, ".txt")


def _beside(built: Built, words: Sentinels) -> Path:
    return built.path / f"{words.plant('file')}{_suffix(built)}"


TEXT_FILES = ("i2b2", "i2b2-2006", "brat", "inline", "conll", "jsonl", "csv", "txt", "physionet")
FOLDERS = ("i2b2", "brat", "inline", "txt")
FILE_FAULTS = (
    Fault("flipped bytes", flip_bytes, True, True),
    Fault("truncated", truncate, True, True),
    Fault("bad bytes", bad_bytes, True, True),
    Fault("other encoding", other_encoding, True, True, TEXT_FILES),
    Fault("empty file", empty_file, True, True),
    Fault("no header", no_header, True, True, ("csv",)),
    Fault("another table without a header", second_header, True, False, ("csv",)),
    Fault("missing side file", missing_side, True, False, ("brat", "physionet")),
    Fault("odd side file", odd_side, True, True, FOLDERS),
    Fault("deep line", deep_line, True, False, ("jsonl",)),
    Fault("strange line", strange_line, True, False, ("jsonl",)),
    Fault("pipe in the folder", pipe_inside, True, False, FOLDERS),
    Fault("endless link", endless_link, True, False, FOLDERS),
    Fault("dead link", dead_link, True, False, FOLDERS),
    Fault("folder named like a note", folder_named_like_a_note, True, False, FOLDERS),
    Fault("file name of no encoding", name_of_no_encoding, True, False, FOLDERS),
)


def choose(faults: Sequence[Fault], format: str, random: Random) -> Fault:
    """One of those that the format can have."""
    return random.choice([fault for fault in faults if not fault.formats or format in fault.formats])
