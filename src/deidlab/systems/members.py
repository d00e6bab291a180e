"""Which systems find PHI together, as a person names them, in; each with what its labels mean, out.

A member says all that another machine needs to ask the same system: places are whole, and of a map there are
the rows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from deidlab.errors import UnknownNameError
from deidlab.options import left_out, option
from deidlab.systems.specification import SystemSpec, place_of, read_specs


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOptions:
    """Which systems, and how they are reached."""

    system: tuple[str, ...] = option(
        (),
        metavar="SYSTEM",
        help="A system, as KIND:ARGUMENT or NAME=KIND:ARGUMENT: embedded:en, rules:es, run:FOLDER, "
        "hf:FOLDER, hf-pipeline:FOLDER, gliner:FOLDER, presidio, spacy:MODEL, philter, scrubadub, "
        'corpus:FOLDER, command:"PROGRAM …", http:URL. Repeatable; where PHI is masked or marked, systems '
        "find together as --ensemble says, in place of model and rules.",
    )
    python: tuple[str, ...] = option(
        (),
        metavar="PATH",
        help="The Python that runs adapters of other people's libraries; KIND=PATH or NAME=PATH for one "
        "system.",
    )
    map: tuple[str, ...] = option(
        (),
        metavar="FILE",
        help="A TOML file with a row a label, for labels that no shipped map knows; NAME=FILE for one "
        "system.",
    )
    timeout: float = option(
        60.0,
        min=0.01,
        help="Seconds that a system has for a note.",
        metadata=left_out("it decides when a note fails, not what is found"),
    )
    start_timeout: float = option(
        300.0,
        min=0.01,
        help="Seconds that a system has to start.",
        metadata=left_out("it decides when a start fails, not what is found"),
    )
    allow_host: tuple[str, ...] = option(
        (),
        metavar="HOST",
        help="A host beyond this machine that http: may send notes to.",
        metadata=left_out("it lets a service be asked that the systems name"),
    )


SYSTEM_FIELDS = tuple(each.name for each in fields(SystemOptions))


@dataclass(frozen=True, slots=True)
class Member:
    """One of several systems; `names` are rows of a person's own map, in native labels."""

    spec: SystemSpec
    names: tuple[tuple[str, str], ...] = ()


def read_members(options: SystemOptions) -> tuple[Member, ...]:
    """The systems in the order in which they were named."""
    from deidlab.systems.naming import GROUPS, native_rows

    specs = read_specs(options.system, options.python)
    maps = read_maps(options.map, [each.name for each in specs])
    return tuple(
        Member(_whole(each), tuple(sorted(native_rows(rows_for(each.name, maps), GROUPS).items())))
        for each in specs
    )


def read_maps(given: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The rows by the name of their system, those for all systems under no name."""
    from deidlab.labels import load_map

    maps = {}
    for each in given:
        name, mark, path = each.rpartition("=")
        if mark and name not in names:
            raise UnknownNameError("system", name, names)
        maps[name if mark else ""] = load_map(path)
    return maps


def rows_for(name: str, maps: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """Those of the system alone go before those for all."""
    return maps.get(name) or maps.get("") or {}


def _whole(spec: SystemSpec) -> SystemSpec:
    """The same wherever it is read: a worker on another machine has another Python, and another folder."""
    python = "" if spec.python == sys.executable else spec.python
    place = place_of(spec)
    if not place or not Path(place).exists():
        return replace(spec, python=python)
    before = spec.argument.removesuffix(place)
    return replace(spec, python=python, argument=f"{before}{Path(place).resolve()}")
