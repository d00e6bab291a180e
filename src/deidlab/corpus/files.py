"""Files on disk: read whole within limits, named after ids, and written so that half a file never shows."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote

from deidlab.errors import CorpusError
from deidlab.files import appearing
from deidlab.inputfile import MAX_BYTES, open_input, read_input
from deidlab.types import Document

MAX_FILE_BYTES = MAX_BYTES
SIDECAR = ".meta.json"

# What every common file system takes in a name; everything else is written as %XX.
_SAFE = " !#$&'()+,-.;=@[]^_`{}~"


def read_bytes(path: Path) -> bytes:
    """The whole file, refused where it is too large for one note."""
    try:
        return read_input(path)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The whole file as text, with line ends and any byte-order mark kept as they are."""
    return decode(read_bytes(path), path, encoding)


def decode(data: bytes, path: Path, encoding: str = "utf-8") -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}: byte {error.start} is not {encoding}; name the right one with --encoding"
        ) from None
    except UnicodeError:
        raise CorpusError(f"{path}: is not {encoding}; name the right one with --encoding") from None
    except LookupError:
        raise CorpusError(f"unknown encoding '{encoding}'") from None
    refuse_nul(text, path)
    return text


def refuse_nul(text: str, path: Path, where: str = "character") -> None:
    position = text.find("\0")
    if position >= 0:
        raise CorpusError(f"{path}: a NUL at {where} {position}; this is not a text file")


def read_beside(path: Path, side: Path, encoding: str = "utf-8") -> str:
    """The text of a file that belongs to a note's file; what is wrong with it is told by its ending alone."""
    try:
        return read_text(side, encoding)
    except CorpusError as error:
        ending = SIDECAR if side.name.endswith(SIDECAR) else side.suffix
        raise CorpusError(f"{path}: its {ending} file: {str(error).removeprefix(f'{side}: ')}") from None


def bounded_lines(stream: IO[str], path: Path, limit: int) -> Iterator[str]:
    """The lines of a text; one that is longer than the limit is refused before it fills the memory."""
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise CorpusError(f"{path}: line {number} is longer than {limit >> 20} Mi characters")
        yield line


def numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file and their numbers; None stands for a line that is too long to be a note."""
    number = 0
    while line := stream.readline(MAX_FILE_BYTES + 1):
        number += 1
        if len(line) > MAX_FILE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_FILE_BYTES)
            yield number, None
        else:
            yield number, line


def lines_of(path: Path) -> Iterator[bytes | None]:
    """The lines of a file that are not blank; None for one that is too long to be a note."""
    try:
        with open_input(path) as stream:
            yield from (line for _, line in numbered_lines(stream) if line is None or line.strip())
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def list_files(source: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The files below a folder that end in one of the suffixes, in an order that every machine agrees on."""
    for folder, name in walk_files(source, suffixes):
        yield Path(folder, name)


