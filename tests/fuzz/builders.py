"""Notes in, a corpus on disk out: one small builder a format, with a sentinel in whatever the format can hold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from tests.fuzz.sentinels import Sentinels
from tests.fuzz.structures import Note, file_name, whole


@dataclass
class Built:
    """A corpus and what a command must be told to read it."""

    path: Path
    format: str
    options: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Site:
    """Where a builder works, and with what."""

    folder: Path
    random: Random
    words: Sentinels

    def put(self, name: str, data: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else encode(data))
        return path

    def one_file(self, suffix: str) -> str:
        return self.words.plant("source-name") + suffix


def encode(text: str) -> bytes:
    """As UTF-8; half a pair is written as a careless program writes it."""
    return text.encode("utf-8", "surrogatepass")


def stem(note: Note) -> str:
    """The note's path without its suffix."""
    name = file_name(str(note.id))
    return f"{note.folder}/{name}" if note.folder else name


def put_side_file(note: Note, site: Site) -> None:
    if site.random.random() < 0.5:
        extra = {
            "patient": note.patient,
            "meta": note.meta,
            site.words.plant("key"): site.words.plant("side"),
        }
        site.put(f"{stem(note)}.meta.json", json.dumps(extra))


def spans_of(note: Note, with_text: bool = False) -> list[dict[str, Any]]:
    spans = []
    for mark in note.marks:
        span = {"start": mark.start, "end": mark.end, "label": mark.label}
        span |= {"source": mark.source} if mark.source else {}
        span |= {"score": mark.score} if mark.score is not None else {}
        if with_text or mark.quoted is not None:
            span["text"] = quote_of(note, mark.start, mark.end) if mark.quoted is None else mark.quoted
        spans.append(span)
    return spans


def quote_of(note: Note, start: Any, end: Any) -> str:
    whole = isinstance(start, int) and isinstance(end, int)
    return str(note.text)[start:end] if whole else ""


