"""A masking run's record in; what of it others may see, and its output held against its digests, out.

The record names notes as the output does, which with `--ids keep` is by their real ids: those stay behind,
and so do the names of columns.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.inputfile import read_input
from deidlab.mask import table_to_policy
from deidlab.models import EMBEDDED, HOME
from deidlab.pipeline.run.provenance import ALONE, digest_files, digest_folder
from deidlab.pipeline.run.record import OUTPUTS, RECORD, record_folder
from deidlab.report.audit.record import check_shape
from deidlab.report.dossier.chain import canonical, sha256

_BEHIND = ("review", "failures")
_WHO = ("operator", "started", "finished")


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What a dossier keeps of a run, and the digests of what the run wrote."""

    facts: Mapping[str, Any] = field(repr=False)
    manifest: bytes = field(repr=False)

    def to_bytes(self) -> bytes:
        return canonical(self.facts)


def read_run(output: Path) -> RunEvidence:
    """The record beside an output; raises unless it is whole and the output is what the run wrote.

    A table has no files to compare: `output` is then the name under which its record stands.
    """
    folder = record_folder(output)
    try:
        data = read_input(folder / RECORD)
        manifest = read_input(folder / OUTPUTS)
        record = json.loads(data)
        check_shape(record)
        facts = shareable(record)
        table_to_policy(facts["policy"])
        told = record["provenance"]["output"]["manifest"]
    except FileNotFoundError:
        raise ConfigError(f"{folder}: no record of a masking run with the digests of its output") from None
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise ConfigError(
            f"{folder}: the record is damaged, or of a run before records had a provenance"
        ) from None
    if sha256(manifest) != told:
        raise ConfigError(f"{folder / OUTPUTS}: is not as the run wrote it")
    facts["record"] = sha256(data)
    has_files = record["settings"]["format"] != "database"
    if has_files and (problem := next(changed_outputs(output, facts, manifest), None)):
        raise ConfigError(f"{problem}; only an output as the run wrote it goes into a dossier")
    return RunEvidence(facts, manifest)


def shareable(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record without names of notes and columns."""
    settings = {name: told for name, told in record["settings"].items() if name != "columns"}
    settings["kept_columns"] = len(settings["kept_columns"])
    whys = Counter((row["stage"], row["reason"]) for row in record["failures"])
    failures = [{"stage": stage, "reason": why, "n": n} for (stage, why), n in sorted(whys.items())]
    kept = {name: told for name, told in record.items() if name not in _BEHIND}
    if any(not isinstance(record["provenance"][name], str) for name in _WHO):
        raise ValueError
    return {**kept, "settings": settings, "failures": failures}


def changed_outputs(output: Path, facts: Mapping[str, Any], manifest: bytes) -> Iterator[str]:
    """What is not as the run wrote it, a file a line."""
    wanted = read_manifest(manifest)
    if not output.exists():
        yield f"{output}: is not there"
        return
    there = dict(digest_files(output))
    if facts["settings"]["ids"] == "keep" and ALONE not in wanted:
        yield from _changed_unnamed(output, wanted, there)
        return
    for name in sorted(wanted.keys() | there.keys()):
        place = output if name == ALONE else output / name
        if name not in there:
            yield f"{place}: is missing from what the run wrote"
        elif name not in wanted:
            yield f"{place}: is not of the run"
        elif wanted[name] != there[name]:
            yield f"{place}: changed since the run wrote it"


def _changed_unnamed(output: Path, wanted: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    """Where real ids are the files' names, the dossier does not have them: digests alone are compared."""
    left = Counter(wanted.values())
    for name, told in there.items():
        if left[told] > 0:
            left[told] -= 1
        else:
            yield f"{output / name}: is not of the run, or changed since"
    if missing := left.total():
        yield f"{output}: {missing} files of the run are missing or changed"


def read_manifest(manifest: bytes) -> dict[str, str]:
    """Names with their digests; names that are no names below a folder are refused."""
    found: dict[str, str] = {}
    for line in manifest.decode("utf-8", "replace").split("\n")[:-1]:
        told, _, name = line.partition("  ")
        found[name] = told
    return found


def best_match(output: Path, runs: Mapping[int, tuple[Mapping[str, Any], bytes]]) -> int | None:
    """The entry of the run whose files these are: the one with most digests in common, then most names."""
    there = dict(digest_files(output)) if output.exists() else {}
    alike = {
        number: (
            sum((Counter(there.values()) & Counter(read_manifest(manifest).values())).values()),
            len(there.keys() & read_manifest(manifest).keys() - {ALONE}),
        )
        for number, (_, manifest) in runs.items()
    }
    best = max(alike, key=lambda number: alike[number], default=None)
    if best is not None and len(runs) == 1:
        return best
    return best if best is not None and any(alike[best]) else None


def find_card(facts: Mapping[str, Any]) -> bytes | None:
    """The card of a model that comes with DeidLab, where the run's is the one that is installed here."""
    name, told = facts["settings"]["model"], facts["provenance"]["digests"]["model"]
    if name not in EMBEDDED or told is None or digest_folder(HOME / name) != told:
        return None
    card = HOME / name / "README.md"
    return read_input(card) if card.is_file() else None
