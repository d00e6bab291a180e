"""Findings move with the words around them, and widen to what took the place of words that they lay on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deidlab.mask.apply import apply, landings
from deidlab.pipeline.io.findings import move
from deidlab.types import Span


def masked(text: str, spans: list[tuple[int, int, str]]) -> tuple[str, list[list[int]]]:
    made = [(Span(start, end, "PATIENT"), new) for start, end, new in spans]
    rows = [[s.start, s.end, *place] for (s, _), place in zip(made, landings(made), strict=True)]
    return apply(text, made), rows


def test_words_outside_are_found_again() -> None:
    text, rows = masked("Mr. Quist has gout; Quist went.", [(4, 9, "Bartholomew"), (20, 25, "Bo")])
    start, end = move(14, 18, rows)
    assert text[start:end] == "gout"


def test_words_inside_become_all_that_took_their_place() -> None:
    text, rows = masked("Mr. Quist has gout.", [(4, 9, "Bartholomew")])
    for inside in ((4, 9), (5, 7), (6, 9), (4, 5)):
        start, end = move(*inside, rows)
        assert text[start:end] == "Bartholomew"
    start, end = move(0, 18, rows)
    assert text[start:end] == "Mr. Bartholomew has gout"


@given(st.data())
def test_a_finding_holds_every_replacement_that_it_touches_and_its_own_words(data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, 40), max_size=8)))
    spans = [
        (a, b, data.draw(st.text("xyz", max_size=6))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    original = "".join(chr(97 + n % 20) for n in range(41))
    text, rows = masked(original, spans)
    start = data.draw(st.integers(0, 39))
    end = data.draw(st.integers(start + 1, 40))
    new_start, new_end = move(start, end, rows)
    assert 0 <= new_start <= new_end <= len(text)
    expected = "".join(
        next((new for a, b, new in spans if a == n), "")
        if any(a <= n < b for a, b, _ in spans)
        else original[n]
        for n in range(
            next((a for a, b, _ in spans if a <= start < b), start),
            max([end, *(b for a, b, _ in spans if a < end <= b)]),
        )
    )
    assert text[new_start:new_end] == expected
