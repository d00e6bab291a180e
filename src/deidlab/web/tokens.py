"""Reviewers' tokens from a file or the environment in, who is meant by a token out.

A token file has one reviewer a line, `NAME TOKEN`; in place of the token may stand `sha256:` and its digest,
which is what `add_token` writes, so that the file gives nobody away. Only digests are held in memory.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.errors import ConfigError
from deidlab.files import open_private

TOKEN, TOKEN_FILE = "DEIDLAB_TOKEN", "DEIDLAB_TOKEN_FILE"
LEAST_CHARACTERS = 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Reviewers and the digests of their tokens."""

    digests: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    warning: str | None = None

    def __bool__(self) -> bool:
        return bool(self.digests)

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.digests)

    def find(self, token: str) -> str | None:
        """Whose token it is. Every digest is compared, in constant time, whichever fits."""
        asked, found = digest_of(token), None
        for name, digest in self.digests:
            if hmac.compare_digest(asked, digest):
                found = name
        return found


def digest_of(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def find_tokens(path: Path | None) -> Tokens:
    """The tokens of that file, of the one named in the environment, or the one in the environment."""
    if path is None and (named := os.environ.get(TOKEN_FILE)):
        path = Path(named)
    if path is not None:
        return read_tokens(path)
    if token := os.environ.get(TOKEN):
        return Tokens((("token", _digest(token, TOKEN)),))
    return Tokens()


def read_tokens(path: Path) -> Tokens:
    """The tokens of a file; one that others can read is warned about."""
    try:
        with path.open("rb") as file:
            data, mode = file.read(), os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: a token file must be UTF-8") from None
    digests = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            digests.append(_read_line(line.split(), f"{path}, line {number}"))
    if not digests:
        raise ConfigError(f"{path}: there is no token in this file; --add-reviewer NAME writes one")
    if len({name for name, _ in digests}) < len(digests):
        raise ConfigError(f"{path}: a reviewer has two lines")
    if len({digest for _, digest in digests}) < len(digests):
        raise ConfigError(f"{path}: two reviewers have the same token")
    open_to_others = os.name == "posix" and mode & 0o077
    warning = f"{path} can be read by others (mode {mode & 0o777:04o}); run: chmod 600 {path}"
    return Tokens(tuple(digests), warning if open_to_others else None)


def add_token(path: Path, name: str) -> str:
    """A new random token for a reviewer, its digest added to the file; the token is nowhere else."""
    check_name(name)
    if path.exists() and name in read_tokens(path).names():
        raise ConfigError(f"{path}: {name} has a token already; remove that line to replace it")
    token = secrets.token_urlsafe(32)
    try:
        handle = open_private(path, "end")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{name} sha256:{digest_of(token).hex()}\n")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
    return token


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError("a reviewer's name has up to 64 letters, digits, and . _ @ - after the first")


def _read_line(cells: list[str], where: str) -> tuple[str, bytes]:
    if len(cells) != 2:
        raise ConfigError(f"{where}: a name and a token are expected, with a space between")
    name, token = cells
    try:
        check_name(name)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    return name, _digest(token, where)


def _digest(token: str, where: str) -> bytes:
    if stored := _DIGEST.fullmatch(token):
        return bytes.fromhex(stored[1])
    if len(token) < LEAST_CHARACTERS:
        raise ConfigError(f"{where}: a token needs at least {LEAST_CHARACTERS} characters")
    return digest_of(token)
