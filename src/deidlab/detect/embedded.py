"""The name of a model in, its folder and the language of its notes out; the model for a label set."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from deidlab.detect.folder import is_committee, is_export, is_run, read_committee, read_tagger
from deidlab.detect.naming import NATIVE_LABELS, own_set
from deidlab.errors import ModelError
from deidlab.labels import guess_label_set
from deidlab.languages import JOINT
from deidlab.models import DEFAULT, EMBEDDED, HOME

__all__ = ["EMBEDDED", "choose_model", "embedded_folder", "language_of", "language_of_labels", "model_folder"]


def language_of(model: str | None) -> str:
    """The language of the notes that a model is for; empty where it does not say."""
    if model is None:
        return ""
    folder = HOME / model if model in EMBEDDED else Path(model)
    if is_committee(folder):
        languages = {read_tagger(member).language for member, _ in read_committee(folder)[1]}
        return languages.pop() if len(languages) == 1 else ""
    return read_tagger(folder).language if is_run(folder) or is_export(folder) else ""


def language_of_labels(labels: Iterable[str]) -> str:
    """The language of the notes whose labels these are; empty where they do not tell."""
    return guess_label_set(dict.fromkeys(labels, 1)).language


def choose_model(model: str | None, labels: str) -> str | None:
    """The model that is asked, or the embedded one that has learned these labels where the default serves all
    languages and has not."""
    if model != DEFAULT or JOINT not in language_of(model):
        return model
    there = (name for name in EMBEDDED if labels != NATIVE_LABELS and is_export(HOME / name))
    learned = {name: own_set(read_tagger(HOME / name).tags) for name in there}
    asked = [name for name, own in learned.items() if own == labels]
    return model if model in asked or not asked else asked[0]


def embedded_folder(name: str) -> Path:
    """Where the model of a language lies; an installation that lacks it is an error that says what to do."""
    folder = HOME / name
    if not is_export(folder):
        raise ModelError(
            f"the embedded model '{name}' is not in this installation: install the whole package, or use "
            "--rules only, or --model FOLDER with a folder that `deidlab export` wrote"
        )
    return folder


def model_folder(model: str) -> Path:
    """Where a model lies: an embedded one by its name, any other by its path."""
    return embedded_folder(model) if model in EMBEDDED else Path(model)
