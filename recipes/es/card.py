"""The Spanish runs in, the embedded Spanish model with its card out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from deidlab.corpus import read_corpus
from deidlab.labels import load_map
from deidlab.train.corpora import relabel
from deidlab.types import Document

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from package import Measured, detect, export_int8, install, measure, read_story  # noqa: E402

# What the model is told beside its weights: how spans are redrawn, and the threshold that the task's strict
# measure likes best on the development notes. Masking takes all that was decoded.
FACTS = {"language": "es", "conventions": "meddocan", "own_threshold": 0.8}
ALONE = (
    "Development notes, run on the training notes alone, int8: `detect --model es --rules off --labels own"
)
OWN = f"{ALONE}`, which leaves out what the model is less than {FACTS['own_threshold']} sure of."
DECODED = f"{ALONE} --threshold 0`: better for privacy, worse by the task's measure."
MASKED = (
    "The same run as `mask` uses it: with rules, labels mapped to i2b2 2014, where sex and kinship are none. \
Neighbouring places become one span, which the strict measure does not forgive."
)


FRESH = HERE.parents[1] / "tests" / "data" / "notes-es-fresh"
ELSEWHERE = (
    "The shipped model as `mask` uses it, on the even notes from g02 to g40 of `tests/data/notes-es-fresh`: \
invented notes of many layouts from Spain and Latin America, by a writer who knew neither the corpus nor the \
rules; they were only counted. **This, not the corpus above, is what to expect of other notes.**"
)
RULES_OFF = "The same notes with the model alone (`--rules off`)."


def package_spanish(work: Path, dev: Sequence[Document]) -> Path:
    """Export both runs, measure the one that has not seen the development notes, install the other."""
    unseen = work / "choose-int8"
    fidelity = export_int8(work / "choose", unseen, dev, **FACTS)
    # The shipped run has learned these notes: only the closeness of int8 to fp32 is told from them.
    export_int8(work / "final", work / "final-int8", dev[:50], **FACTS)
    shipped = work / "final-int8"
    told = (*judge(unseen, dev), *judge_elsewhere(shipped))
    return install(shipped, read_story(HERE / "card.toml"), told, work / "final", fidelity)


def judge(model: Path, dev: Sequence[Document]) -> tuple[Measured, ...]:
    """The figures of a model that has not seen the development notes, as its three uses give them."""
    native = load_map("meddocan--i2b2-2014")
    gold = [relabel(note, native) for note in dev]
    own, decoded = (detect(str(model), "off", dev, "own", threshold) for threshold in (None, 0.0))
    return (
        Measured("MEDDOCAN's labels", OWN, measure(dev, own), True),
        Measured("MEDDOCAN's labels, everything decoded", DECODED, measure(dev, decoded), True),
        Measured("As masked", MASKED, measure(gold, detect(str(model), "on", dev))),
    )


def judge_elsewhere(model: Path) -> tuple[Measured, ...]:
    """The figures of the shipped model on notes unlike those that it learned from."""
    notes = [note for note in read_corpus(FRESH, "inline") if note.id[0] == "g" and int(note.id[1:]) % 2 == 0]
    return tuple(
        Measured(title, remark, measure(notes, detect(str(model), rules, notes)))
        for title, remark, rules in (
            ("Other notes", ELSEWHERE, "on"),
            ("Other notes, no rules", RULES_OFF, "off"),
        )
    )
