"""Rows: every window once, none cut, next to no filler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.encode.packing import (
    RowShape,
    build_rows,
    choose_row_shape,
    count_deciding,
    n_used,
    pack_windows,
    shuffled,
)
from deidlab.encode.pieced import PiecedCorpus
from deidlab.encode.windows import IGNORED


def make_corpus(lengths: list[int]) -> PiecedCorpus:
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    n_pieces = int(starts[-1])
    ids = np.arange(1, n_pieces + 1, dtype=np.int32)
    return PiecedCorpus(ids, ids % 7, ids % 5, starts, np.zeros(0, np.int64), (), ())


lengths_of_windows = st.lists(st.integers(3, 512), min_size=1, max_size=200)


@given(lengths_of_windows, st.floats(1, 40), st.integers(0, 5))
def test_every_window_is_in_exactly_one_row(lengths: list[int], batch: float, seed: int) -> None:
    shape = choose_row_shape(make_corpus(lengths), batch)
    plan = pack_windows(lengths, shuffled(len(lengths), seed, 0).tolist(), shape)
    assert sorted(window for row in plan for window in row) == list(range(len(lengths)))
    for row in plan:
        assert row
        assert n_used(row, lengths) <= shape.n_pieces


@given(lengths_of_windows, st.floats(1, 40))
def test_rows_hold_the_windows_and_their_edges(lengths: list[int], batch: float) -> None:
    corpus = make_corpus(lengths)
    shape = choose_row_shape(corpus, batch, first_position=2)
    plan = pack_windows(lengths, list(range(len(lengths))), shape)
    for row, windows in zip(build_rows(corpus, plan, shape), plan, strict=True):
        edges = row[shape.edges]
        assert edges[0] == 0 and edges[-1] == shape.n_pieces
        assert (np.diff(edges) >= 0).all() and np.diff(edges).max() <= shape.longest
        at = 0
        for window in windows:
            own = slice(at, at + lengths[window])
            start = int(corpus.starts[window])
            assert (row[shape.field(0)][own] == corpus.ids[start : start + lengths[window]]).all()
            assert (row[shape.field(2)][own] == corpus.labels[start : start + lengths[window]]).all()
            assert (row[shape.field(1)][own] == np.arange(lengths[window]) + 2).all()
            assert at in edges
            at += lengths[window]
        assert (row[shape.field(2)][at:] == IGNORED).all()


@given(lengths_of_windows, st.floats(1, 40), st.integers(0, 2**16))
def test_rows_tell_the_places_that_decide(lengths: list[int], batch: float, seed: int) -> None:
    corpus = make_corpus(lengths)
    draw = np.random.default_rng(seed)
    share = draw.random(len(lengths)).repeat(lengths) * 0.8
    corpus = replace(corpus, labels=np.where(draw.random(corpus.n_pieces) < share, corpus.labels, IGNORED))
    shape = choose_row_shape(corpus, batch, tell_deciding=True)
    if not shape.n_deciding:
        assert shape == choose_row_shape(corpus, batch)
        return
    order = shuffled(len(lengths), seed, 0).tolist()
    plan = pack_windows(lengths, order, shape, deciding=count_deciding(corpus).tolist())
    assert sorted(window for row in plan for window in row) == list(range(len(lengths)))
    for row in build_rows(corpus, [*plan, []], shape):
        places = row[shape.deciding]
        assert (np.diff(places) > 0).all() and places[0] >= 0 and places[-1] < shape.n_pieces
        assert set(np.flatnonzero(row[shape.field(2)] != IGNORED)) <= set(places.tolist())


def test_places_are_told_only_where_few_pieces_decide() -> None:
    corpus = make_corpus([100] * 50)
    assert choose_row_shape(corpus, 10, tell_deciding=True).n_deciding == 0
    sparse = replace(corpus, labels=np.where(corpus.ids % 2, corpus.labels, IGNORED))
    shape = choose_row_shape(sparse, 10, tell_deciding=True)
    assert 0.5 * shape.n_pieces <= shape.n_deciding < 0.65 * shape.n_pieces


def test_there_is_next_to_no_filler() -> None:
    draw = np.random.default_rng(0)
    lengths = draw.integers(128, 513, 1400).tolist()
    shape = choose_row_shape(make_corpus(lengths), 12)
    assert abs(shape.n_pieces / (12 * np.mean(lengths)) - 1) < 0.05
    plan = pack_windows(lengths, shuffled(len(lengths), 1, 0).tolist(), shape)
    assert sum(lengths) / (len(plan) * shape.n_pieces) > 0.985


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    assert (shuffled(50, 1, 3) == shuffled(50, 1, 3)).all()
    assert (shuffled(50, 1, 3) != shuffled(50, 1, 4)).any()
    assert (shuffled(50, 1, 3) != shuffled(50, 2, 3)).any()


def test_many_short_windows_do_not_overflow_a_row() -> None:
    lengths = [3] * 500 + [512] * 4
    shape = choose_row_shape(make_corpus(lengths), 2)
    plan = pack_windows(lengths, list(range(len(lengths))), shape)
    build_rows(make_corpus(lengths), plan, shape)
    assert max(map(len, plan)) < shape.n_windows


@pytest.mark.parametrize("size", [1, 511, 512])
def test_an_empty_row_is_all_filler(size: int) -> None:
    shape = RowShape(1024, 12, size if size > 100 else 100)
    (row,) = build_rows(make_corpus([size]), [[]], shape)
    assert (row[shape.field(2)] == IGNORED).all()
    assert row[shape.edges][-1] == 1024
