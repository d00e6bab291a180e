"""A system's name in, a detector that masks with it out: whatever can be compared can mask.

`load_detector` takes what `deidlab.detect.load_detector` takes, and systems beside: `hf:FOLDER`, `presidio`,
`command:"…"` and the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deidlab import detect
from deidlab.detect.detector import Detector, make_detector
from deidlab.detect.embedded import language_of as language_of_model
from deidlab.detect.settings import USUAL, DetectorSettings
from deidlab.errors import ConfigError
from deidlab.systems.members import Member
from deidlab.systems.specification import KINDS

# These are models of ours by another name.
_SAME = ("embedded", "run")


def is_system(model: str | None) -> bool:
    """Whether a model's name is that of a system: a kind, or a kind and a colon; a folder of such a name is a
    folder."""
    if model is None or Path(model).is_dir():
        return False
    kind = model.partition(":")[0]
    return kind in KINDS or (kind == "https" and ":" in model)


def plain_name(model: str | None) -> str | None:
    """The name under which `deidlab.detect` knows a model of ours; any other name as it is."""
    kind, _, argument = (model or "").partition(":")
    return argument if is_system(model) and kind in _SAME and argument else model


def language_of(model: str | None) -> str:
    """The language of the notes that a model is for; empty where it does not say."""
    name = plain_name(model)
    if name is not None and is_system(name):
        kind, _, argument = name.partition(":")
        return argument if kind == "rules" else ""
    return language_of_model(name)


def language_of_members(members: Sequence[Member]) -> str:
    """The one language that systems tell; empty where none does."""
    told = {language_of(f"{each.spec.kind}:{each.spec.argument}") for each in members} - {""}
    if len(told) > 1:
        raise ConfigError(
            f"the systems are for {' and '.join(sorted(told))}: say with --language what the notes are in"
        )
    return next(iter(told), "")


def folder_of(model: str | None) -> Path | None:
    """The folder that a system's name points to, where it is one of this machine."""
    name = plain_name(model)
    if name is None or not is_system(name):
        return None
    folder = Path(name.partition(":")[2])
    return folder if folder.is_dir() else None


def load_detector(
    model: str | None = None, settings: DetectorSettings = USUAL, device: str = "cpu"
) -> Detector:
    """The detector of a model of ours, or of a system."""
    name = None if settings.rules == "only" else plain_name(model)
    if name is None or not is_system(name):
        return detect.load_detector(name, settings, device)
    kind, _, argument = name.partition(":")
    if kind == "rules":
        language = settings.language or argument
        return detect.load_detector(None, replace(settings, rules="only", language=language))
    if device != "cpu":
        raise ConfigError(f"{kind}: systems are computed by processors here")
    # Imported here: nearly every start has a model of ours, or rules alone.
    from deidlab.systems.tagging import RenamedModel, open_tagger

    tagger = open_tagger(name)
    detector = make_detector(tagger, settings)
    # A system without probabilities of words cannot say what a rule's finding is worth: rules stand alone.
    return detector if isinstance(tagger, RenamedModel) else replace(detector, backing=0.0)
