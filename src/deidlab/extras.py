"""The line that installs an optional part, as it works here: no registry has to know DeidLab by name."""

from __future__ import annotations

import json
import re
import shlex
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

_EXTRA = re.compile(r"""\s*;\s*extra\s*==\s*['"]([\w-]+)['"]\s*$""")


def install_line(extra: str) -> str:
    """From the folder DeidLab was installed from while that is there, else what the extra consists of."""
    folder = _source_folder()
    wanted = [f"{folder}[{extra}]"] if folder else _requirements_of(extra)
    return "pip install " + " ".join(map(_quoted, wanted))


def _source_folder() -> Path | None:
    """What pip noted when it installed a folder (PEP 610)."""
    try:
        noted = metadata.distribution("deidlab").read_text("direct_url.json")
        url = urlsplit(json.loads(noted or "{}").get("url", ""))
    except (metadata.PackageNotFoundError, ValueError, TypeError, AttributeError):
        return None
    folder = Path(unquote(url.path))
    return folder if url.scheme == "file" and (folder / "pyproject.toml").is_file() else None


def _requirements_of(extra: str) -> list[str]:
    try:
        all_of_them = metadata.requires("deidlab") or []
    except metadata.PackageNotFoundError:
        all_of_them = []
    found = [_EXTRA.sub("", each) for each in all_of_them if (m := _EXTRA.search(each)) and m[1] == extra]
    # Not installed at all, but run from its source: the folder is where the person stands.
    return found or [f".[{extra}]"]


def _quoted(requirement: str) -> str:
    return requirement if shlex.quote(requirement) == requirement else f"'{requirement}'"
