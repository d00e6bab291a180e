"""A file that was given in; its kind, and facts for a table, out. It is digested and kept as it is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.inputfile import read_input
from deidlab.report.dossier.chain import sha256
from deidlab.report.tables import counted

_MOST_ROWS, _MOST_CHARACTERS, _DEEPEST = 120, 600, 4
_READ = (".json", ".toml")
STEP = " › "
"""Between the keys that lead to a value."""
MORE = "…"
_SHOWN = (*_READ, ".md", ".txt")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of evidence: its heading on the page, what stands there, whether it must be JSON or TOML, and
    whether a release without it looks odd."""

    name: str
    title: str
    said: str
    is_read: bool = True
    is_needed: bool = False


KINDS = {
    each.name: each
    for each in (
        Kind(
            "protocol",
            "Validation: the protocol",
            "What was to be read and decided, before it was.",
            is_needed=True,
        ),
        Kind(
            "result",
            "Validation: the result",
            "What was read, what was found, and the bounds that follow.",
            is_needed=True,
        ),
        Kind(
            "audit",
            "Residual risk",
            "What a second look, people or gold found after masking.",
            is_needed=True,
        ),
        Kind("fairness", "Fairness", "Whether some people's identifiers are found less often than others'."),
        Kind("utility", "Utility", "What masking cost the notes."),
        Kind(
            "card", "Model card", "On what the model was trained and measured, and where it is weak.", False
        ),
        Kind("document", "Other documents", "Kept and digested.", False),
    )
}


def read_evidence(path: Path, kind: Kind) -> bytes:
    """The file's content; one that has to be read and cannot be is refused."""
    if kind.is_read and path.suffix.lower() not in _READ:
        raise ConfigError(f"{path}: --{kind.name} takes a file that ends in {' or '.join(_READ)}")
    try:
        content = read_input(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    if kind.is_read:
        try:
            parse(path.suffix.lower(), content)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None
    return content


def parse(ending: str, content: bytes) -> dict[str, Any]:
    """The table of a JSON or TOML file; what is wrong with it quotes nothing."""
    try:
        text = content.decode("utf-8")
        found = json.loads(text) if ending == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        raise ConfigError(f"not {ending[1:].upper()} in UTF-8, or nested too deep") from None
    if not isinstance(found, dict):
        raise ConfigError("not a JSON object")
    return found


def digests_of(ending: str, content: bytes) -> set[str]:
    """The names by which another file may mean this one: its SHA-256, and the seal that it has inside.

    A seal is the member `digest`: the SHA-256 of the rest, as JSON with sorted keys and no spaces.
    """
    found = {sha256(content)}
    if ending == ".json":
        table = parse(ending, content)
        rest = {name: value for name, value in table.items() if name != "digest"}
        plain = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        found |= {sha256(plain.encode("utf-8", "surrogatepass"))} & {str(table.get("digest"))}
    return found


def ending_of(path: Path) -> str:
    """The ending under which a file is kept: one that the page can show, or one that nothing runs."""
    ending = path.suffix.lower()
    return ending if ending in _SHOWN else ".pdf" if ending == ".pdf" else ".bin"


def list_facts(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a table says, a row a value, under the path of its keys, the first levels first."""
    rows = sorted(_walk(table, (), 0), key=is_deep) if table else []
    more = len(rows) - _MOST_ROWS
    return rows[:_MOST_ROWS] + ([(MORE, f"{more} more in the file")] if more > 0 else [])


def is_deep(row: tuple[str, str]) -> bool:
    """Whether a value lies below the first two levels: detail."""
    return row[0].count(STEP) > 1 or row[0] == MORE


def _walk(value: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, each in value.items():
            yield from _walk(each, (*path, str(key).replace("_", " ")), depth + 1)
    elif (
        isinstance(value, list)
        and value
        and all(isinstance(each, Mapping) for each in value)
        and depth < _DEEPEST
    ):
        for number, each in enumerate(value, 1):
            yield from _walk(each, (*path, str(number)), depth + 1)
    else:
        yield STEP.join(path), say(value)


def say(value: Any) -> str:
    """A value as a person would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | Mapping):
        plain = (
            isinstance(value, list)
            and len(value) <= 12
            and not any(isinstance(x, list | dict) for x in value)
        )
        return ", ".join(map(say, value)) or "–" if plain else counted(len(value), "value")
    text = "–" if value is None else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
