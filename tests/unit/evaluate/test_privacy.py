from __future__ import annotations

import pytest
from scipy.stats import binomtest

from deidlab.errors import ConfigError
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.privacy import Slip, TypeLeaks, assess_privacy, list_slips, upper_share
from deidlab.evaluate.tally import tally_pairs
from deidlab.types import Span
from tests.unit.evaluate.builders import pair, span_pair


def notes() -> list[Pair]:
    return [
        pair("[PATIENT Ann Lee] of [CITY Bath]", "[DOCTOR Ann] Lee [DATE of] [CITY Bath]", "a1", "a"),
        pair("[PATIENT Ann] is [AGE 82]", "[PATIENT Ann] is [AGE 82]", "a2", "a"),
        pair("[DATE 3/14] well", "[DATE 3/1]4 well", "b1", "b"),
        pair("no one here", "no [DATE one] here", "c1", "c"),
    ]


def test_what_stays_visible_by_word_character_document_and_patient() -> None:
    privacy = assess_privacy(tally_pairs(notes()))
    # PHI words: Ann Lee Bath | Ann 82 | 3 / 14; visible: Lee, and 14 of which one character is left.
    assert (privacy.words, privacy.leaked_words) == (8, 2)
    assert privacy.word_recall == 0.75
    # Characters: 3+3+4 | 3+2 | 1+1+2, of which Lee and the 4.
    assert (privacy.characters, privacy.leaked_characters) == (19, 4)
    assert privacy.character_recall == pytest.approx(15 / 19)
    # Document c1 holds no PHI, so it counts in neither share.
    assert (privacy.leaking_documents.n, privacy.leaking_documents.of) == (2, 3)
    assert (privacy.leaking_patients.n, privacy.leaking_patients.of) == (2, 2)
    assert privacy.leaked_words_per_document == 0.5
    assert privacy.by_type["PATIENT"] == TypeLeaks(3, 1)
    assert privacy.by_type["DATE"] == TypeLeaks(3, 1)
    assert privacy.by_type["CITY"].recall == 1.0
    assert privacy.by_type["DOCTOR"].recall is None
    # "of" and "one" are masked for nothing, of the 1 + 1 + 1 + 3 words outside PHI.
    assert privacy.overmasked_words == 2
    assert privacy.overmasked_share == pytest.approx(2 / 6)


def test_slips_are_listed_by_document_and_offset_without_text() -> None:
    assert list_slips(tally_pairs(notes())) == [
        Slip("leak", "a1", "a", 4, 7, "PATIENT", 1, 3),
        Slip("over-masking", "a1", "a", 8, 10, "DATE", 1, 2),
        Slip("leak", "b1", "b", 2, 4, "DATE", 1, 1),
        Slip("over-masking", "c1", "c", 3, 6, "DATE", 1, 3),
    ]


def test_neighbouring_words_of_one_span_are_one_slip_and_of_two_spans_two() -> None:
    made = pair("[PATIENT Ann Lee] [CITY Bath]", "Ann Lee Bath")
    assert [(slip.start, slip.end, slip.n_words) for slip in list_slips(tally_pairs([made]))] == [
        (0, 7, 2),
        (8, 12, 1),
    ]
    broken = pair("[PATIENT Ann van Lee]", "Ann [PATIENT van] Lee")
    assert [(slip.start, slip.end) for slip in list_slips(tally_pairs([broken]))] == [(0, 3), (8, 11)]


def test_the_loser_of_an_overlap_can_still_leak() -> None:
    gold = [Span(0, 11, "PATIENT"), Span(6, 16, "CITY")]
    slips = list_slips(tally_pairs([span_pair("Maria Lopez Vigo", gold, [Span(0, 11, "PATIENT")])]))
    assert slips == [Slip("leak", "a", "a", 12, 16, "CITY", 1, 4)]


@pytest.mark.parametrize(("n", "of"), [(0, 1), (0, 60), (3, 60), (17, 40), (40, 40)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_bound_is_clopper_and_pearsons(n: int, of: int, confidence: float) -> None:
    theirs = binomtest(n, of, alternative="less").proportion_ci(confidence, "exact").high
    assert upper_share(n, of, confidence) == pytest.approx(theirs)


def test_the_rule_of_three_and_the_impossible() -> None:
    assert upper_share(0, 300) == pytest.approx(3 / 300, rel=0.01)
    assert upper_share(0, 0) is None
    with pytest.raises(ConfigError, match="between 0 and 1"):
        upper_share(0, 5, 1.0)
