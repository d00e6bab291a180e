"""A run in; who ran what, on what, and what came out: the part of its record that others hold it to.

No path stands here, since people name folders after patients, and no name of a file that is not a pseudonym.
What the key must not be needed for is a plain SHA-256: of the model, the policy, the program and the output.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import deidlab
from deidlab.detect.embedded import model_folder
from deidlab.detect.folder import is_committee, read_committee
from deidlab.inputfile import digest_input
from deidlab.mask import policy_to_table
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import Finding
from deidlab.systems.fingerprint import files_of, shown_name, versions_of
from deidlab.systems.masking import folder_of, is_system, plain_name

ALONE = "-"
"""The name of an output that is one file: what it is called is the user's choice, and told nowhere."""
_STARTED, _RESUMED = "started", "resumed"
_NOT_PROGRAM = ("models", "__pycache__")


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a run wrote: how many files and bytes, and a line for each as `sha256sum` writes them."""

    n_files: int
    n_bytes: int
    manifest: str = field(repr=False)


def begin_provenance(partial: Partial) -> None:
    """Note down when the run began, and that it was gone on with."""
    if partial.state.setting(_STARTED) is None:
        partial.state.put_setting(_STARTED, _now())
    else:
        partial.state.put_setting(_RESUMED, "1")


def describe_provenance(job: MaskJob, partial: Partial, outputs: Outputs) -> dict[str, Any]:
    """Who, when, by which command, with which program, model, policy and key; and what came out."""
    policy = json.dumps(policy_to_table(job.settings.policy), sort_keys=True).encode()
    return {
        "operator": job.caller.operator or name_account(),
        "command": list(job.caller.command) or None,
        "started": partial.state.setting(_STARTED),
        "finished": _now(),
        "resumed": partial.state.setting(_RESUMED) is not None,
        "digests": {
            "program": digest_folder(Path(deidlab.__file__).parent, _NOT_PROGRAM),
            "model": _digest_model(job),
            "policy": hashlib.sha256(policy).hexdigest(),
        },
        "systems": _describe_systems(job),
        "key": {"id": Seal(job.settings.key).fingerprint(), "lasting": job.repeatable},
        "output": {
            "files": outputs.n_files,
            "bytes": outputs.n_bytes,
            "manifest": hashlib.sha256(outputs.manifest.encode()).hexdigest(),
        },
    }


def list_outputs(written: Path | None, names_hidden: bool) -> Outputs:
    """The digests of a file or folder; names that are no pseudonyms are hidden behind numbers."""
    found = list(digest_files(written)) if written is not None else []
    named = (
        (str(n) if names_hidden and name != ALONE else name, told) for n, (name, told) in enumerate(found, 1)
    )
    size = sum(path.stat().st_size for path in _files(written)) if written is not None else 0
    return Outputs(len(found), size, "".join(f"{told}  {name}\n" for name, told in named))


def digest_files(place: Path) -> Iterator[tuple[str, str]]:
    """Each file of an output by its name below the folder, with its SHA-256."""
    for path in _files(place):
        yield path.relative_to(place).as_posix() if path != place else ALONE, digest_input(path)


def digest_folder(folder: Path, left_out: tuple[str, ...] = ()) -> str:
    """One SHA-256 of all files below a folder with their names, or of a file alone."""
    whole = hashlib.sha256()
    if not folder.is_dir():
        return digest_input(folder)
    for parts in sorted(_files_below(os.fspath(folder), left_out)):
        told = digest_input(os.path.join(folder, *parts))  # noqa: PTH118 (called a thousand times at a start)
        whole.update(f"{'/'.join(parts)}\0{told}\n".encode())
    return whole.hexdigest()


def _files_below(
    folder: str, left_out: tuple[str, ...], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Each file below a folder by the names on the way to it; whatever is called like those left out is not
    looked into."""
    with os.scandir(folder) as found:
        for each in found:
            if each.name in left_out:
                continue
            if each.is_dir(follow_symlinks=False):
                yield from _files_below(each.path, left_out, (*above, each.name))
            elif each.is_file():
                yield (*above, each.name)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    return [place.joinpath(*parts) for parts in sorted(_files_below(os.fspath(place), ()))]


def _digest_model(job: MaskJob) -> str | None:
    """Of all its files; None where no model of this machine had a part."""
    folder = None if job.spans is not None else find_model_folder(job.finding)
    if folder is None:
        return None
    members = [member for member, _ in read_committee(folder)[1]] if is_committee(folder) else []
    told = "".join(f"{digest_folder(each)}\n" for each in (folder, *members))
    return hashlib.sha256(told.encode()).hexdigest() if members else told.strip()


def _describe_systems(job: MaskJob) -> list[dict[str, Any]]:
    """Each system that found together with others: what it is, its files and the versions of its packages."""
    members = job.finding.find_members() if job.finding.together and job.spans is None else ()
    return [
        {
            "system": shown_name(each.spec),
            "files": [digest_folder(place) for place in files_of(each.spec)],
            "map": hashlib.sha256(json.dumps(each.names).encode()).hexdigest() if each.names else None,
            "versions": versions_of(each.spec),
        }
        for each in members
    ]


def find_model_folder(finding: Finding) -> Path | None:
    """Where the model of a run lies; None for rules alone, and for systems that have no folder here."""
    name = plain_name(finding.own_model)
    folder = folder_of(name) if name is None or is_system(name) else model_folder(name)
    return folder if folder is not None and folder.is_dir() else None


def name_account() -> str:
    """The name of the account; in a container it may have none but its number."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown account"


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