def attribute(text: Any) -> str:
    return escape(str(text), {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def content(text: Any) -> str:
    return escape(str(text), {"\r": "&#13;"})


def build_i2b2(notes: Sequence[Note], site: Site) -> Built:
    for note in notes:
        tag = site.words.plant("tag").upper()
        comment = site.words.plant("comment")
        rows = "".join(
            f'<{tag if number % 3 == 2 else "NAME"} id="{comment}" start="{mark.start}" end="{mark.end}" '
            f'text="{attribute(quote_of(note, mark.start, mark.end) if mark.quoted is None else mark.quoted)}" '
            f'TYPE="{attribute(mark.label)}" source="{attribute(mark.source)}" {tag}="{comment}" comment="{comment}"/>\n'
            for number, mark in enumerate(note.marks)
        )
        page = f"<{tag}><!-- {comment} --><TEXT>{content(note.text)}</TEXT><TAGS>{rows}</TAGS></{tag}>"
        site.put(f"{stem(note)}.xml", f'<?xml version="1.0" encoding="UTF-8" ?>\n{page}\n')
        put_side_file(note, site)
    return Built(site.folder, "i2b2")


def build_i2b2_2006(notes: Sequence[Note], site: Site) -> Built:
    records = []
    for note in notes:
        text, reached = "", 0
        for mark in sorted((m for m in note.marks if isinstance(m.start, int)), key=lambda m: m.start):
            if reached <= mark.start < mark.end:
                inside = (
                    f'<PHI TYPE="{attribute(mark.label)}">{content(note.text[mark.start : mark.end])}</PHI>'
                )
                text += content(note.text[reached : mark.start]) + inside
                reached = mark.end
        text += content(note.text[reached:])
        tag, value = site.words.plant("tag"), site.words.plant("comment")
        ids = f'ID="{attribute(note.id)}" PATIENT="{attribute(note.patient)}" {tag}="{value}"'
        records.append(f"<RECORD {ids}><!-- {value} --><TEXT>{text}</TEXT><{tag}>{value}</{tag}></RECORD>\n")
    page = f'<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n{"".join(records)}</ROOT>\n'
    return Built(site.put(site.one_file(".xml"), page), "i2b2-2006")


def build_brat(notes: Sequence[Note], site: Site) -> Built:
    for note in notes:
        lines = []
        for number, mark in enumerate(note.marks, 1):
            quoted = quote_of(note, mark.start, mark.end) if mark.quoted is None else mark.quoted
            quoted = re.sub(r"[\t\n\r]", " ", str(quoted))
            lines.append(f"T{number}\t{mark.label} {mark.start} {mark.end}\t{quoted}\n")
            lines.append(f"#{number}\tAnnotatorNotes T{number}\t{site.words.plant('comment')}\n")
            if mark.source:
                said = json.dumps({"source": mark.source, "score": mark.score})
                lines.append(f"#{number + 50}\tDeidLabDetector T{number}\t{said}\n")
        site.put(f"{stem(note)}.txt", note.text)
        site.put(f"{stem(note)}.ann", "".join(lines))
        put_side_file(note, site)
    return Built(site.folder, "brat")


def build_inline(notes: Sequence[Note], site: Site) -> Built:
    for note in notes:
        text, reached = "", 0
        for mark in sorted((m for m in note.marks if isinstance(m.start, int)), key=lambda m: m.start):
            if reached <= mark.start < mark.end:
                text += f"{note.text[reached : mark.start]}<{mark.label}>{note.text[mark.start : mark.end]}</{mark.label}>"
                reached = mark.end
        site.put(f"{stem(note)}.tagged.txt", text + note.text[reached:])
        put_side_file(note, site)
    return Built(site.folder, "inline")


def build_conll(notes: Sequence[Note], site: Site) -> Built:
    lines = []
    for note in notes:
        lines.append(f"-DOCSTART-\t{note.id}\t{note.patient}\tO\n\n")
        sound = [m for m in note.marks if isinstance(m.start, int) and isinstance(m.end, int)]
        edges = {edge for mark in sound for edge in (mark.start, mark.end)}
        for match in re.finditer(r"\S+", note.text):
            cuts = sorted(
                {match.start(), match.end(), *(e for e in edges if match.start() < e < match.end())}
            )
            for start, end in pairwise(cuts):
                mark = next((m for m in sound if m.start <= start < m.end), None)
                tag = "O" if mark is None else f"{'B' if start == mark.start else 'I'}-{mark.label}"
                lines.append(f"{note.text[start:end]}\t{start}\t{end}\t{tag}\n")
        lines.append("\n")
    return Built(site.put(site.one_file(".conll"), "".join(lines)), "conll")


def build_jsonl(notes: Sequence[Note], site: Site) -> Built:
    kept = site.words.plant("kept-column")
    lines = []
    for note in notes:
        record = {"id": note.id, "patient": note.patient, "text": note.text, "meta": note.meta}
        record |= {"spans": spans_of(note, site.random.random() < 0.3)} if note.marks else {}
        record |= {
            site.words.plant("key"): {site.words.plant("key"): [site.words.plant("cell")]},
            kept: site.words.plant("kept-cell"),
        }
        lines.append(json.dumps(record, ensure_ascii=site.random.random() < 0.3) + "\n")
    return Built(site.put(site.one_file(".jsonl"), "".join(lines)), "jsonl", kept=[kept])


def table_of(notes: Sequence[Note], site: Site) -> tuple[list[str], list[list[Any]], Built]:
    """Header and rows; a third of the tables have names of their own for their columns."""
    own = site.random.random() < 0.3
    names = {key: site.words.plant("named-column") if own else key for key in ("id", "patient", "text")}
    kept, other = site.words.plant("kept-column"), site.words.plant("column")
    header = [*names.values(), "spans", "meta", kept, other]
    rows = [
        [
            note.id,
            note.patient,
            note.text,
            spans_of(note),
            note.meta,
            site.words.plant("kept-cell"),
            site.words.plant("cell"),
        ]
        for note in notes
    ]
    options = [each for key, name in names.items() for each in (f"--{key}-column", name)] if own else []
    return header, rows, Built(site.folder, "csv", options, [kept])


def build_csv(notes: Sequence[Note], site: Site) -> Built:
    header, rows, built = table_of(notes, site)
    suffix = site.random.choice((".csv", ".csv", ".tsv"))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter="\t" if suffix == ".tsv" else ",", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    for row in rows:
        writer.writerow([json.dumps(cell) if isinstance(cell, list | dict) else cell for cell in row])
    built.path = site.put(site.one_file(suffix), stream.getvalue())
    return built


def build_parquet(notes: Sequence[Note], site: Site) -> Built:
    import pyarrow as pa
    import pyarrow.parquet as pq

    header, rows, built = table_of(notes, site)
    cells = [
        [json.dumps(c) if isinstance(c, list | dict) else None if c is None else whole(str(c)) for c in row]
        for row in rows
    ]
    table = pa.table(
        {name: pa.array([row[n] for row in cells], pa.string()) for n, name in enumerate(header)}
    )
    built.path, built.format = site.folder / site.one_file(".parquet"), "parquet"
    pq.write_table(table, built.path)
    return built


def build_txt(notes: Sequence[Note], site: Site) -> Built:
    for note in notes:
        site.put(f"{stem(note)}.txt", note.text)
        put_side_file(note, site)
    return Built(site.folder, "txt")


def build_physionet(notes: Sequence[Note], site: Site) -> Built:
    text, places, phrases = "", "", ""
    for number, note in enumerate(notes, 1):
        text += f"START_OF_RECORD={note.patient}||||{number}||||\n{note.text}\n||||END_OF_RECORD\n\n"
        places += f"Patient {note.patient}\tNote {number}\n"
        for mark in note.marks:
            places += f"{mark.start}\t{mark.start}\t{mark.end}\n"
            phrases += f"{note.patient} {number} {mark.start} {mark.end} {mark.label} {quote_of(note, mark.start, mark.end)}\n"
    name = site.words.plant("source-name")
    site.put(f"{name}.phi", places)
    if site.random.random() < 0.3:
        site.put(f"{name}-phi.phrase", phrases)
    return Built(site.put(f"{name}.text", text), "physionet")


BUILDERS: dict[str, Callable[[Sequence[Note], Site], Built]] = {
    "i2b2": build_i2b2,
    "i2b2-2006": build_i2b2_2006,
    "brat": build_brat,
    "inline": build_inline,
    "conll": build_conll,
    "jsonl": build_jsonl,
    "csv": build_csv,
    "parquet": build_parquet,
    "txt": build_txt,
    "physionet": build_physionet,
}
ONE_NOTE_A_FILE = ("i2b2", "brat", "inline", "txt")
WITHOUT_SPANS = ("txt",)
