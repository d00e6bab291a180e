import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.encode import words as module
from deidlab.encode.words import cut_words, find_words, fit_words
from deidlab.errors import UnknownNameError
from tests.strategies import any_texts, spans_in


def shown(text: str, style: str = "runs") -> list[str]:
    return [text[start:end] for start, end in find_words(text, style)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IzaNºCol", ["IzaNºCol"]),
        ("F2068-03-01", ["F", "2068", "-", "03", "-", "01"]),
        ("Jose\u0301 Pérez", ["Jose\u0301", "Pérez"]),
        ("m² ½", ["m", "²", "½"]),
        ("नमस्ते", ["नमस्ते"]),
        ("a_b", ["a", "_", "b"]),
        ("x\u200by", ["x", "\u200b", "y"]),
        ("\ufe0f", ["\ufe0f"]),
        ("120/80mmHg", ["120", "/", "80", "mmHg"]),
        ("一二 ١٢", ["一二", "١٢"]),
        (" \t\r\n\u00a0\u2028", []),
    ],
)
def test_runs_of_letters_digits_and_single_symbols(text: str, words: list[str]) -> None:
    assert shown(text) == words


def test_white_space_style() -> None:
    assert shown("Dr. O'Neil, 3/14", "whitespace") == ["Dr.", "O'Neil,", "3/14"]
    with pytest.raises(UnknownNameError):
        find_words("a", "spaces")


def test_glued_words_are_cut_before_a_capital() -> None:
    assert shown("Soler MonteroNºCol: 28 McKay ÁnsÉl NHC", "cases") == [
        "Soler", "Montero", "NºCol", ":", "28", "Mc", "Kay", "Áns", "Él", "NHC",
    ]  # fmt: skip
    assert shown("a1B", "cases") == ["a", "1", "B"]


@given(any_texts, st.sampled_from(["runs", "cases", "whitespace"]))
def test_every_visible_character_is_in_exactly_one_word(text: str, style: str) -> None:
    covered = [index for start, end in find_words(text, style) for index in range(start, end)]
    assert covered == [index for index, character in enumerate(text) if not character.isspace()]


@given(any_texts)
def test_words_are_what_the_rule_says(text: str) -> None:
    def kind(character: str) -> str:
        category = unicodedata.category(character)
        return "letter" if category[0] in "LM" else "digit" if category == "Nd" else "symbol"

    words = find_words(text)
    for start, end in words:
        kinds = {kind(character) for character in text[start:end]}
        assert len(kinds) == 1
        assert kinds != {"symbol"} or end - start == 1
    for (_, end), (start, _) in itertools.pairwise(words):
        if end == start:
            assert kind(text[end - 1]) != kind(text[start]) or kind(text[start]) == "symbol"


def test_the_fast_way_is_only_taken_where_it_agrees() -> None:
    """No mark and no number that is not a digit may pass as plain: `re` sees those differently."""
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in ("Mn", "Mc", "Me", "No", "Nl"):
            assert module._ODD.search(character), hex(code)


def test_every_letter_of_this_python_is_known() -> None:
    assert module.letters_are_complete()


@given(st.data())
def test_stretches_become_runs_of_words_and_nothing_is_lost(data: st.DataObject) -> None:
    text = data.draw(any_texts)
    spans = data.draw(spans_in(len(text)))
    before = find_words(text)
    fitted, runs = fit_words(before, ((span.start, span.end) for span in spans))
    assert fitted == sorted(fitted)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(fitted))
    for span, (first, end) in zip(spans, runs, strict=True):
        assert (fitted[first][0], fitted[end - 1][1]) == (span.start, span.end)
        assert all(span.start <= s and e <= span.end for s, e in fitted[first:end])
    visible = {i for start, end in before for i in range(start, end)}
    assert {i for start, end in fitted for i in range(start, end)} >= visible
    assert cut_words(before, ()) == before


def test_words_are_cut_at_a_boundary_inside() -> None:
    text = "IzaNºCol"
    assert cut_words(find_words(text), [(0, 3)]) == [(0, 3), (3, 8)]
    assert cut_words(find_words(text), [(3, 5)]) == [(0, 3), (3, 5), (5, 8)]
    assert cut_words(find_words("  "), [(0, 1)]) == [(0, 1)]
    assert cut_words(find_words("a  b"), [(0, 2)]) == [(0, 1), (1, 2), (3, 4)]


@given(any_texts)
def test_a_rare_letter_behind_a_text_changes_none_of_its_words(text: str) -> None:
    assert find_words(f"{text} \U00020000")[:-1] == find_words(text)
