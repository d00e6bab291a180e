"""A dossier's folder in; what is not as it was sealed, a line each, out: told from the files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, DeidError
from deidlab.report.dossier.approvals import Approval, lacks, standing
from deidlab.report.dossier.chain import RUN, Entry, broken_links, bytes_to_chain, canonical, sha256
from deidlab.report.dossier.folder import CHAIN, FILES, PAGE, SEAL, SEALING, files_of, read_part
from deidlab.report.dossier.runs import best_match, changed_outputs
from deidlab.report.dossier.signing import is_signed


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: `problems` are lines, of which none may be there; `keys` are who signed."""

    problems: tuple[str, ...]
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    keys: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a dossier is held to beside itself: keys that may sign, outputs, an approval."""

    today: date
    keys: tuple[str, ...] = ()
    outputs: tuple[Path, ...] = ()
    approved: bool = True


def verify_dossier(folder: Path, asked: Asked) -> Verdict:
    """Everything that can be told from the files alone."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is not there, or not a dossier's folder")
    problems = list(_check_seal(folder))
    try:
        entries = bytes_to_chain(read_part(folder, CHAIN))
    except DeidError as error:
        return Verdict((*problems, *_once(problems, CHAIN, str(error))))
    problems += [f"{CHAIN}: {each}" for each in broken_links(entries)]
    problems += _check_files(folder, entries, problems)
    seal = _read_seal(folder)
    keys = tuple(dict.fromkeys(each.key for each in entries))
    if seal is not None and seal["key"] != entries[-1].key:
        problems.append(f"{SEAL}: signed by another key than the last entry")
    if asked.keys:
        problems += [
            f"{CHAIN}: signed by the key {key}, which is not trusted" for key in keys if key not in asked.keys
        ]
    problems += _check_outputs(folder, entries, asked.outputs, not problems)
    approvals: tuple[Approval, ...] = ()
    try:
        approvals = tuple(standing(entries))
        problems += [f"{CHAIN}: {each}" for each in lacks(entries, asked.today)] if asked.approved else []
    except ConfigError as error:
        problems.append(f"{CHAIN}: {error}")
    return Verdict(tuple(dict.fromkeys(problems)), entries, keys, approvals)


def _once(problems: Sequence[str], name: str, said: str) -> Iterator[str]:
    """A second word on a file only where there is none yet."""
    if not any(each.startswith(f"{name}:") for each in problems):
        yield f"{name}: {said}"


def _check_seal(folder: Path) -> Iterator[str]:
    """Every file against the seal: missing, added, changed; and the seal against its signature."""
    there = dict(_names(folder))
    yield from (f"{name}: {odd}" for name, odd in there.items() if odd)
    seal = _read_seal(folder)
    if seal is None:
        yield f"{SEAL}: {'was changed' if SEAL in there else 'is missing'}"
        return
    sealed: Mapping[str, str] = seal["files"]
    for name in sorted({CHAIN, PAGE} - sealed.keys()):
        yield f"{SEAL}: does not cover {name}"
    for name in sorted(sealed.keys() | there.keys() - {SEAL}):
        if name not in there:
            yield f"{name}: is missing"
        elif name not in sealed:
            yield f"{name}: does not belong to the dossier"
        elif not there[name] and _digest(folder, name) != sealed[name]:
            yield f"{name}: was changed"


def _read_seal(folder: Path) -> dict[str, Any] | None:
    """The seal, if it is as its key's holder wrote it."""
    try:
        data = read_part(folder, SEAL)
        seal = json.loads(data)
        signed = is_signed(SEALING, canonical(seal["files"]), seal["key"], seal["signature"])
        whole = canonical(seal) == data and seal.keys() == {"files", "key", "signature"}
        named = all(isinstance(told, str) for told in seal["files"].values())
    except (DeidError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return seal if signed and whole and named else None


def _names(folder: Path) -> Iterator[tuple[str, str]]:
    """Everything below the folder, with what is odd about it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            yield name, "is a link"
        elif path.is_dir():
            if name != FILES:
                yield name, "does not belong to the dossier"
        else:
            yield name, "" if path.is_file() else "is not a regular file"


def _digest(folder: Path, name: str) -> str:
    try:
        return sha256(read_part(folder, name))
    except ConfigError:
        return "cannot be read"


def _check_files(folder: Path, entries: Sequence[Entry], problems: Sequence[str]) -> Iterator[str]:
    """The files that entries name; where the seal is broken, this tells which were changed."""
    named = files_of(entries)
    for name, told in named.items():
        if Path(name).parent != Path(FILES):
            yield f"{CHAIN}: names a file outside of {FILES}/"
        elif not (folder / name).exists():
            yield from _once(problems, name, "is missing")
        elif _digest(folder, name) != told:
            yield from _once(problems, name, "was changed")
    for name, odd in _names(folder):
        if name not in {*named, CHAIN, PAGE, SEAL} and not odd:
            yield from _once(problems, name, "does not belong to the dossier")


def _check_outputs(
    folder: Path, entries: Sequence[Entry], outputs: Sequence[Path], is_whole: bool
) -> Iterator[str]:
    """What is at hand of the runs' output, held against their digests."""
    if outputs and not is_whole:
        yield "outputs: not looked at, since their digests stand in a dossier that is not as it was"
    if not outputs or not is_whole:
        return
    runs = dict(read_runs(folder, entries))
    for output in outputs:
        number = best_match(output, runs)
        if number is None:
            yield f"{output}: is the output of no run here, or was changed"
        else:
            yield from changed_outputs(output, *runs[number])


def read_runs(
    folder: Path, entries: Sequence[Entry]
) -> Iterator[tuple[int, tuple[Mapping[str, Any], bytes]]]:
    """The runs by the numbers of their entries: facts, and the manifest of what they wrote."""
    for entry in entries:
        if entry.kind == RUN:
            facts, manifest = entry.says["facts"], entry.says["outputs"]
            yield entry.number, (json.loads(read_part(folder, facts)), read_part(folder, manifest))
