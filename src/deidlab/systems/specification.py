"""What a person typed in, which system is meant out: `KIND`, `KIND:ARGUMENT` or `NAME=KIND:ARGUMENT`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deidlab.errors import UnknownNameError, UsageError

_NAMED = re.compile(r"([^:=]+)=(.+)", re.DOTALL)

ADAPTED = {
    "embedded": "the model that comes with DeidLab, with its rules",
    "rules": "the rules of a language",
    "run": "a run, an export or an ensemble of ours",
    "hf": "a Hugging Face token classifier with our windows",
    "hf-pipeline": "a Hugging Face token classifier as its own pipeline runs it",
    "gliner": "a GLiNER model",
    "presidio": "Microsoft Presidio",
    "spacy": "a spaCy pipeline",
    "philter": "Philter-lite",
    "scrubadub": "scrubadub",
}
"""The systems that have an adapter, by kind."""
OWN = ("embedded", "rules", "run", "hf")
"""Those whose adapter needs DeidLab itself."""
_WITHOUT_ARGUMENT = ("presidio", "philter", "scrubadub")
KINDS = (*ADAPTED, "corpus", "command", "http")
# What follows is a folder or a file of this machine: only its name is shown.
_PLACES = ("run", "hf", "hf-pipeline", "gliner", "corpus", "spacy", "philter", "presidio")


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """One system: `name` is what tables call it, `python` runs its adapter (empty: the one of here)."""

    name: str
    kind: str
    argument: str = ""
    python: str = sys.executable


def read_specs(given: Iterable[str], pythons: Iterable[str] = ()) -> tuple[SystemSpec, ...]:
    """The systems, in order; `pythons` are `PATH`, for all that have an adapter of other people's libraries,
    or `NAME=PATH` for one, by its name or its kind."""
    specs = [_read_spec(each) for each in given]
    names = [each.name for each in specs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"two systems would be called {twice[0]}; give one a name of its own: NAME=KIND:ARGUMENT"
        )
    chosen = dict(_read_python(each) for each in pythons)
    known = {"", *names, *(each.kind for each in specs)}
    if unknown := sorted(chosen.keys() - known):
        raise UnknownNameError("system", unknown[0], known - {""})
    return tuple(_with_python(each, chosen) for each in specs)


def _read_spec(given: str) -> SystemSpec:
    named = _NAMED.fullmatch(given)
    name, rest = (named[1].strip(), named[2]) if named else ("", given)
    kind, _, argument = rest.partition(":")
    if kind == "https":
        kind, argument = "http", rest
    if kind not in KINDS:
        raise UnknownNameError("kind of system", kind, KINDS)
    if not argument and kind not in _WITHOUT_ARGUMENT:
        raise UsageError(f"{kind} needs something after the colon: {kind}:…")
    if kind == "http" and argument.startswith("//"):
        argument = f"http:{argument}"
    return SystemSpec(name or usual_name(kind, argument), kind, argument)


def usual_name(kind: str, argument: str) -> str:
    """What tables call a system that was given no name; of a place its last name."""
    if kind in ("command", "http"):
        return kind
    place = place_of(SystemSpec("", kind, argument))
    shown = argument
    if Path(place).is_absolute():
        shown = f"{argument.removesuffix(place)}{Path(place).name}"
    return f"{kind}:{shown}" if shown else kind


def place_of(spec: SystemSpec) -> str:
    """What of the argument may be a folder or a file; a model's name has the same form."""
    if spec.kind not in _PLACES:
        return ""
    return spec.argument.rpartition("=")[2] if spec.kind == "presidio" else spec.argument


def _read_python(given: str) -> tuple[str, str]:
    name, mark, path = given.rpartition("=")
    python = Path(path).expanduser()
    if not python.is_file():
        raise UsageError(f"--python {given}: no such program")
    return (name if mark else ""), str(python.absolute())


def _with_python(spec: SystemSpec, chosen: dict[str, str]) -> SystemSpec:
    usual = chosen.get("") if spec.kind not in OWN else None
    python = chosen.get(spec.name) or chosen.get(spec.kind) or usual or sys.executable
    return SystemSpec(spec.name, spec.kind, spec.argument, python)
