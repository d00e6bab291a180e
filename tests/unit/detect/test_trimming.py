"""Titles and degrees around names, and doubtful rules that a model does not back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deidlab.detect.detector import Detector
from deidlab.detect.trimming import trim_spans
from deidlab.types import Document, Span


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Harriet Stone, CNM", "Harriet Stone"),
        ("T. Calloway FNP-BC", "T. Calloway"),
        ("Ann Lee, MD, PhD", "Ann Lee"),
        ("Sr. Agnes Moreau", "Agnes Moreau"),
        ("Mme Odile Roy", "Odile Roy"),
        ("Thu Do", "Thu Do"),
        ("ANN MA", "ANN MA"),
        ("ANN LEE MD", "ANN LEE"),
        ("Ann Lee's", "Ann Lee"),
        ("Ann Lee’s", "Ann Lee"),
        ("Young", "Young"),
        ("Miss", "Miss"),
    ],
)
def test_names_alone(text: str, name: str) -> None:
    [span] = trim_spans(text, [Span(0, len(text), "DOCTOR", 0.9, "model")])
    assert text[span.start : span.end] == name


@pytest.mark.parametrize(
    ("text", "end", "day"),
    [
        ("Thurs 10:05 again", 8, "Thurs"),
        ("2064-07-29 08:03", 13, "2064-07-29"),
        ("Oct 16 seen", 6, "Oct 16"),
        ("10:05", 2, "10"),
    ],
)
def test_an_hour_is_no_part_of_a_day(text: str, end: int, day: str) -> None:
    [span] = trim_spans(text, [Span(0, end, "DATE", 0.9, "model")])
    assert text[span.start : span.end] == day


def test_other_labels_and_known_names_stay() -> None:
    text = "Mr. Lee MD"
    spans = [Span(0, 10, "HOSPITAL"), Span(0, 10, "PATIENT", 1.0, "known")]
    assert trim_spans(text, spans) == spans


class Silent:
    """A model that finds nothing, and words as likely as it was told."""

    tags = ("O", "B-PATIENT", "I-PATIENT")
    language = ""

    def __init__(self, sure: float) -> None:
        self.sure = sure

    def predict(self, documents: Sequence[Document]) -> list[tuple[list[Span], list[tuple[int, int, float]]]]:
        return [([], [(0, 5, self.sure)]) for _ in documents]


class Guess:
    """A rule that takes the first word for a name."""

    name = "guess"

    def __init__(self, score: float, source: str = "rules:name-list") -> None:
        self.score, self.source = score, source

    def find(self, text: str) -> list[Span]:
        return [Span(0, 5, "PATIENT", self.score, self.source)]


@pytest.mark.parametrize(
    ("score", "source", "sure", "counts"),
    [
        (0.6, "rules:name-list", 0.02, False),
        (0.6, "rules:name-list", 0.4, True),
        (0.95, "rules:name", 0.02, True),
        (0.6, "rules:id", 0.02, True),
    ],
)
def test_a_doubtful_rule_needs_the_models_backing(
    score: float, source: str, sure: float, counts: bool
) -> None:
    detector = Detector(rules=(Guess(score, source),), model=Silent(sure), backing=0.12, vetoes=())
    [found] = detector.detect([Document(id="n", text="Amber urine.")])
    assert bool(found.spans) == counts


def test_without_a_model_rules_need_none() -> None:
    detector = Detector(rules=(Guess(0.6),), backing=0.12, vetoes=())
    [found] = detector.detect([Document(id="n", text="Amber urine.")])
    assert len(found.spans) == 1


def test_in_capitals_no_rule_about_words_is_certain() -> None:
    detector = Detector(rules=(Guess(0.95, "rules:name"),), model=Silent(0.02), backing=0.12)
    [found] = detector.detect([Document(id="n", text="AMBER URINE.")])
    assert found.spans == ()


def test_words_at_the_edges_that_the_model_sees_nothing_in_are_cut_off() -> None:
    class Long(Guess):
        def find(self, text: str) -> list[Span]:
            return [Span(0, 12, "PATIENT", 0.6, "rules:name")]

    detector = Detector(rules=(Long(0.6),), model=Silent(0.4), backing=0.12)
    [found] = detector.detect([Document(id="n", text="Amber called today")])
    assert [(span.start, span.end) for span in found.spans] == [(0, 5)]
