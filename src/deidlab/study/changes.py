"""A study's table as the file has it in, the same with paths resolved and values changed out."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, UnknownNameError


def resolve_paths(table: dict[str, Any], base: Path) -> dict[str, Any]:
    """The table with every path that is relative to `base` made absolute; names of models stay names."""
    corpus = table.get("corpus")
    if isinstance(corpus, dict):
        for key in ("path", "train", "validation", "test"):
            if corpus.get(key) and isinstance(corpus[key], str):
                corpus[key] = str((base / corpus[key]).resolve())
    for kind, keys in (("models", ("model", "tokenizer")), ("cross", ("path",))):
        rows = table.get(kind)
        for row in rows if isinstance(rows, list) else []:
            for key in keys:
                value = row.get(key) if isinstance(row, dict) else None
                if isinstance(value, str) and value and (kind == "cross" or (base / value).exists()):
                    row[key] = str((base / value).resolve())
    for row in table["system"] if isinstance(table.get("system"), list) else []:
        given = row.get("system") if isinstance(row, dict) else None
        kind, colon, place = given.partition(":") if isinstance(given, str) else ("", "", "")
        if colon and place and (base / place).exists():
            row["system"] = f"{kind}:{(base / place).resolve()}"
    return table


def apply_change(table: dict[str, Any], change: str) -> None:
    """`KEY.KEY=VALUE` with a TOML or JSON value; a model or cross corpus is addressed by its name."""
    dotted, equals, said = change.partition("=")
    keys = [key.strip() for key in dotted.split(".")]
    if not equals or not all(keys):
        raise ConfigError(
            f"--set {change}: write KEY=VALUE, such as make.notes=40 or models.bert.scratch=true"
        )
    at: Any = table
    for key in keys[:-1]:
        if isinstance(at, list):
            found = next((row for row in at if isinstance(row, dict) and row.get("name") == key), None)
            if found is None:
                raise UnknownNameError(f"name in --set {dotted}:", key, [str(row.get("name")) for row in at])
            at = found
        else:
            at = at.setdefault(key, {})
        if not isinstance(at, dict | list):
            raise ConfigError(f"--set {change}: '{key}' is no table")
    if isinstance(at, list):
        raise ConfigError(f"--set {change}: say which key of '{keys[-1]}' to change")
    at[keys[-1]] = _value(said)


def _value(said: str) -> Any:
    try:
        return tomllib.loads(f"value = {said}")["value"]
    except tomllib.TOMLDecodeError:
        return said
    except RecursionError:
        raise ConfigError("--set: a value that is nested too deeply") from None


def apply_corpus(table: dict[str, Any], said: str) -> None:
    name, equals, place = said.partition("=")
    if not equals:
        name, place = "path", said
    place = str(Path(place).resolve())
    crosses = [row for row in table.get("cross", []) if isinstance(row, dict) and row.get("name") == name]
    if crosses:
        crosses[0]["path"] = place
        return
    known = ("path", "train", "validation", "test")
    if name not in known:
        names = [str(row.get("name")) for row in table.get("cross", []) if isinstance(row, dict)]
        raise UnknownNameError(f"corpus in --corpus {said}:", name, (*known, *names))
    table.setdefault("corpus", {})[name] = place
    table.pop("make", None)
