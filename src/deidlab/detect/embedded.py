"""The name of a model that comes with DeidLab in, its folder out."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from deidlab.detect.folder import is_export, is_run, read_tagger
from deidlab.errors import ModelError

EMBEDDED = ("en", "es")
DAY_FIRST = frozenset({"es"})
"""Models for languages that write 3/4/2064 for the third of April."""


def language_of(model: str | None) -> str:
    """The language of the notes that a model is for; empty where it does not say."""
    if model is None or model in EMBEDDED:
        return model or ""
    folder = Path(model)
    return read_tagger(folder).language if is_run(folder) or is_export(folder) else ""


def embedded_folder(name: str) -> Path:
    """Where the model of a language lies; an installation that lacks it is an error that says what to do."""
    folder = Path(str(resources.files("deidlab"))) / "models" / name
    if not is_export(folder):
        raise ModelError(
            f"the embedded model '{name}' is not in this installation: install the whole package, or use "
            "--rules only, or --model FOLDER with a folder that `deidlab export` wrote"
        )
    return folder
