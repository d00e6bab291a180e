from __future__ import annotations

import pytest

from deidlab.corpus.merge import MergeReport, Source, merge_corpora
from deidlab.errors import CorpusError
from deidlab.labels import load_label_set, load_map
from deidlab.types import Document, Span

I2B2 = load_label_set("i2b2-2014")
SPANISH = Document(
    "1-01", "1", "Ana, mujer", (Span(0, 3, "NOMBRE_SUJETO_ASISTENCIA"), Span(5, 10, "SEXO_SUJETO_ASISTENCIA"))
)
ENGLISH = Document("1-01", "1", "Ann", (Span(0, 3, "PATIENT", 0.5, "model"),), {"site": "north"})


def test_labels_are_mapped_and_origins_kept() -> None:
    report = MergeReport()
    sources = [Source("es", [SPANISH], load_map("meddocan--i2b2-2014")), Source("en", [ENGLISH], {})]
    spanish, english = merge_corpora(sources, I2B2, report=report)
    assert spanish.spans == (Span(0, 3, "PATIENT"),)
    assert english.spans == ENGLISH.spans
    assert (spanish.id, spanish.patient) == ("es.1-01", "es.1")
    assert english.meta == {"site": "north", "corpus": "en", "corpus_id": "1-01"}
    assert report.dropped == {"es SEXO_SUJETO_ASISTENCIA": 1}
    assert report.documents == {"es": 1, "en": 1}


def test_a_label_without_a_place_is_never_lost_in_silence() -> None:
    stray = Document("d", text="x", spans=(Span(0, 1, "STRAY"),))
    with pytest.raises(CorpusError, match="document d: the label of span 0–1 has no place in i2b2-2014"):
        list(merge_corpora([Source("a", [stray], {})], I2B2))
    report = MergeReport()
    (kept,) = merge_corpora([Source("a", [stray], {})], I2B2, "keep", report)
    assert kept.spans[0].label == "STRAY"
    (dropped,) = merge_corpora([Source("a", [stray], {})], I2B2, "drop", report)
    assert dropped.spans == ()
    assert report.unmapped == {"a other labels": 2}
    assert report.dropped == {"a other labels": 1}
