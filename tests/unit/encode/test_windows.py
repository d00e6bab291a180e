"""Windows: nothing is lost at any length, and each word is decided where most context is seen."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.encode.windows import IGNORED, WindowShape, cut_windows, deciding_pieces, merge_windows
from deidlab.errors import ConfigError

FIRST, LAST = (101,), (102,)

pieces_of_words = st.lists(st.lists(st.integers(1000, 2000), min_size=1, max_size=7).map(tuple), max_size=120)
shapes = st.integers(4, 40).flatmap(
    lambda length: st.integers(1, length).map(lambda stride: WindowShape(length, stride, FIRST, LAST))
)


@given(pieces_of_words, shapes)
def test_gold_through_windows_is_gold(pieces: list[tuple[int, ...]], shape: WindowShape) -> None:
    gold = list(range(len(pieces)))
    windows = cut_windows("d", pieces, shape, gold)
    assert merge_windows(windows, [window.label_ids for window in windows]) == gold


@given(pieces_of_words, shapes)
def test_windows_fit_and_cover(pieces: list[tuple[int, ...]], shape: WindowShape) -> None:
    windows = cut_windows("d", pieces, shape)
    seen: set[int] = set()
    for index, window in enumerate(windows):
        assert window.index == index
        assert len(window.input_ids) == len(window.word_ids) <= shape.length
        assert window.input_ids[:1] == FIRST and window.input_ids[-1:] == LAST
        inside = [word for word in window.word_ids if word is not None]
        assert inside == sorted(inside)
        seen |= set(inside)
    assert seen == set(range(len(pieces)))
    decided = [(window.first_word, window.end_word) for window in windows]
    assert [first for first, _ in decided] == [0, *(end for _, end in decided[:-1])][: len(decided)]
    assert not windows or decided[-1][1] == len(pieces)


@given(pieces_of_words, shapes)
def test_the_deciding_window_sees_most(pieces: list[tuple[int, ...]], shape: WindowShape) -> None:
    windows = cut_windows("d", pieces, shape)
    n_words = len(pieces)

    def context(window: object, word: int) -> float:
        """Pieces on the side where fewer are seen; a note's own end hides nothing."""
        inside = [each for each in window.word_ids if each is not None]  # type: ignore[attr-defined]
        left = float("inf") if inside[0] == 0 else inside.index(word)
        right = (
            float("inf")
            if inside[-1] == n_words - 1
            else len(inside) - inside.index(word) - inside.count(word)
        )
        return min(left, right)

    for window in windows:
        for word in range(window.first_word, window.end_word):
            rivals = [each for each in windows if word in each.word_ids]
            assert context(window, word) == max(context(each, word) for each in rivals)


@given(pieces_of_words, shapes)
def test_each_label_stands_once_on_a_first_piece(pieces: list[tuple[int, ...]], shape: WindowShape) -> None:
    windows = cut_windows("d", pieces, shape, [7] * len(pieces))
    labelled = sum(label != IGNORED for window in windows for label in window.label_ids)
    assert labelled == len(pieces)
    for window in windows:
        places = deciding_pieces(window)
        assert [place for place, label in enumerate(window.label_ids) if label != IGNORED] == places


def test_other_pieces_can_carry_a_label_too() -> None:
    shape = WindowShape(12, 12, FIRST, LAST)
    (window,) = cut_windows("d", [(5, 6, 7), (8,)], shape, [1, 3], [2, 4])
    assert window.label_ids == (IGNORED, 1, 2, 2, 3, IGNORED)


def test_a_word_longer_than_a_window_is_still_decided() -> None:
    shape = WindowShape(10, 5, FIRST, LAST)
    pieces = [(1,) * 3, tuple(range(50)), (2,) * 3]
    windows = cut_windows("d", pieces, shape, [0, 1, 2])
    assert merge_windows(windows, [window.label_ids for window in windows]) == [0, 1, 2]


def test_windows_of_a_long_note_are_of_about_the_same_length() -> None:
    shape = WindowShape(512, 384, FIRST, LAST)
    windows = cut_windows("d", [(1, 2)] * 700, shape)
    lengths = [len(window.input_ids) for window in windows]
    assert len(windows) == 4
    assert max(lengths) - min(lengths) < 20
    for left, right in pairwise(windows):
        shared = set(left.word_ids) & set(right.word_ids)
        assert 2 * len(shared) >= shape.overlap - 2


def test_a_note_without_words_has_no_window() -> None:
    assert cut_windows("d", [], WindowShape(16, 8, FIRST, LAST)) == []


@pytest.mark.parametrize(("length", "stride"), [(2, 1), (16, 0), (16, 17)])
def test_impossible_shapes_are_refused(length: int, stride: int) -> None:
    with pytest.raises(ConfigError):
        WindowShape(length, stride, FIRST, LAST)
