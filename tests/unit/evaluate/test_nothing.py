"""Documents with no gold, no system, no words: each has a stated answer."""

from __future__ import annotations

import pytest

from deidlab.errors import CorpusError, UnknownNameError
from deidlab.evaluate.compare import compare_systems
from deidlab.evaluate.confusion import confuse_types
from deidlab.evaluate.curves import span_curves
from deidlab.evaluate.privacy import assess_privacy, list_slips
from deidlab.evaluate.resample import ResampleSettings, bootstrap
from deidlab.evaluate.scores import Average, summarise
from deidlab.evaluate.tally import Tally, tally_pairs
from deidlab.types import Counts
from tests.unit.evaluate.builders import pair, tally

NOTHING = Average(None, None, None)


def test_no_gold_has_no_recall_and_a_precision_of_nought() -> None:
    counted = tally("seen by Brandt", "seen by [DOCTOR Brandt]")
    summary, privacy = summarise(counted), assess_privacy(counted)
    assert summary.words.micro == Counts(0, 1, 0)
    assert (summary.words.micro.precision, summary.words.micro.recall, summary.words.micro.f1) == (
        0.0,
        None,
        0.0,
    )
    assert summary.words.macro == NOTHING
    assert summary.absent == ("DOCTOR",)
    assert summary.accuracy == pytest.approx(2 / 3)
    assert privacy.word_recall is None
    assert (privacy.leaking_documents.n, privacy.leaking_documents.of) == (0, 0)
    assert (privacy.leaking_documents.share, privacy.leaking_documents.upper) == (None, None)
    assert privacy.leaked_words_per_document == 0.0
    assert privacy.overmasked_words == 1
    assert span_curves(counted) == []


def test_no_system_has_no_precision_and_a_recall_of_nought() -> None:
    counted = tally("seen by [DOCTOR Brandt]", "seen by Brandt")
    summary, privacy = summarise(counted), assess_privacy(counted)
    assert (summary.words.micro.precision, summary.words.micro.recall, summary.words.micro.f1) == (
        None,
        0.0,
        0.0,
    )
    assert summary.words.macro == Average(0.0, 0.0, 0.0)
    assert privacy.leaking_documents.share == 1.0
    assert privacy.leaking_documents.upper == 1.0
    (curve,) = [curve for curve in span_curves(counted) if curve.name == "DOCTOR"]
    assert (len(curve.threshold), curve.average_precision) == (0, 0.0)


def test_neither_gold_nor_system_is_right_on_every_word_and_has_no_ratio() -> None:
    counted = tally("nothing to see", "nothing to see")
    summary = summarise(counted)
    assert summary.accuracy == 1.0
    assert summary.words.micro == summary.blind["words_binary"] == summary.blind["binary"] == Counts()
    assert summary.words.micro.f1 is None
    assert summary.words.by_type == {}
    assert confuse_types(counted).cells.tolist() == [[3, 0]]
    assert list_slips(counted) == []
    # The challenge's program counts such a document as 0 in its macro average.
    assert summary.i2b2_2014["Strict"]["precision"] == {"macro": 0.0, "micro": 0.0}
    assert summary.official["meddocan"]["ner"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_no_words_at_all_has_no_accuracy(text: str) -> None:
    summary = summarise(tally(text, text))
    assert (summary.accuracy, summary.sizes["words"], summary.n_documents) == (None, 0, 1)


def test_no_document_is_an_error_and_so_is_an_unknown_style() -> None:
    with pytest.raises(CorpusError, match="nothing to score"):
        tally_pairs([])
    with pytest.raises(UnknownNameError, match="way to cut words"):
        tally("a", "a", "run")


def both() -> Tally:
    return tally_pairs(
        [pair("Brandt", "[DOCTOR Brandt]", "a"), pair("no one", "no one", "b"), pair("", "", "c")]
    )


def test_figures_without_a_value_have_no_interval_and_no_difference() -> None:
    settings = ResampleSettings(n_resamples=50)
    found = bootstrap(both(), settings)
    assert found.headline["words.recall"].value is None
    assert found.headline["words.recall"].low is None
    assert found.headline["words.accuracy"].value == pytest.approx(2 / 3)
    gaps = compare_systems(both(), both(), settings)
    assert gaps["words.recall"].difference is None
    assert gaps["words.recall"].p_bootstrap is None
    assert gaps["words.accuracy"].p_bootstrap == 1.0
