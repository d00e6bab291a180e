"""The Spanish runs in, the embedded Spanish model with its card out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deidlab.labels import load_map
from deidlab.train.corpora import relabel
from deidlab.types import Document

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from package import Measured, detect, export_int8, install, measure, read_story, tag  # noqa: E402

# The more certain spans alone: better by the task's strict measure, worse for privacy.
TASK_THRESHOLD = 0.6
DECODED = (
    "Development notes, run on the training notes alone, int8: `detect --model es --rules off --labels own`."
)
CERTAIN = (
    f"The same with `--threshold {TASK_THRESHOLD}`, which suits the task's measure better and privacy less."
)
MASKED = (
    "The same run as `mask` uses it: with rules, labels mapped to i2b2 2014, where sex and kinship are none. \
Neighbouring places become one span, which the strict measure does not forgive."
)


def package_spanish(work: Path, dev: Sequence[Document]) -> Path:
    """Export both runs, measure the one that has not seen the development notes, install the other."""
    unseen = work / "choose-int8"
    fidelity = export_int8(work / "choose", unseen, dev, language="es")
    # The shipped run has learned these notes: only the closeness of int8 to fp32 is told from them.
    export_int8(work / "final", work / "final-int8", dev[:50], language="es")
    found = tag(unseen, dev)
    certain = [
        replace(note, spans=tuple(span for span in note.spans if (span.score or 0) >= TASK_THRESHOLD))
        for note in found
    ]
    native = load_map("meddocan--i2b2-2014")
    gold = [relabel(note, native) for note in dev]
    measured = (
        Measured("MEDDOCAN's labels, everything decoded", DECODED, measure(dev, found), True),
        Measured("MEDDOCAN's labels, the more certain spans", CERTAIN, measure(dev, certain), True),
        Measured("As masked", MASKED, measure(gold, detect(str(unseen), "on", dev))),
    )
    return install(work / "final-int8", read_story(HERE / "card.toml"), measured, work / "final", fidelity)
