"""A case's notes: text with sentinels in it, ids, patients, marks, other fields. The seed decides all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.fuzz.sentinels import Sentinels

SENTENCES = (
    "Mr. {} was seen on 3/14/2071 at 10:15.",
    "Patient: {}   MRN: 4481227   DOB: 01/02/1970",
    "BP 120/80, HR 72. {} denies chest pain.",
    "Called {} at (555) 555-0147.",
    "A 47 year old man, {} by name, from Springfield, IL 62704.",
    "Dr. {} will follow up on March 3rd, 2071.",
    "Discussed with {}, who agrees.",
    "Seen at Mercy Hospital by {} (pager 31415).",
    "Allergies: {}; penicillin.",
    "{} is 97 M, lives at 12 Elm Street.",
)
ODD = (
    "", "", "", "😀", "👩‍⚕️", "e\u0301", "\u202eabc\u202c", "\ufeff", "\u2028", "\u0085", "\t", "\r\n", "a\u0301\u0323", "ﬁ ½ Ⅻ",
    "\u200b", "שלום", "नमस्ते", "<b>&amp;", "]]>", "<DATE>", "%2F", '"quoted"', "\\n", "\x7f", "\U0010fffd", "a" * 60, "T1\tDATE 0 1\tx",
)  # fmt: skip
MASKED_LABELS = (
    "PATIENT",
    "DOCTOR",
    "STREET",
    "PHONE",
    "MEDICALRECORD",
    "IDNUM",
    "OTHER",
    "USERNAME",
    "EMAIL",
    "ACCOUNT",
)
# Ways to write a term that a list must still find.
FOLDS = (
    "{}",
    "{}",
    "{}",
    "{}",
    "upper",
    "lower",
    "\u00ad",
    "\u200b",
    "\u200e",
    "\u2060",
    "\ufeff",
    "wide",
    "-\n",
)


@dataclass
class Mark:
    """An annotation, as a file has it: any of it may be wrong."""

    start: Any
    end: Any
    label: Any
    source: Any = ""
    score: Any = None
    quoted: Any = None


@dataclass
class Note:
    """A note; `known` are its words that a table of known identifiers has."""

    id: Any
    patient: Any
    text: Any
    marks: list[Mark] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    known: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """What a case's notes must have: kinds of words, and whether names are those of files."""

    kinds: tuple[str, ...]
    names_are_files: bool = False
    folds: bool = True
    strange_labels: bool = True


def make_notes(random: Random, words: Sentinels, wanted: Wanted) -> list[Note]:
    """One to five notes of one to three patients."""
    patients = [words.plant("patient") for _ in range(random.randint(1, 3))]
    notes = []
    for number in range(random.randint(1, 5)):
        name = words.plant("file" if wanted.names_are_files else "id")
        note = Note(f"{name}-{number}", random.choice(patients), "")
        note.meta = {words.plant("key"): words.plant("cell"), "ward": words.plant("cell")}
        if wanted.names_are_files and random.random() < 0.2:
            note.folder = words.plant("folder")
        _write_text(note, random, words, wanted)
        notes.append(note)
    return notes


def _write_text(note: Note, random: Random, words: Sentinels, wanted: Wanted) -> None:
    pieces = [random.choice(ODD), " "]
    for _ in range(random.randint(1, 6)):
        kind = random.choice(wanted.kinds)
        word = words.plant(kind)
        written = fold(word, random.choice(FOLDS)) if kind in ("denied", "known") and wanted.folds else word
        before, after = random.choice(SENTENCES).split("{}")
        pieces.append(before)
        start = sum(map(len, pieces))
        pieces += (written, after, " ", random.choice(ODD), random.choice((" ", "\n", "\n\n")))
        if kind == "marked" or (kind == "plain" and random.random() < 0.2):
            note.marks.append(_mark(start, start + len(written), random, words, wanted))
        getattr(note, kind, []).append(word)
    note.text = "".join(pieces)


def _mark(start: int, end: int, random: Random, words: Sentinels, wanted: Wanted) -> Mark:
    strange = wanted.strange_labels and random.random() < 0.15
    label = words.plant("label").upper() if strange else random.choice(MASKED_LABELS)
    source = f"review:{words.plant('origin')}" if random.random() < 0.2 else ""
    return Mark(start, end, label, source)


def fold(word: str, how: str) -> str:
    """The word in other letters, or with something that nobody sees in its middle."""
    if how in ("upper", "lower"):
        return str(getattr(word, how)())
    if how == "wide":
        return "".join(chr(ord(letter) - 0x21 + 0xFF01) for letter in word)
    if how == "{}":
        return word
    middle = 5
    return word[:middle] + how + word[middle:]


def known_rows(notes: Sequence[Note]) -> list[tuple[str, str]]:
    """(patient, word) for each known word, under every name that its note's patient may go by."""
    return [
        (patient, word)
        for note in notes
        for word in note.known
        for name in (note.patient, note.id, *str(note.id).rpartition("-")[::2], "stdin", "note")
        for patient in dict.fromkeys((str(name), whole(str(name)), file_name(str(name))))
    ]


def whole(text: str) -> str:
    """Without halves of pairs, which some formats cannot hold."""
    return text.encode("utf-8", "replace").decode()


def file_name(name: str) -> str:
    """As a file may be called."""
    return re.sub("[/\0\ud800-\udfff]", "_", name)[:80] or "_"
