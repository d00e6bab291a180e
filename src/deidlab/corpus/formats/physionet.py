"""PhysioNet's deid corpus: all notes in `NAME.text`, places of PHI in `NAME.phi`.

    START_OF_RECORD=12||||3||||          Patient 12<TAB>Note 3
    … the note …                         23<TAB>23<TAB>42
    ||||END_OF_RECORD

Offsets count from the line after the header; each place is start, start, end. `NAME.phi` has no types, so
spans are labelled PHI, unless `NAME-phi.phrase` (patient, note, start, end, type, phrase) lies beside it.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from deidlab.corpus.files import bounded_lines, read_beside
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import MAX_NOTE_CHARACTERS, Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError
from deidlab.inputfile import open_input

_SIDES = (".phi", "-phi.phrase")
_Record = tuple[str, str]
_START = re.compile(r"START_OF_RECORD=([^|]+)\|\|\|\|([^|]+)\|\|\|\|\s*", re.IGNORECASE)
_END = "||||END_OF_RECORD"
_HEADER = re.compile(r"Patient\s+(\S+)\s+Note\s+(\S+)\s*", re.IGNORECASE)


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    side = next((each for each in _SIDES if path.name.endswith(each)), None)
    if side is not None:
        if not path.with_name(f"{path.name.removesuffix(side)}.text").exists():
            raise CorpusError(f"{path}: there is no .text file beside it")
        return
    stem = path.name.removesuffix(".text")
    phi, phrases = path.with_name(f"{stem}.phi"), path.with_name(f"{stem}-phi.phrase")
    if phrases.exists():
        places = _read_phrases(read_beside(path, phrases, settings.encoding), path)
    elif phi.exists():
        places = _read_places(read_beside(path, phi, settings.encoding), path)
    else:
        raise CorpusError(f"{path}: there is no .phi file beside it")
    try:
        with open_input(path) as binary:
            stream = io.TextIOWrapper(binary, encoding=settings.encoding, newline="")
            yield from _read_notes(stream, path, places)
    except UnicodeDecodeError:
        raise CorpusError(f"{path}: is not {settings.encoding}; name the right one with --encoding") from None
    except (OSError, LookupError) as error:
        raise CorpusError(f"{path}: {getattr(error, 'strerror', None) or 'cannot be read'}") from None
    for patient, note in places:
        yield BadDocument(path, "a record of its .phi or .phrase file has no text", f"{patient}-{note}")


def _read_notes(
    stream: IO[str], path: Path, places: dict[_Record, list[Annotation]]
) -> Iterator[RawDocument | BadDocument]:
    record: _Record | None = None
    lines: list[str] = []
    length = began = 0
    for number, line in enumerate(bounded_lines(stream, path, MAX_NOTE_CHARACTERS), start=1):
        if "\0" in line:
            raise CorpusError(f"{path}: a NUL on line {number}; this is not a text file")
        if record is None:
            match = _START.fullmatch(line)
            if match:
                record, lines, length, began = (match.group(1), match.group(2)), [], 0, number
            elif line.strip():
                raise CorpusError(f"{path}: line {number} stands outside any record")
        elif line.rstrip().endswith(_END):
            lines.append(line.rstrip().removesuffix(_END))
            found = tuple(places.pop(record, ()))
            yield RawDocument(path, f"{record[0]}-{record[1]}", "".join(lines), found, record[0])
            record = None
        else:
            lines.append(line)
            length += len(line)
            if length > MAX_NOTE_CHARACTERS:
                raise CorpusError(f"{path}: the record that line {number} belongs to is longer than 64 Mi")
    if record is not None:
        raise CorpusError(f"{path}: ends inside the record that begins on line {began}")


def _read_places(lines: str, path: Path) -> dict[_Record, list[Annotation]]:
    places: dict[_Record, list[Annotation]] = defaultdict(list)
    record: _Record | None = None
    for number, line in enumerate(lines.split("\n"), start=1):
        match = _HEADER.fullmatch(line)
        if match:
            record = (match.group(1), match.group(2))
            places[record] = places[record]
        elif line.strip():
            if record is None:
                raise CorpusError(f"{path}: its .phi file: line {number} comes before any 'Patient … Note …'")
            try:
                start, _, end = (int(cell) for cell in line.split())
            except ValueError:
                raise CorpusError(f"{path}: its .phi file: line {number} is not 'START START END'") from None
            places[record].append(Annotation(start, end, "PHI"))
    return dict(places)


def _read_phrases(lines: str, path: Path) -> dict[_Record, list[Annotation]]:
    places: dict[_Record, list[Annotation]] = defaultdict(list)
    for number, line in enumerate(lines.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            patient, note, start, end, label, *phrase = line.rstrip("\r").split(" ", 5)
            annotation = Annotation(int(start), int(end), label, phrase[0] if phrase else None)
        except ValueError:
            raise CorpusError(
                f"{path}: its .phrase file: line {number} is not 'PATIENT NOTE START END TYPE PHRASE'"
            ) from None
        places[(patient, note)].append(annotation)
    return dict(places)


def begins(head: bytes) -> bool:
    return head.startswith(b"START_OF_RECORD=")


FORMAT = register(
    Format(name="physionet", suffixes=(".text",), side_suffixes=_SIDES, read=read, begins=begins)
)
