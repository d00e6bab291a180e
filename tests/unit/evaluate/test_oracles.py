"""The challenges' own programs are the judges: their definitions, and the figures that they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus
from deidlab.evaluate.i2b2 import MEASURES
from deidlab.evaluate.pairing import pair_documents
from deidlab.evaluate.scores import Summary, summarise
from deidlab.evaluate.tally import tally_pairs
from tests.unit.evaluate.builders import pair

I2B2 = Path(__file__).parents[2] / "data" / "oracles" / "i2b2-2014"


def score(gold: Path, system: Path) -> Summary:
    return summarise(tally_pairs(pair_documents(read_corpus(gold), read_corpus(system)).pairs))


def test_all_sixteen_i2b2_measures_are_the_programs_own() -> None:
    expected = json.loads((I2B2 / "expected.json").read_text("utf-8"))
    assert tuple(expected) == MEASURES
    assert score(I2B2 / "gold", I2B2 / "system").i2b2_2014 == expected


@pytest.mark.parametrize("format", ["brat", "i2b2"])
def test_meddocan_rows_are_the_programs_own(shared: Path, format: str) -> None:
    oracle = shared / "oracles" / "meddocan"
    if not oracle.is_dir():
        pytest.skip(f"NEEDS {oracle}: the sample of MEDDOCAN, which may not be committed")
    first = score(oracle / "gold" / format, oracle / "system-subtrack1" / format).official["meddocan"]
    assert first["ner"] == {"precision": 0.3504, "recall": 0.1383, "f1": 0.1983}
    second = score(oracle / "gold" / format, oracle / "system-subtrack2" / format).official["meddocan"]
    assert second["spans_strict"] == {"precision": 0.3721, "recall": 0.1383, "f1": 0.2017}
    assert second["spans_merged"] == {"precision": 0.5268, "recall": 0.1691, "f1": 0.2560}


def test_meddocan_measures_by_hand() -> None:
    pairs = [
        # Gold joins to one stretch over "Ana Ruiz, 12/3"; the system's one span is that stretch.
        pair("[NAME Ana] [NAME Ruiz], [DATE 12/3] y [CITY Vigo]", "[NAME Ana Ruiz, 12/3] y Vigo", "a"),
        # Same offsets, wrong type; and a false alarm that joins nothing.
        pair("[NAME Eva] va a [CITY Lugo]", "[CITY Eva] va [CITY a] [CITY Lugo]", "b"),
    ]
    summary = summarise(tally_pairs(pairs))
    # NER: of 6 gold and 4 system spans only Lugo agrees.
    assert summary.official["meddocan"]["ner"] == {"precision": 0.25, "recall": 0.1667, "f1": 0.2}
    # Spans strict: Eva and Lugo.
    assert summary.official["meddocan"]["spans_strict"] == {"precision": 0.5, "recall": 0.3333, "f1": 0.4}
    # Merged: a finds the joined stretch (its three gold spans lie inside, Vigo is missed); b joins the
    # system's "a Lugo" to a stretch that gold lacks, so Eva and Lugo stay found and "a" a false alarm.
    assert summary.official["meddocan"]["spans_merged"] == {"precision": 0.75, "recall": 0.75, "f1": 0.75}


def test_i2b2_measures_by_hand() -> None:
    pairs = [
        pair(
            "[PATIENT Ann Lee-Roy] of [CITY Bath], [IDNUM 77]",
            "[PATIENT Ann Lee]-Roy of [CITY Bath,] [IDNUM 77]",
            "a",
        ),
        pair("[DOCTOR Kim] saw him", "[PATIENT Kim] saw him", "b"),
    ]
    scores = summarise(tally_pairs(pairs)).i2b2_2014
    # Gold 4 spans, system 4: only IDNUM is exact; "Bath," ends one character late, "Lee-Roy" four early.
    assert scores["Strict"]["f1"]["micro"] == 0.25
    assert scores["Relaxed"]["f1"]["micro"] == 0.5
    # Tokens: Ann, Lee, Roy, Bath, 77, Kim in gold; the system lacks Roy and has Kim under another type.
    assert scores["Token"]["precision"]["micro"] == 0.8
    assert scores["Token"]["recall"]["micro"] == round(4 / 6, 4)
    # Macro: document b has neither precision nor recall above 0.
    assert scores["Token"]["precision"]["macro"] == 0.5
    assert scores["Token"]["recall"]["macro"] == round((4 / 5 + 0) / 2, 4)
    # HIPAA leaves IDNUM and DOCTOR out, but not the system's PATIENT in b.
    assert scores["HIPAA Token"]["precision"]["micro"] == 0.75
    assert scores["HIPAA Token"]["recall"]["micro"] == 0.75
    assert scores["Binary Strict"]["f1"]["micro"] == 0.5
    assert scores["DATE Strict"]["f1"] == {"macro": 0.0, "micro": 0.0}
