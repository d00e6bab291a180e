"""Ensembles by vote and mean, figures of words, and what predictions hold."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect.committee import combine_probabilities
from deidlab.encode.decoding import TagGrammar
from deidlab.errors import ConfigError
from deidlab.evaluate.pairing import pair_documents
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.study.folder import STUDY, write_object
from deidlab.study.measuring import measure_found
from deidlab.study.predictions import write_predictions
from deidlab.study.records import read_predictions, read_study
from deidlab.types import Span
from tests.unit.study.builders import make_notes

GRAMMAR = TagGrammar.of(("O", "B-DATE", "I-DATE", "B-NAME", "I-NAME"))


def note(*rows: tuple[float, ...]) -> list[np.ndarray]:
    return [np.array(rows, np.float32)]


def test_the_mean_hears_certainty_and_the_vote_counts_heads() -> None:
    sure = note((0.02, 0.98, 0, 0, 0))
    unsure = note((0.55, 0.45, 0, 0, 0))
    members = [sure, unsure, unsure]
    assert combine_probabilities(members, GRAMMAR, "mean")[0].tolist() == [1]
    assert combine_probabilities(members, GRAMMAR, "vote")[0].tolist() == [0]


def test_equal_votes_are_decided_by_the_mean() -> None:
    one, two = note((0.1, 0.9, 0, 0, 0)), note((0.6, 0.4, 0, 0, 0))
    assert combine_probabilities([one, two], GRAMMAR, "vote")[0].tolist() == [1]
    assert combine_probabilities([two, one], GRAMMAR, "vote")[0].tolist() == [1]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 12), st.sampled_from(["vote", "mean"]))
def test_what_comes_out_is_valid_and_alone_a_model_is_itself(
    seed: int, n: int, n_words: int, how: str
) -> None:
    draw = np.random.default_rng(seed)
    members = [[draw.dirichlet(np.ones(5), n_words).astype(np.float32)] for _ in range(n)]
    tags = combine_probabilities(members, GRAMMAR, how)[0].tolist()
    allowed = GRAMMAR.allowed()
    assert all(allowed[a, b] for a, b in pairwise(tags))
    assert not tags or not GRAMMAR.is_inside[tags[0]]
    same = combine_probabilities([members[0]] * 3, GRAMMAR, how)[0].tolist()
    assert same == combine_probabilities([members[0]], GRAMMAR, "mean")[0].tolist()


@given(st.integers(0, 10_000))
def test_figures_are_those_of_the_scorer(seed: int) -> None:
    draw = np.random.default_rng(seed)
    gold = make_notes(5, seed)
    found = []
    for each in gold:
        moved = [
            Span(
                span.start,
                min(len(each.text), span.end + int(draw.integers(0, 6))),
                str(draw.choice(["DATE", span.label])),
            )
            for span in each.spans
            if draw.random() < 0.8
        ]
        found.append(tuple(moved))
    figures = measure_found(gold, found)
    system = [replace(each, spans=spans) for each, spans in zip(gold, found, strict=True)]
    summary = summarise(tally_pairs(pair_documents(gold, system).pairs))
    micro = summary.words.micro
    assert (figures["tp"], figures["fp"], figures["fn"]) == (micro.tp, micro.fp, micro.fn)
    assert figures["f1"] == micro.f1 and figures["accuracy"] == summary.accuracy
    assert figures["strict_f1"] == summary.entities["strict"].micro.f1
    for label, counts in summary.words.by_type.items():
        assert figures["by_label"][label]["f1"] == counts.f1


def test_predictions_hold_offsets_and_no_text(tmp_path: Path) -> None:
    notes = make_notes(4, 1)
    found = [tuple(replace(span, score=0.5) for span in each.spans) for each in notes]
    path = tmp_path / "m.test.jsonl"
    packed = write_predictions(path, notes, found)
    back = list(read_predictions(path))
    assert [(each.id, each.patient, each.gold, each.found) for each in back] == [
        (each.id, each.patient, each.spans, spans) for each, spans in zip(notes, found, strict=True)
    ]
    text = gzip.decompress(packed.read_bytes()).decode()
    assert not [name for name in ("Lopez", "Patient", "weeks") if name in text]
    before = packed.read_bytes()
    assert write_predictions(path, notes, found).read_bytes() == before


def test_a_folder_without_a_study_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no study is here"):
        read_study(tmp_path)
    write_object(tmp_path / STUDY, {"name": "x"})
    with pytest.raises(ConfigError, match="not the description of a study"):
        read_study(tmp_path)


def test_half_a_line_of_access_is_passed_over(tmp_path: Path) -> None:
    facts = dict.fromkeys(
        ("name", "title", "digest", "created", "selection_measure", "word_style", "currency"), "x"
    )
    empty: dict[str, object] = {
        "models": [],
        "split": {},
        "corpora": {},
        "labels": [],
        "price_per_hour": None,
        "environment": {},
        "spec": {},
    }
    write_object(tmp_path / STUDY, facts | empty)
    (tmp_path / "access.jsonl").write_text(json.dumps({"part": "train"}) + '\n{"part": "te')
    assert [line["part"] for line in read_study(tmp_path).access] == ["train"]
