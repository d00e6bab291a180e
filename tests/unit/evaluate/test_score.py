from __future__ import annotations

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, compare_with_first, group_rows, score_systems
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from tests.unit.evaluate.builders import pair

PAIRS = (
    pair("[AGE 82] in [CITY Bath]", "[AGE 82] in Bath", "a", "p1", {"site": "north", "year": 2071}),
    pair("[DATE 3/14] ok", "[DATE 3/14] ok", "b", "p1", {"site": "south"}),
    pair("[CITY Vigo] ok", "[CITY Vigo] [CITY ok]", "c", "p2", {"site": "north"}),
    pair("[CITY Lugo]", "Lugo", "d", "p3", {"site": ""}),
)
FEW = ResampleSettings(50)


def test_groups_are_what_scoring_their_documents_alone_gives() -> None:
    (score,) = score_systems({"one": PAIRS}, ScoreSettings(by="site", resample=FEW))
    assert list(score.groups) == ["(none)", "north", "south"]
    alone = summarise(tally_pairs([PAIRS[0], PAIRS[2]], seen=("DATE",)))
    assert score.groups["north"].summary == alone
    assert score.groups["north"].privacy.leaked_words == 1
    assert score.groups["north"].confusion.cells.sum() == 5
    assert score.groups["south"].summary.absent == ("AGE", "CITY")


def test_a_field_may_be_a_number_or_the_patient_and_must_exist() -> None:
    assert list(group_rows(PAIRS, "year")) == ["(none)", "2071"]
    assert {name: rows.tolist() for name, rows in group_rows(PAIRS, "patient").items()} == {
        "p1": [0, 1], "p2": [2], "p3": [3],
    }  # fmt: skip
    with pytest.raises(UnknownNameError, match="unknown field 'sit'; did you mean site"):
        group_rows(PAIRS, "sit")
    with pytest.raises(ConfigError, match="no fields but 'patient'"):
        group_rows([pair("a", "a")], "site")


def test_systems_share_one_order_of_labels_and_are_compared_with_the_first() -> None:
    other = tuple(pair(f"[CITY {made.gold.text}]", f"[ZIP {made.gold.text}]", made.gold.id) for made in PAIRS)
    scores = score_systems({"one": PAIRS, "two": PAIRS, "three": other}, ScoreSettings(resample=FEW))
    assert {score.tally.labels for score in scores} == {("AGE", "CITY", "DATE", "ZIP")}
    comparisons = compare_with_first(scores[:2], FEW)
    assert [(part.first, part.second) for part in comparisons] == [("one", "two")]
    assert comparisons[0].differences["words.f1"].difference == 0.0
