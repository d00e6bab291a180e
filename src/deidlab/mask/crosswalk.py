"""A crosswalk: what was drawn for each patient, document and linking key, in a sealed file that only grows.

    HEAD (cost, salt, id) · TIP (how many records, where they end, the last one's tag) · records

The file is encrypted as the reverse map is (scrypt, AES-256-GCM). It names nobody: an entry stands under a
digest that is keyed with a secret of the file's own. Each record authenticates the one before it, and the tip
all of them, so that a file cut short, put together anew or of another project is refused. What is appended
is on the disk before anybody gets it; what was torn off by a kill lies behind the tip, and is dropped.
"""

from __future__ import annotations

import json
import os
import secrets
import struct
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from deidlab.errors import ConfigError, CorpusError
from deidlab.files import appearing, open_private
from deidlab.mask.crosswalk_file import (
    HEAD,
    NONCE_BYTES,
    SEALED_TIP_BYTES,
    TIP,
    Reached,
    bound_to,
    head_cipher,
    is_head,
    new_head,
    open_locked,
    read_records,
    seal_record,
    seal_tip,
    whole_file,
)
from deidlab.mask.drawn import (
    KINDS,
    SECRET_BYTES,
    TYPED,
    Name,
    check_fits,
    draw_all,
    kept_name,
    other_name,
    other_type,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ENTRY = struct.Struct(">c16s32s")
_A_RECORD = 4096


@dataclass(frozen=True, slots=True)
class CrosswalkPlace:
    """Where a crosswalk is and what opens it, for another process."""

    path: Path
    secret: bytes = field(repr=False)
    project: str = ""

    def open(self) -> Crosswalk:
        return Crosswalk.open(self.path, self.secret, self.project)


@dataclass(slots=True)
class Crosswalk:
    """An open crosswalk. `draw` is the only way in: it gives what is there, and draws and keeps what is not.

    It stays where it was opened: sent to another process it is None there, and workers get what they need
    with the notes.
    """

    path: Path
    project: str
    id: str
    key: bytes = field(repr=False)
    warning: str | None = None
    alone: bool = False
    _head: bytes = field(default=b"", repr=False)
    _cipher: AESGCM = field(default=None, repr=False)  # type: ignore[assignment]
    _reached: Reached = field(default_factory=Reached, repr=False)
    _promised: int = 0
    _drawn: dict[Name, bytes] = field(default_factory=dict, repr=False)
    _taken: set[bytes] = field(default_factory=set, repr=False)

    @classmethod
    def new(cls, path: Path | str, secret: bytes, project: str = "", alone: bool = False) -> Crosswalk:
        """An empty one in a new file that only its owner can read; an existing file is refused."""
        path = Path(path)
        head = new_head(secrets.token_bytes(16))
        first = {
            "project": project,
            "key": secrets.token_hex(SECRET_BYTES),
            "made": time.strftime("%Y-%m-%d", time.gmtime()),
        }
        try:
            with os.fdopen(open_private(path, "new"), "wb") as file:
                file.write(whole_file(head_cipher(secret, head), head, [json.dumps(first).encode()]))
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            raise ConfigError(f"{path}: already exists; a crosswalk is never overwritten") from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
        return cls.open(path, secret, project, alone)

    @classmethod
    def open(cls, path: Path | str, secret: bytes, project: str = "", alone: bool = False) -> Crosswalk:
        """The one in that file, made for that project; `alone` tells that no other process has it."""
        path = Path(path)
        with open_locked(path, alone=alone) as file:
            head = file.read(HEAD.size)
            if not is_head(head):
                raise CorpusError(f"{path}: not a crosswalk that DeidLab wrote")
            mode = os.fstat(file.fileno()).st_mode
            walk = cls(path, "", head[-16:].hex(), b"", None, alone, head, head_cipher(secret, head))
            walk._read_on(file)
        if walk.project != project:
            raise ConfigError(
                f"{path}: the crosswalk of another project; name the project that it was made for with "
                "--project, or take this project's own"
            )
        if os.name == "posix" and mode & 0o077:
            walk.warning = f"{path} can be read by others (mode {mode & 0o777:04o}); run: chmod 600 {path}"
        return walk

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    @property
    def n_records(self) -> int:
        """How long it has grown: a later state never has fewer."""
        return self._promised

    def counts(self) -> Counter[str]:
        """How many were drawn for patients, documents and keys."""
        return Counter("key" if kind == TYPED else kind for kind, _ in self._drawn)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        """What stands for each name; where nobody has drawn it before it is drawn now, and kept first.

        Keys whose column was of another type when they were drawn for are refused.
        """
        wanted = {name: kept_name(name) for name in names}
        if any(kept not in self._drawn for kept in wanted.values()):
            with open_locked(self.path, True, self.alone) as file:
                self._check_same(file)
                self._read_on(file)
                missing = [name for name, kept in wanted.items() if kept not in self._drawn]
                if any(other_name(name) in self._drawn for name in missing):
                    raise other_type()
                for start in range(0, len(missing), _A_RECORD):
                    self._append(file, missing[start : start + _A_RECORD])
        found = {name: self._drawn[kept] for name, kept in wanted.items()}
        for name, drawn in found.items():
            check_fits(name, drawn)
        return found

    def rekey(self, secret: bytes) -> None:
        """Seal the same entries with another secret; readers of the old file are refused from then on."""
        with open_locked(self.path, True, self.alone) as file:
            self._check_same(file)
            self._read_on(file)
            records = [
                self._decrypt(data, bound_to(self._head, before))
                for (data, before), reached in read_records(file)
                if reached.count <= self._reached.count
            ]
            head = new_head(self._head[-16:])
            partial = self.path.with_name(f".{self.path.name}.partial")
            partial.unlink(missing_ok=True)
            with appearing(self.path, partial), os.fdopen(open_private(partial, "new"), "wb") as anew:
                anew.write(whole_file(head_cipher(secret, head), head, records))
                anew.flush()
                os.fsync(anew.fileno())

    def _append(self, file: BinaryIO, names: list[Name]) -> None:
        drawn = draw_all(names, self._taken)
        plain = b"".join(_ENTRY.pack(KINDS[kind], digest, own) for (kind, digest), own in drawn.items())
        sealed, reached = seal_record(self._cipher, self._head, plain, self._reached)
        file.seek(self._reached.end)
        file.truncate()
        file.write(sealed)
        file.flush()
        os.fsync(file.fileno())
        file.seek(HEAD.size)
        file.write(seal_tip(self._cipher, self._head, reached))
        file.flush()
        os.fsync(file.fileno())
        self._reached, self._promised = reached, reached.count
        self._drawn.update(drawn)

    def _check_same(self, file: BinaryIO) -> None:
        file.seek(0)
        if file.read(HEAD.size) != self._head:
            raise CorpusError(f"{self.path}: another crosswalk, or sealed anew meanwhile; start again")

    def _read_on(self, file: BinaryIO) -> None:
        """What others have appended since."""
        file.seek(HEAD.size)
        count, end, tag = TIP.unpack(self._decrypt(file.read(SEALED_TIP_BYTES), self._head + b"tip"))
        for record, reached in read_records(file, self._reached):
            try:
                self._take(self._decrypt(record[0], bound_to(self._head, record[1])), reached)
            except CorpusError:
                if reached.count > count:
                    break  # of a write that was killed
                raise
            if reached.count == count and (reached.end, reached.tag) != (end, tag):
                raise CorpusError(f"{self.path}: the crosswalk was put together anew; restore its backup")
        short = os.fstat(file.fileno()).st_size < max(end, self._reached.end)
        if short or self._reached.count < count or count < self._promised:
            raise CorpusError(f"{self.path}: the crosswalk is cut short; restore its backup")
        self._promised = count

    def _take(self, plain: bytes, reached: Reached) -> None:
        if reached.count == 1:
            first = json.loads(plain)
            self.project, self.key = first["project"], bytes.fromhex(first["key"])
        else:
            kinds = {letter: kind for kind, letter in KINDS.items()}
            for letter, digest, own in _ENTRY.iter_unpack(plain):
                self._keep((kinds[letter], digest), own)
        self._reached = reached

    def _keep(self, name: Name, own: bytes) -> None:
        self._drawn[name] = own
        if name[0] == TYPED:
            self._taken.add(own)

    def _decrypt(self, data: bytes, bound: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], bound)
        except (InvalidTag, ValueError):
            raise CorpusError(
                f"{self.path}: the crosswalk cannot be opened: another key file than it was made with, or it "
                "was damaged or tampered with; restore its backup"
            ) from None
