"""Hostile notes: time grows with length, never with its square."""

from __future__ import annotations

import time

import pytest

from deidlab.detect import DetectorSettings, load_detector
from deidlab.types import Document

UNITS = (
    "pain ",
    "a",
    "1",
    "Smith ",
    "3/14 ",
    "1-",
    "a.",
    "a@",
    "a:",
    "(",
    "\n",
    "12 Oak ",
    "Dr. ",
    "mrn ",
    "1.1.",
    "A1",
    ".com",
    "Smith,",
    "\u00ad",
    "a-\n",
    "a\u200b ",
    "\x00 Smith ",
    "e\u0301",
    "\uff11",
    "Room ",
    "bed 1 ",
)


def seconds(text: str) -> float:
    start = time.process_time()
    load_detector(None, DetectorSettings("only")).detect([Document(id="n", text=text)], with_words=False)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS, ids=[repr(unit) for unit in UNITS])
def test_four_times_the_text_takes_about_four_times_as_long(unit: str) -> None:
    seconds("warm up")
    short, long = (unit * (n // len(unit)) for n in (20_000, 80_000))
    # Noise only adds time: a long note that took too long is given two more tries.
    bound = 8 * seconds(short) + 0.3
    assert any(seconds(long) < bound for _ in range(3))


def test_one_word_a_million_times() -> None:
    assert seconds("pain " * 1_000_000) < 30


def test_terms_are_found_across_the_seams_of_a_long_text() -> None:
    text = "x " * 499_997 + "San Antonio " + "y " * 500_010 + "seen on 3/14/2071 in San Antonio."
    found = load_detector(None, DetectorSettings("only")).detect(
        [Document(id="n", text=text)], with_words=False
    )[0]
    assert [text[span.start : span.end] for span in found.spans] == [
        "San Antonio",
        "3/14/2071",
        "San Antonio",
    ]
