"""How PHI is found, in; the same with names that hold on every machine and a mark of the files' content, out.

A worker may be on another machine. It must find the files where we find them, and they must be the same
files: a list or a model that differs there would mask otherwise, and nothing would show it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from deidlab.detect.embedded import EMBEDDED
from deidlab.errors import ConfigError
from deidlab.pipeline.settings import Finding
from deidlab.shipped import is_own_file
from deidlab.systems.fingerprint import files_of, versions_of
from deidlab.systems.masking import folder_of, plain_name

_ENDS = 64 * 1024


def pin_finding(finding: Finding) -> Finding:
    """Whole paths, and the mark."""
    lists = {
        name: path.resolve()
        for name in ("known", "allow", "deny")
        if (path := getattr(finding, name)) is not None
    }
    model = plain_name(finding.model)
    if model is not None and model not in EMBEDDED:
        if Path(model).is_dir():
            model = str(Path(model).resolve())
        elif folder := folder_of(model):
            model = f"{model.partition(':')[0]}:{folder.resolve()}"
    if finding.together:
        # What was typed stands in the members, whole.
        finding = replace(finding, members=finding.find_members(), system=(), python=(), map=())
    labels = str(Path(finding.labels).resolve()) if is_own_file(finding.labels) else finding.labels
    whole = replace(finding, model=model, labels=labels, **lists)
    return replace(whole, mark=mark_files(whole))


def check_mark(finding: Finding) -> None:
    """Raise where this machine's files are not those that were pinned."""
    if finding.mark and mark_files(finding) != finding.mark:
        raise ConfigError(
            "the files of --model, --system, --known, --allow, --deny or --labels are not the same here as "
            "where the run was started: put them into a folder that every machine sees"
        )


def mark_files(finding: Finding) -> str:
    """Tells the lists whole, and a model by its small files, and the sizes and ends of its large ones."""
    digest = hashlib.sha256()
    labels = Path(finding.labels) if is_own_file(finding.labels) else None
    for path in (finding.known, finding.allow, finding.deny, labels):
        if path is not None:
            digest.update(_read(path))
    model = finding.own_model
    if model is not None and model not in EMBEDDED:
        folder = folder_of(model) or Path(model)
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file():
                digest.update(path.name.encode() + _ends(path))
    for member in finding.members:
        for place in files_of(member.spec):
            for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if path.is_file():
                    digest.update(path.name.encode() + _ends(path))
        digest.update(json.dumps(versions_of(member.spec), sort_keys=True).encode())
    return digest.hexdigest()[:32]


def _read(path: Path) -> bytes:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _ends(path: Path) -> bytes:
    size = path.stat().st_size
    with path.open("rb") as file:
        data = file.read(_ENDS)
        if size > _ENDS:
            file.seek(max(_ENDS, size - _ENDS))
            data += file.read(_ENDS)
    return f"{size} ".encode() + data
