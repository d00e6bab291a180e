"""A crosswalk: 32 random bytes for each patient, document and linking key, in a sealed file that only grows.

    HEAD (cost, salt, id) · TIP (how many records, where they end, the last one's tag) · records

The file is encrypted as the reverse map is (scrypt, AES-256-GCM). It names nobody: an entry stands under a
digest that is keyed with a secret of the file's own. Each record authenticates the one before it, and the tip
all of them, so that a file cut short, put together anew or of another project is refused. What is appended
is on the disk before anybody gets it; what was torn off by a kill lies behind the tip, and is dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import struct
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from deidlab.errors import ConfigError, CorpusError
from deidlab.files import appearing, open_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KINDS = {"patient": b"p", "document": b"d", "key": b"k"}
SECRET_BYTES = 32
_MAGIC = b"DEIDXWK1"
_COST = 15
_HEAD = struct.Struct(">8sB16s16s")
_TIP = struct.Struct(">QQ16s")
_ENTRY = struct.Struct(">c16s32s")
_NONCE, _TAG = 12, 16
_SEALED_TIP = _NONCE + _TIP.size + _TAG
_FIRST = _HEAD.size + _SEALED_TIP
_A_RECORD = 4096
_MOST_RECORD = 1 << 24

Name = tuple[str, bytes]
"""What a secret is for: a kind of `KINDS`, and the digest of a value."""


@dataclass(frozen=True, slots=True)
class CrosswalkPlace:
    """Where a crosswalk is and what opens it, for another process."""

    path: Path
    secret: bytes = field(repr=False)
    project: str = ""

    def open(self) -> Crosswalk:
        return Crosswalk.open(self.path, self.secret, self.project)


@dataclass(frozen=True, slots=True)
class _Reached:
    """How far a file has been read: records, where they end, and the tag of the last one."""

    count: int = 0
    end: int = _FIRST
    tag: bytes = bytes(_TAG)


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
    _head: bytes = field(default=b"", repr=False)
    _cipher: AESGCM = field(default=None, repr=False)  # type: ignore[assignment]
    _reached: _Reached = field(default_factory=_Reached, repr=False)
    _promised: int = 0
    _drawn: dict[Name, bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def new(cls, path: Path, secret: bytes, project: str = "") -> Crosswalk:
        """An empty one in a new file that only its owner can read; an existing file is refused."""
        head = _HEAD.pack(_MAGIC, _COST, secrets.token_bytes(16), secrets.token_bytes(16))
        first = {
            "project": project,
            "key": secrets.token_hex(SECRET_BYTES),
            "made": time.strftime("%Y-%m-%d", time.gmtime()),
        }
        try:
            with os.fdopen(open_private(path, "new"), "wb") as file:
                file.write(_whole(_cipher_of(secret, head), head, [json.dumps(first).encode()]))
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            raise ConfigError(f"{path}: already exists; a crosswalk is never overwritten") from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
        return cls.open(path, secret, project)

    @classmethod
    def open(cls, path: Path, secret: bytes, project: str | None = "") -> Crosswalk:
        """The one in that file; None as project takes any."""
        with _opened(path) as file:
            head = file.read(_HEAD.size)
            if len(head) < _HEAD.size or not head.startswith(_MAGIC) or not 10 <= head[len(_MAGIC)] <= 20:
                raise CorpusError(f"{path}: not a crosswalk that DeidLab wrote")
            mode = os.fstat(file.fileno()).st_mode
            walk = cls(path, "", head[-16:].hex(), b"", None, head, _cipher_of(secret, head))
            walk._read_on(file)
        if project is not None and walk.project != project:
            raise ConfigError(
                f"{path}: the crosswalk of another project; name the project that it was made for with "
                "--project, or take this project's own"
            )
        if os.name == "posix" and mode & 0o077:
            walk.warning = f"{path} can be read by others (mode {mode & 0o777:04o}); run: chmod 600 {path}"
        return walk

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    def counts(self) -> Counter[str]:
        """How many secrets there are of each kind."""
        return Counter(kind for kind, _ in self._drawn)

    def draw(self, names: Iterable[Name]) -> Mapping[Name, bytes]:
        """The secret of each name; those that nobody has drawn before are drawn now, and kept first."""
        wanted = tuple(dict.fromkeys(names))
        if any(name not in self._drawn for name in wanted):
            with _opened(self.path, writing=True) as file:
                self._check_same(file)
                self._read_on(file)
                missing = [name for name in wanted if name not in self._drawn]
                for start in range(0, len(missing), _A_RECORD):
                    self._append(file, missing[start : start + _A_RECORD])
        return {name: self._drawn[name] for name in wanted}

    def rekey(self, secret: bytes) -> None:
        """Seal the same entries with another secret; readers of the old file are refused from then on."""
        with _opened(self.path, writing=True) as file:
            self._check_same(file)
            self._read_on(file)
            records = [self._decrypt(data, _bound(self._head, before)) for data, before in self._whole(file)]
            head = _HEAD.pack(_MAGIC, _COST, secrets.token_bytes(16), self._head[-16:])
            partial = self.path.with_name(f".{self.path.name}.partial")
            partial.unlink(missing_ok=True)
            with appearing(self.path, partial), os.fdopen(open_private(partial, "new"), "wb") as anew:
                anew.write(_whole(_cipher_of(secret, head), head, records))
                anew.flush()
                os.fsync(anew.fileno())

    def _append(self, file: BinaryIO, names: list[Name]) -> None:
        drawn = {name: secrets.token_bytes(SECRET_BYTES) for name in names}
        plain = b"".join(_ENTRY.pack(KINDS[kind], digest, own) for (kind, digest), own in drawn.items())
        sealed, reached = _seal_record(self._cipher, self._head, plain, self._reached)
        file.seek(self._reached.end)
        file.truncate()
        file.write(sealed)
        file.flush()
        os.fsync(file.fileno())
        file.seek(_HEAD.size)
        file.write(_seal_tip(self._cipher, self._head, reached))
        file.flush()
        os.fsync(file.fileno())
        self._reached = reached
        self._drawn.update(drawn)

    def _check_same(self, file: BinaryIO) -> None:
        file.seek(0)
        if file.read(_HEAD.size) != self._head:
            raise CorpusError(f"{self.path}: another crosswalk, or sealed anew meanwhile; start again")

    def _read_on(self, file: BinaryIO) -> None:
        """What others have appended since."""
        file.seek(_HEAD.size)
        count, end, tag = _TIP.unpack(self._decrypt(file.read(_SEALED_TIP), self._head + b"tip"))
        for record, reached in self._records(file, self._reached):
            try:
                self._take(self._decrypt(record[0], _bound(self._head, record[1])), reached)
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

    def _records(
        self, file: BinaryIO, since: _Reached | None = None
    ) -> Iterator[tuple[tuple[bytes, _Reached], _Reached]]:
        """Each whole record from there on with what it follows, and how far that is."""
        before = since or _Reached()
        while True:
            file.seek(before.end)
            size = file.read(4)
            length = int.from_bytes(size, "big") if len(size) == 4 else 0
            data = file.read(length) if _NONCE + _TAG < length < _MOST_RECORD else b""
            if not data or len(data) < length:
                return
            reached = _Reached(before.count + 1, file.tell(), data[-_TAG:])
            yield (data, before), reached
            before = reached

    def _whole(self, file: BinaryIO) -> Iterator[tuple[bytes, _Reached]]:
        """The records that count, each with what it follows."""
        return (record for record, reached in self._records(file) if reached.count <= self._reached.count)

    def _take(self, plain: bytes, reached: _Reached) -> None:
        if reached.count == 1:
            first = json.loads(plain)
            self.project, self.key = first["project"], bytes.fromhex(first["key"])
        else:
            kinds = {letter: kind for kind, letter in KINDS.items()}
            for letter, digest, own in _ENTRY.iter_unpack(plain):
                self._drawn[kinds[letter], digest] = own
        self._reached = reached

    def _decrypt(self, data: bytes, bound: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(data[:_NONCE], data[_NONCE:], bound)
        except (InvalidTag, ValueError):
            raise CorpusError(
                f"{self.path}: the crosswalk cannot be opened: another key file than it was made with, or it "
                "was damaged or tampered with; restore its backup"
            ) from None


def _whole(cipher: AESGCM, head: bytes, records: Iterable[bytes]) -> bytes:
    """A file of these records."""
    reached, sealed = _Reached(), []
    for plain in records:
        data, reached = _seal_record(cipher, head, plain, reached)
        sealed.append(data)
    return head + _seal_tip(cipher, head, reached) + b"".join(sealed)


def _seal_record(cipher: AESGCM, head: bytes, plain: bytes, before: _Reached) -> tuple[bytes, _Reached]:
    data = _encrypt(cipher, plain, _bound(head, before))
    reached = replace(before, count=before.count + 1, end=before.end + 4 + len(data), tag=data[-_TAG:])
    return len(data).to_bytes(4, "big") + data, reached


def _seal_tip(cipher: AESGCM, head: bytes, reached: _Reached) -> bytes:
    return _encrypt(cipher, _TIP.pack(reached.count, reached.end, reached.tag), head + b"tip")


def _encrypt(cipher: AESGCM, plain: bytes, bound: bytes) -> bytes:
    # Drawn and not counted: a place in the file may be written twice, after a kill.
    nonce = secrets.token_bytes(_NONCE)
    return nonce + cipher.encrypt(nonce, plain, bound)


def _bound(head: bytes, before: _Reached) -> bytes:
    return head + before.count.to_bytes(8, "big") + before.tag


def _cipher_of(secret: bytes, head: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    _, cost, salt, _ = _HEAD.unpack(head)
    return AESGCM(Scrypt(salt=salt, length=32, n=1 << cost, r=8, p=1).derive(secret))


@contextlib.contextmanager
def _opened(path: Path, writing: bool = False) -> Iterator[BinaryIO]:
    """The file, locked: for as many as read, or for one who writes."""
    try:
        import fcntl
    except ImportError:
        raise ConfigError("a crosswalk needs file locks, which this system does not have") from None
    while True:
        try:
            file = path.open("r+b" if writing else "rb")
        except FileNotFoundError:
            raise ConfigError(
                f"{path}: there is no crosswalk; `deidlab crosswalk new {path} --key-file FILE` makes a new "
                "one, which gives everybody new codes: if there was one, restore its backup"
            ) from None
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX if writing else fcntl.LOCK_SH)
                # Sealed anew while this one waited: the name stands for another file by now.
                if path.stat().st_ino != os.fstat(file.fileno()).st_ino:
                    continue
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror or 'cannot be locked'}") from None
            try:
                yield file
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
            return
