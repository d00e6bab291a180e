"""The reverse table of a masking run, encrypted: who was masked as whom, and what each replacement stood for.

A file opens with a header (scrypt's cost and salt), then one AES-256-GCM record a note, and an end
record, so that a file cut short or put together anew is refused. The header and each record's place are
authenticated. The secret (a passphrase, or a key file's bytes) is not the masking key.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from deidlab.errors import ConfigError, CorpusError
from deidlab.files import open_private
from deidlab.mask.apply import landings, undo
from deidlab.mask.keys import cipher_of
from deidlab.types import Document, MaskedDocument, Span, rows_to_spans, spans_to_rows

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_MAGIC = b"DEIDMAP1"
_COST = 15
_MOST_RECORD = 1 << 31
_HEAD = struct.Struct(">8sB16s4s")
Piece = tuple[int, int, str]
Place = tuple[int, int]
"""A record's number in its file, and where it begins."""


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One note: its ids before and after, the stretches of the masked text with what stood there, the SHA-256
    of the masked text, by which a text that changed since is told, all columns that the note had, and the
    annotations that the masked note goes without."""

    id: str = field(repr=False)
    patient: str = field(repr=False)
    masked_id: str
    masked_patient: str
    pieces: tuple[Piece, ...] = field(repr=False)
    masked_sha256: str = field(repr=False, default="")
    meta: Mapping[str, Any] = field(repr=False, default_factory=dict, hash=False)
    spans: tuple[Span, ...] = ()


def entry_of(document: Document, masked: MaskedDocument, masked_patient: str = "") -> MapEntry:
    places = landings(masked.replacements)
    pieces = tuple(
        (start, end, document.text[span.start : span.end])
        for (start, end), (span, _) in zip(places, masked.replacements, strict=True)
    )
    patient = masked_patient or document.patient
    digest = _sha256(masked.text)
    return MapEntry(document.id, document.patient, masked.id, patient, pieces, digest, document.meta)


def restore_text(masked: str, entry: MapEntry | Sequence[Piece]) -> str:
    """The note as it was; a masked text that changed since is refused where the entry knows its digest."""
    if not isinstance(entry, MapEntry):
        return undo(masked, entry)
    if entry.masked_sha256 and _sha256(masked) != entry.masked_sha256:
        raise CorpusError(
            f"document {entry.masked_id}: the text changed since it was masked; it cannot be restored exactly"
        )
    return undo(masked, entry.pieces)


class MapWriter:
    """Writes entries one by one; the file is whole only after `close` (or the end of the `with` block)."""

    def __init__(self, path: str | os.PathLike[str], secret: bytes) -> None:
        _check_secret(secret)
        self.path = Path(path)
        self._head = _HEAD.pack(_MAGIC, _COST, secrets.token_bytes(16), secrets.token_bytes(4))
        self._cipher = _cipher(secret, self._head)
        self._count = 0
        try:
            handle = open_private(self.path, "new")
        except FileExistsError:
            raise ConfigError(f"{self.path}: already exists; a map is never overwritten") from None
        except OSError as error:
            raise ConfigError(f"{self.path}: {error.strerror or 'cannot be written'}") from None
        self._file: BinaryIO = os.fdopen(handle, "wb")
        self._file.write(self._head)

    def write(self, entry: MapEntry) -> None:
        row = [
            entry.id,
            entry.patient,
            entry.masked_id,
            entry.masked_patient,
            entry.masked_sha256,
            entry.pieces,
            dict(entry.meta),
            spans_to_rows(entry.spans),
        ]
        # A column of some library's own type comes back as text.
        self._write(json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8"))

    def close(self) -> None:
        if not self._file.closed:
            self._write(b"end")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> MapWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            # Without its end record the file says by itself that it is not whole.
            self._file.close()

    def _write(self, data: bytes) -> None:
        sealed = self._cipher.encrypt(_nonce(self._head, self._count), data, self._head)
        self._file.write(struct.pack(">I", len(sealed)) + sealed)
        self._count += 1


class MapReader:
    """Reads entries one by one in the order in which they were written."""

    def __init__(self, path: str | os.PathLike[str], secret: bytes) -> None:
        _check_secret(secret)
        self.path = Path(path)
        try:
            with self.path.open("rb") as file:
                self._head = file.read(_HEAD.size)
        except OSError as error:
            raise ConfigError(f"{self.path}: {error.strerror or 'cannot be read'}") from None
        if len(self._head) < _HEAD.size or not self._head.startswith(_MAGIC):
            raise CorpusError(f"{self.path}: not a map that DeidLab wrote")
        if not 10 <= self._head[len(_MAGIC)] <= 20:
            raise CorpusError(f"{self.path}: the map's header is damaged")
        self._cipher = _cipher(secret, self._head)

    def __iter__(self) -> Iterator[MapEntry]:
        return (entry for _, entry in self.places())

    def places(self) -> Iterator[tuple[Place, MapEntry]]:
        """Every entry with its place, by which `entry_at` finds it again."""
        with self.path.open("rb") as file:
            file.seek(_HEAD.size)
            place = (0, file.tell())
            while data := self._record(file):
                plain = self._open(place[0], data)
                if plain == b"end":
                    if file.read(1):
                        raise CorpusError(f"{self.path}: more data after the end of the map")
                    return
                yield place, _entry(plain)
                place = (place[0] + 1, file.tell())
        raise CorpusError(f"{self.path}: the map is cut short; the run that wrote it did not finish")

    def entry_at(self, place: Place) -> MapEntry:
        with self.path.open("rb") as file:
            file.seek(place[1])
            return _entry(self._open(place[0], self._record(file)))

    def _record(self, file: BinaryIO) -> bytes:
        size = file.read(4)
        length = int.from_bytes(size, "big") if len(size) == 4 else 0
        data = file.read(length) if 0 < length < _MOST_RECORD else b""
        return data if len(data) == length else b""

    def _open(self, number: int, data: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(_nonce(self._head, number), data, self._head)
        except InvalidTag:
            raise CorpusError(
                f"{self.path}: record {number + 1} cannot be opened: a wrong secret, or a damaged file"
            ) from None


def _entry(plain: bytes) -> MapEntry:
    # Maps of before have no annotations of their own.
    id, patient, masked_id, masked_patient, digest, pieces, meta, *own = json.loads(plain)
    rows = tuple((start, end, text) for start, end, text in pieces)
    spans = rows_to_spans(own[0] if own else ())
    return MapEntry(id, patient, masked_id, masked_patient, rows, digest, meta, spans)


def _cipher(secret: bytes, head: bytes) -> AESGCM:
    _, cost, salt, _ = _HEAD.unpack(head)
    return cipher_of(secret, salt, cost)


def _nonce(head: bytes, number: int) -> bytes:
    return head[-4:] + number.to_bytes(8, "big")


def _check_secret(secret: bytes) -> None:
    if len(secret) < 8:
        raise ConfigError("the secret of a map needs at least 8 bytes")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
