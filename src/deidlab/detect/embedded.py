"""The name of a model that comes with DeidLab in, its folder out."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from deidlab.detect.folder import is_committee, is_export, is_run, read_committee, read_tagger
from deidlab.errors import ModelError
from deidlab.labels import guess_label_set
from deidlab.languages import MODELLED

EMBEDDED = MODELLED
"""A model that comes with DeidLab bears the code of its language."""


def language_of(model: str | None) -> str:
    """The language of the notes that a model is for; empty where it does not say."""
    if model is None or model in EMBEDDED:
        return model or ""
    folder = Path(model)
    if is_committee(folder):
        languages = {read_tagger(member).language for member, _ in read_committee(folder)[1]}
        return languages.pop() if len(languages) == 1 else ""
    return read_tagger(folder).language if is_run(folder) or is_export(folder) else ""


def language_of_labels(labels: Iterable[str]) -> str:
    """The language of the notes whose labels these are; empty where they do not tell."""
    return guess_label_set(dict.fromkeys(labels, 1)).language


def embedded_folder(name: str) -> Path:
    """Where the model of a language lies; an installation that lacks it is an error that says what to do."""
    folder = Path(str(resources.files("deidlab"))) / "models" / name
    if not is_export(folder):
        raise ModelError(
            f"the embedded model '{name}' is not in this installation: install the whole package, or use "
            "--rules only, or --model FOLDER with a folder that `deidlab export` wrote"
        )
    return folder
