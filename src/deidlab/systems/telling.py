"""Systems that were compared in, the command that masks with them out.

On a terminal it stands as it has to be typed. In a report, which is handed on, what follows a program, an
address or a place stands as tables call it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from deidlab.systems.members import SystemOptions
from deidlab.systems.specification import SystemSpec, place_of, usual_name

_HIDDEN = "…"


def mask_command(specs: Sequence[SystemSpec], how: str, options: SystemOptions, whole: bool) -> str:
    """`deidlab mask NOTES …` with these systems, reached as `options` say."""
    words = ["deidlab", "mask", "NOTES"]
    for spec in specs:
        words += ["--system", _tell_system(spec, whole)]
    words += ["--ensemble", how] if len(specs) > 1 else []
    for spec in specs:
        if spec.python != sys.executable:
            words += ["--python", f"{spec.name}={spec.python if whole else _HIDDEN}"]
    names = {"", *(spec.name for spec in specs)}
    for given in options.map:
        name, mark, _ = given.rpartition("=")
        if name in names:
            words += ["--map", given if whole else f"{name}{mark}{_HIDDEN}"]
    words += _tell_limits(options)
    for host in options.allow_host if any(spec.kind == "http" for spec in specs) else ():
        words += ["--allow-host", host if whole else _HIDDEN]
    return " ".join(_quoted(each) for each in (*words, "--out", "MASKED"))


def _tell_limits(options: SystemOptions) -> list[str]:
    """Those that are not the usual ones."""
    usual = {each.name: each.default for each in fields(options)}
    words = []
    for name in ("timeout", "start_timeout"):
        if getattr(options, name) != usual[name]:
            words += [f"--{name.replace('_', '-')}", f"{getattr(options, name):g}"]
    return words


def _tell_system(spec: SystemSpec, whole: bool) -> str:
    """As `--system` takes it, with its name where that is not the usual one."""
    shown = spec if whole else replace(spec, argument=_shown_argument(spec))
    said = f"{spec.kind}:{shown.argument}" if shown.argument else spec.kind
    return said if spec.name == usual_name(spec.kind, spec.argument) else f"{spec.name}={said}"


def _shown_argument(spec: SystemSpec) -> str:
    if spec.kind in ("command", "http"):
        return _HIDDEN
    place = place_of(spec)
    if Path(place).is_absolute():
        return f"{spec.argument.removesuffix(place)}{_HIDDEN}/{Path(place).name}"
    return spec.argument


def _quoted(word: str) -> str:
    """For a shell; the mark of what is left out needs no quotes."""
    bare = word.replace(_HIDDEN, "")
    return word if not bare or shlex.quote(bare) == bare else shlex.quote(word)
