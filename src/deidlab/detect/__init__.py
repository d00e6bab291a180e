"""Notes in, spans with a certainty and a source out: rules, lists, known identifiers, and a model.

The path: rules/*, gazetteers, known, echo and model -> candidates -> resolve -> spans. `model` runs a tagger,
with or without torch, and is imported only when a model is asked for.
"""

from __future__ import annotations

from deidlab.detect.detector import Detection, Detector, load_detector
from deidlab.detect.ensemble import HOW
from deidlab.detect.known import KnownTable
from deidlab.detect.lexicon import read_terms
from deidlab.detect.resolve import resolve

__all__ = ["HOW", "Detection", "Detector", "KnownTable", "load_detector", "read_terms", "resolve"]
