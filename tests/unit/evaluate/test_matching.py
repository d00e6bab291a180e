"""The largest set of pairs in which nothing stands twice: as large as SciPy's, for any graph."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from deidlab.evaluate.matching import FREE, largest_matching

Pairs = list[tuple[int, int]]


def _size_in_scipy(pairs: Pairs, n_left: int, n_right: int) -> int:
    left, right = zip(*pairs, strict=True)
    edges = csr_array((np.ones(len(pairs), np.int8), (left, right)), shape=(n_left, n_right))
    return int((maximum_bipartite_matching(edges, perm_type="column") >= 0).sum())


@st.composite
def _graphs(draw: st.DrawFn) -> tuple[Pairs, int, int]:
    n_left, n_right = draw(st.integers(1, 15)), draw(st.integers(1, 15))
    pair = st.tuples(st.integers(0, n_left - 1), st.integers(0, n_right - 1))
    return sorted(draw(st.sets(pair, min_size=1, max_size=60))), n_left, n_right


@given(_graphs())
def test_as_many_pairs_as_scipy_finds_and_each_side_once(graph: tuple[Pairs, int, int]) -> None:
    pairs, n_left, n_right = graph
    left, right = zip(*pairs, strict=True)
    partner = largest_matching(left, right, n_left, n_right)
    found = [(one, other) for one, other in enumerate(partner) if other != FREE]
    assert set(found) <= set(pairs)
    assert len({other for _, other in found}) == len(found) == _size_in_scipy(pairs, n_left, n_right)


def test_one_long_chain_needs_neither_the_stack_nor_the_square_of_the_time() -> None:
    n = 50_000
    # Each takes what its neighbour needs, and the last, who has no choice, makes all of them move by one.
    pairs = [(one, other) for one in range(n) for other in (one + 1, one) if other < n]
    left, right = zip(*pairs, strict=True)
    assert sorted(largest_matching(left, right, n, n)) == list(range(n))


def test_without_pairs_nobody_has_a_partner() -> None:
    assert largest_matching([], [], 2, 3) == [FREE, FREE]