def walk_files(source: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The same as folder and name."""
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(suffixes) and not name.startswith("."):
                yield folder, name


def id_to_name(document_id: str) -> str:
    """A file name that holds the id, and gives it back through `name_to_id`."""
    name = quote(document_id, safe=_SAFE)
    if name.startswith("."):
        name = "%2E" + name[1:]
    if name.endswith((".", " ")):
        name = f"{name[:-1]}%{ord(name[-1]):02X}"
    if len(name) > 200:
        raise CorpusError(
            f"an id of {len(document_id)} characters is too long for a file name; write jsonl or parquet"
        )
    return name


def name_to_id(name: str) -> str:
    """The mirror of `id_to_name`; a name that it did not make is the id as it stands."""
    if "%" not in name:
        return name
    with contextlib.suppress(CorpusError, UnicodeDecodeError):
        document_id = unquote(name, errors="strict")
        if id_to_name(document_id) == name:
            return document_id
    return name


_PATIENT_AND_RECORD = re.compile(r"(\d+)-\d+")


def patient_of_name(document_id: str) -> str:
    """i2b2's way of naming: `220-03` is the third record of patient 220; any other name says nothing."""
    match = _PATIENT_AND_RECORD.fullmatch(document_id)
    return match.group(1) if match else document_id


def sidecar_bytes(document: Document, usual_patient: str) -> bytes | None:
    """What a one-document file cannot hold, or None where there is nothing of the kind."""
    extra: dict[str, Any] = {}
    if document.patient != usual_patient:
        extra["patient"] = document.patient
    if document.meta:
        extra["meta"] = dict(document.meta)
    return (json.dumps(extra, ensure_ascii=False) + "\n").encode() if extra else None


def read_sidecar(path: Path, stem: str) -> tuple[str, dict[str, Any]]:
    """Patient (empty where not said) and meta from the file `STEM.meta.json` beside `path`."""
    if not os.path.exists(f"{path.parent}{os.sep}{stem}{SIDECAR}"):  # noqa: PTH110 (called once a note)
        return "", {}
    sidecar = path.with_name(stem + SIDECAR)
    try:
        extra = json.loads(read_beside(path, sidecar))
        patient, meta = extra.get("patient", ""), dict(extra.get("meta", {}))
        if isinstance(patient, bool) or not isinstance(patient, str | int):
            raise TypeError
        return str(patient), meta
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise CorpusError(f"{path}: its {SIDECAR} file is not the JSON object that it should be") from None


@contextlib.contextmanager
def complete_file(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to; the file gets its real name only when all went well."""
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path, path.stem, path.suffix)
    with appearing(path, partial):
        partial.touch(exist_ok=False)
        yield partial


def same_kind(name: str, new: frozenset[str]) -> bool:
    """Whether a file has an ending that new ones have, and so may be of an output like theirs."""
    if "/" in name or name.startswith("."):
        return False
    ending = Path(name).suffix
    return name.endswith(SIDECAR) or any(each.endswith(ending) for each in new if ending)


def same_name(name: str, new: frozenset[str]) -> bool:
    """Whether a new file takes its place."""
    return name in new


@contextlib.contextmanager
def complete_folder(
    path: Path, overwrite: bool = False, is_own: Callable[[str, frozenset[str]], bool] = same_kind
) -> Iterator[Path]:
    """A folder to write into; it gets its real name only when all went well.

    A folder that is there is replaced only where `is_own` says of each of its files, given the names of the
    new ones, that it may go.
    """
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path, path.name)
    try:
        partial.mkdir()
        yield partial
        if path.is_dir():
            new = frozenset(names_below(partial))
            refuse_foreign(path, lambda name: is_own(name, new))
        if path.exists():
            old = partial.with_name(partial.name + ".old")
            path.rename(old)
            partial.rename(path)
            shutil.rmtree(old)
        else:
            partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def refuse_existing(path: Path, overwrite: bool) -> None:
    if overwrite or not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    raise CorpusError(f"{path}: already there; choose another name, or replace it with --overwrite")


def refuse_foreign(folder: Path, is_own: Callable[[str], bool]) -> None:
    """Raise where a folder that is to be replaced holds files that an output of ours does not have."""
    n_foreign = sum(not is_own(name) for name in names_below(folder))
    if n_foreign:
        files = "a file" if n_foreign == 1 else f"{n_foreign} files"
        raise CorpusError(
            f"{folder}: holds {files} that this command did not write, and --overwrite does not remove "
            "what is yours; choose another name, or remove the folder yourself"
        )


def names_below(folder: Path) -> Iterator[str]:
    """Every file below a folder, by its path from there."""
    for below, _, names in os.walk(folder):
        for name in names:
            yield Path(below, name).relative_to(folder).as_posix()


def refuse_overlap(
    outputs: Iterable[Path | None], inputs: Iterable[Path | None], inside: bool = False
) -> None:
    """Raise where something to write is, holds or lies inside something to read, links followed.

    `inside` allows the last: for models, beside whose files others may stand.
    """
    read = [path.resolve() for path in inputs if path is not None]
    for output in outputs:
        place = None if output is None else output.resolve()
        for source in read:
            if place is None:
                continue
            if place == source or place in source.parents or (source in place.parents and not inside):
                raise CorpusError(
                    f"{output}: is, holds or lies inside what is read; write somewhere else, so that nothing "
                    "of the source is lost"
                )


def _partial(path: Path, name: str, ending: str = "") -> Path:
    """A name beside `path` that nothing has."""
    return path.parent / f".{name[:40]}.partial-{secrets.token_hex(8)}{ending}"
