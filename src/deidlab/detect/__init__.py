"""Notes in, spans with a certainty and a source out: rules, lists, known identifiers, and a model.

The path: rules/*, gazetteers, known, echo and model -> candidates -> resolve -> spans. `model` runs a tagger,
with or without torch, and is imported only when a model is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deidlab.detect.detector import Detection, Detector, load_detector
    from deidlab.detect.ensemble import HOW
    from deidlab.detect.known import KnownTable
    from deidlab.detect.lexicon import read_terms
    from deidlab.detect.settings import DetectorSettings

__all__ = ["HOW", "Detection", "Detector", "DetectorSettings", "KnownTable", "load_detector", "read_terms"]

# Looked up only when asked for: a trainer that reads a run's folder needs none of the rules' libraries.
_HOMES = {
    "HOW": "ensemble",
    "Detection": "detector",
    "Detector": "detector",
    "DetectorSettings": "settings",
    "KnownTable": "known",
    "load_detector": "detector",
    "read_terms": "lexicon",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
