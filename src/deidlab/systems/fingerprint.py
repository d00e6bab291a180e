"""A system in, what tells whether another answers as it does out: its files, and its packages' versions.

A service tells nothing of itself but its address; what it answers with is its own affair.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

from deidlab.detect.embedded import EMBEDDED, embedded_folder
from deidlab.errors import ConfigError
from deidlab.systems.opening import adapter_command
from deidlab.systems.specification import ADAPTED, SystemSpec, place_of

_SECONDS = 60


def files_of(spec: SystemSpec) -> tuple[Path, ...]:
    """The folders and files of this machine that a system is made of, in order."""
    if spec.kind == "embedded" and spec.argument in EMBEDDED:
        return (embedded_folder(spec.argument),)
    if spec.kind == "command":
        words = shlex.split(spec.argument)
        named = [shutil.which(each) or "" for each in words[:1]] + words[1:]
        return tuple(place for each in named if each and (place := Path(each)).is_file())
    place = Path(place_of(spec))
    return (place,) if place_of(spec) and place.exists() else ()


def versions_of(spec: SystemSpec) -> dict[str, str]:
    """The versions of the packages that an adapter runs, by the Python that runs it."""
    if spec.kind not in ADAPTED:
        return {}
    try:
        said = subprocess.run(
            adapter_command(spec), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True
        ).stdout
        return {str(name): str(version) for name, version in json.loads(said)["versions"].items()}
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, AttributeError):
        raise ConfigError(f"{spec.name}: its Python does not tell the versions of its packages") from None


def shown_name(spec: SystemSpec) -> str:
    """The system as a record may show it: the last name of a model's place, and nothing of a program, an
    address or answers made elsewhere, which may be called after people."""
    if not spec.argument or spec.kind in ("command", "http", "corpus"):
        return spec.kind
    return f"{spec.kind}:{Path(spec.argument).name}"
