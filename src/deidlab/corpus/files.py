"""Files on disk: read whole within limits, named after ids, and written so that half a file never shows."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from deidlab.errors import CorpusError
from deidlab.types import Document

MAX_FILE_BYTES = 128 * 1024 * 1024
SIDECAR = ".meta.json"

# What every common file system takes in a name; everything else is written as %XX.
_SAFE = " !#$&'()+,-.;=@[]^_`{}~"


def read_bytes(path: Path) -> bytes:
    """The whole file, refused where it is too large for one note."""
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 (half the time of Path.open)
            if os.fstat(stream.fileno()).st_size > MAX_FILE_BYTES:
                raise CorpusError(f"{path}: more than 128 MiB is too much for one note")
            return stream.read()
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
    except LookupError:
        raise CorpusError(f"unknown encoding '{encoding}'") from None
    refuse_nul(text, path)
    return text


def refuse_nul(text: str, path: Path, where: str = "character") -> None:
    position = text.find("\0")
    if position >= 0:
        raise CorpusError(f"{path}: a NUL at {where} {position}; this is not a text file")


def list_files(source: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The files below a folder that end in one of the suffixes, in an order that every machine agrees on."""
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(suffixes) and not name.startswith("."):
                yield Path(folder, name)


def id_to_name(document_id: str) -> str:
    """A file name that holds the id, and gives it back through `name_to_id`."""
    name = quote(document_id, safe=_SAFE)
    if name.startswith("."):
        name = "%2E" + name[1:]
    if name.endswith((".", " ")):
        name = f"{name[:-1]}%{ord(name[-1]):02X}"
    if len(name) > 200:
        raise CorpusError(
            f"document {document_id[:40]}…: the id is too long for a file name; write jsonl or parquet"
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
        extra = json.loads(read_text(sidecar))
        return str(extra.get("patient", "")), dict(extra.get("meta", {}))
    except (ValueError, AttributeError, TypeError):
        raise CorpusError(f"{sidecar}: not the JSON object that belongs to {path.name}") from None


@contextlib.contextmanager
def complete_file(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to; the file gets its real name only when all went well."""
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path, path.stem, path.suffix)
    # Made inside: an interrupt right after it is made leaves nothing behind either.
    try:
        partial.touch(exist_ok=False)
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def complete_folder(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """A folder to write into; it gets its real name only when all went well."""
    refuse_existing(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path, path.name)
    try:
        partial.mkdir()
        yield partial
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


def _partial(path: Path, name: str, ending: str = "") -> Path:
    """A name beside `path` that nothing has."""
    return path.parent / f".{name[:40]}.partial-{secrets.token_hex(8)}{ending}"
