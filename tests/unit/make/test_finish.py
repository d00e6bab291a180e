"""What befalls a note: labels stay with their text whatever becomes of it."""

from __future__ import annotations

import random

from deidlab.make.cast import Cast
from deidlab.make.finish import finish, wrap
from deidlab.make.notes import to_document
from deidlab.make.pen import Pen

PARTS = [
    ("Seen by Dr. ", ""),
    ("Maria de la Cruz", "DOCTOR"),
    (" on ", ""),
    ("March 4, 2071", "DATE"),
    (". Stable, home.\n", ""),
]


def test_wrapping_breaks_inside_of_names() -> None:
    wrapped = wrap(PARTS, 16)
    assert [label for _, label in wrapped] == [label for _, label in PARTS]
    text = "".join(part for part, _ in wrapped)
    assert max(map(len, text.split("\n"))) <= 24  # a mark stays with its word
    assert "\n" in wrapped[1][0]
    assert text.split() == "".join(part for part, _ in PARTS).split()


def test_parts_keep_their_labels() -> None:
    for seed in range(300):
        pen = Pen(random.Random(seed), Cast("x"))
        parts = finish(pen, list(PARTS))
        assert [label for _, label in parts] == [label for _, label in PARTS]
        assert {span.label for span in to_document("n", "n", parts, {}).spans} == {"DOCTOR", "DATE"}


def test_every_kind_of_wear_is_seen() -> None:
    texts = {
        "".join(t for t, _ in finish(Pen(random.Random(seed), Cast("x")), list(PARTS))) for seed in range(600)
    }
    assert any(text.islower() for text in texts)
    assert any(text.isupper() for text in texts)
    assert any("Dr.M" in text or "Stable,h" in text for text in texts)
    assert any("0" in text.replace("2071", "") for text in texts)
    assert len(texts) > 80
