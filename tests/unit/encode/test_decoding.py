"""Every scheme of tags is decoded over its valid runs only, and its runs spell the same spans."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from deidlab.encode.decoding import TagGrammar, decode_valid
from deidlab.encode.tags import spell_spans, tags_to_spans

BIO = ("O", "B-X", "I-X", "B-Y", "I-Y")
BIOES = ("O", "B-X", "I-X", "E-X", "S-X", "B-Y", "E-Y")
BILOU = tuple(tag.replace("E-", "L-").replace("S-", "U-") for tag in BIOES)
IO = ("O", "I-X", "I-Y")


@pytest.mark.parametrize("tags", [BIO, BIOES, BILOU], ids=["BIO", "BIOES", "BILOU"])
def test_the_best_valid_run_is_found(tags: tuple[str, ...]) -> None:
    draw = np.random.default_rng(3)
    allowed = TagGrammar.of(tags).allowed()
    opens = [not tag.startswith(("I-", "E-", "L-")) for tag in tags]
    for _ in range(40):
        scores = draw.normal(size=(4, len(tags))).astype(np.float32)
        runs = [
            run
            for run in itertools.product(range(len(tags)), repeat=4)
            if opens[run[0]] and all(allowed[a, b] for a, b in itertools.pairwise(run))
        ]
        best = max(runs, key=lambda run: sum(scores[place, tag] for place, tag in enumerate(run)))
        assert tuple(decode_valid([scores], TagGrammar.of(tags))[0]) == best


@pytest.mark.parametrize("tags", [BIOES, BILOU], ids=["BIOES", "BILOU"])
def test_what_may_follow_what_is_what_the_scheme_says(tags: tuple[str, ...]) -> None:
    allowed = TagGrammar.of(tags).allowed()
    for (a, before), (b, tag) in itertools.product(enumerate(tags), repeat=2):
        inside, is_open = tag[0] in "IEL", before[0] in "BI"
        wanted = (inside and is_open and before[2:] == tag[2:]) or (not inside and not is_open)
        assert allowed[a, b] == wanted, (before, tag)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-X I-X O I-Y", [(0, 2, "X"), (3, 4, "Y")]),
        ("B-X E-X S-X O", [(0, 2, "X"), (2, 3, "X")]),
        ("B-X I-X L-X U-Y", [(0, 3, "X"), (3, 4, "Y")]),
        ("I-X I-X I-Y O", [(0, 2, "X"), (2, 3, "Y")]),
        ("O E-X L-X O", [(1, 2, "X"), (2, 3, "X")]),
        ("B-X B-X S-X S-X", [(0, 1, "X"), (1, 2, "X"), (2, 3, "X"), (3, 4, "X")]),
    ],
)
def test_tags_of_every_scheme_spell_spans(tags: str, spans: list[tuple[int, int, str]]) -> None:
    words = [(place, place + 1) for place in range(4)]
    assert [(s.start, s.end, s.label) for s in tags_to_spans(words, tags.split())] == spans


def test_schemes_are_known_by_their_tags() -> None:
    assert all(map(spell_spans, (BIO, BIOES, BILOU, IO)))
    assert not any(map(spell_spans, (("O",), ("O", "X"), ("B-X",), ("O", "B-X", "L-X", "S-X"))))
