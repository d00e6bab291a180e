"""Trying a pattern where its words stand finds what a search at every character finds, in any text."""

from __future__ import annotations

import random
import re
import unicodedata
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from deidlab.corpus import read_corpus
from deidlab.rules.openings import Openings, first_letters, places_of

DATA = Path(__file__).parents[2] / "data"
NOTES = {"es": ("notes-es-judge", "notes-es-fresh"), "fr": ("notes-fr-judge",)}
GLUE = (" ", " ", " ", "\n", ", ", ". ", ": ", "-", "'", "’", "(", ") ", "/", "_", "", "1", " 12 ", " 3/4 ", " 2019 ",
        "€", "→", "²", "º", "×", "ı", "İ", "ſ", "K", "\u0301", " A", " É", "٣")  # fmt: skip


def openings_of(language: str) -> list[tuple[str, Openings]]:
    package = f"deidlab.languages.{language}.rules"
    modules = [
        import_module(f"{package}.{each.name}") for each in iter_modules(import_module(package).__path__)
    ]
    return [
        (f"{module.__name__}.{name}", value)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, Openings)
    ]


def texts_of(language: str) -> list[str]:
    return [note.text for folder in NOTES[language] for note in read_corpus(DATA / folder)]


def odd_letters(word: str) -> str:
    """Letters that `re` takes for others in another case."""
    return word.lower().translate(str.maketrans({"s": "ſ", "i": "ı", "k": "K", "a": "A"}))


def changed(texts: list[str], n: int) -> list[str]:
    """Words of notes in another order and other case, with anything between them."""
    chance = random.Random(7)
    words = [word for text in texts for word in re.findall(r"\w+", text)]
    ways = (
        *(str.lower,) * 3,
        str.upper,
        str.title,
        str,
        odd_letters,
        lambda word: unicodedata.normalize("NFD", word),
    )
    return [
        "".join(chance.choice(ways)(chance.choice(words)) + chance.choice(GLUE) for _ in range(300))
        for _ in range(n)
    ]


@pytest.mark.parametrize("language", sorted(NOTES))
def test_nothing_that_a_search_finds_is_missed(language: str) -> None:
    texts = texts_of(language)
    every = openings_of(language)
    assert len(every) >= 6
    n_found = 0
    for text in (*texts, *map(str.upper, texts[:20]), *map(str.lower, texts[:20]), *changed(texts, 40)):
        for name, openings in every:
            found = [(number, match.span()) for number, match in openings.find(text)]
            searched = [
                (number, match.span())
                for number, (pattern, _) in enumerate(openings._patterns)
                for match in pattern.finditer(text)
            ]
            assert found == searched, name
            n_found += len(found)
    assert n_found > 1000


@pytest.mark.parametrize(
    ("alternatives", "letters"),
    [
        ("hij[oa]s?|madre", ["hij", "madre"]),
        ("señoras?|née?", ["senora", "ne"]),
        ("s[áa]bado|d['’]un", ["sabado", "d un"]),
        ("(?:lunes|martes) santo|domingo de (?:ramos|gloria)", ["lunes", "martes", "domingo de "]),
        ("(?:lundi de )?pentec[ôo]te", ["lundi de ", "pentecote"]),
        (r"d[ií]a|\d", ["dia", r"\d"]),
    ],
)
def test_letters_that_alternatives_begin_with(alternatives: str, letters: list[str]) -> None:
    assert first_letters(alternatives) == letters


@pytest.mark.parametrize("alternatives", ["[ab]cd", "|hijo", "(?:hijo", ".*", "x?"])
def test_what_begins_with_no_letters_is_refused(alternatives: str) -> None:
    with pytest.raises(ValueError, match=r"begins with|closed"):
        first_letters(alternatives)


def test_words_numbers_and_places_of_one_pattern_are_tried_in_order() -> None:
    pattern = re.compile(r"\b(?:el )?\d+ h|\(\w")
    text = "(a 12 h el 13 h (b"
    opened = Openings((pattern, r"el|\d", places_of("(")))
    assert [match.group() for _, match in opened.find(text)] == ["(a", "12 h", "el 13 h", "(b"]


def test_words_that_are_added_later_are_found() -> None:
    text = "zyxa zyxb"
    assert [match.group() for _, match in Openings((re.compile("zyxa"), "zyxa")).find(text)] == ["zyxa"]
    assert [match.group() for _, match in Openings((re.compile("zyxb"), "zyxb")).find(text)] == ["zyxb"]
