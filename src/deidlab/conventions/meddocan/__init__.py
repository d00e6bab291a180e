"""MEDDOCAN (Marimon et al. 2019): 1,000 Spanish clinical cases, annotated for two sub-tracks of one task."""

from __future__ import annotations

from deidlab.conventions import Conventions, Measure

CONVENTIONS = Conventions(
    "meddocan",
    "MEDDOCAN",
    format="i2b2",
    redraw_with=f"{__name__}.redraw",
    measures={
        "ner": Measure("1, NER", "strict"),
        "spans_strict": Measure("2, spans strict", "i2b2_strict"),
        "spans_merged": Measure("2, spans merged", "merged"),
    },
)
