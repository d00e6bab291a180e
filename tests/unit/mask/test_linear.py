"""Hostile notes: what masking takes grows with their length, never with its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from deidlab.mask import Masker, MaskSettings, PatientState, load_policy
from deidlab.types import Document, Span

KEY = bytes(range(32))
LETTERS = "abcdefghijklmnopqrst"


def word(number: int) -> str:
    """A name that no other number has."""
    return "".join(LETTERS[number // 20**place % 20] for place in range(4)).title()


def one_span(unit: str, label: str) -> Callable[[int], Document]:
    """One giant mention."""
    return lambda n: Document("n", text=unit * n, spans=(Span(0, len(unit) * n, label),))


def many_spans(write: Callable[[int], str], label: str) -> Callable[[int], Document]:
    """A mention in each of many sentences, all different."""

    def make(n: int) -> Document:
        pieces, spans, at = [], [], 0
        for number in range(n):
            mention = write(number)
            spans.append(Span(at, at + len(mention), label))
            pieces.append(f"{mention} came. ")
            at += len(pieces[-1])
        return Document("n", text="".join(pieces), spans=tuple(spans))

    return make


NOTES = {
    "one name over and over": one_span("Smith ", "PATIENT"),
    "family names before commas": one_span("Smith, ", "PATIENT"),
    "initials run together": one_span("JS ", "DOCTOR"),
    "particles": one_span("van ", "PATIENT"),
    "pairs of particles": one_span("De La ", "PATIENT"),
    "titles": one_span("Don ", "DOCTOR"),
    "hyphens": one_span("Ann-", "DOCTOR"),
    "one long age": one_span("9 ", "AGE"),
    "pronouns": lambda n: Document("n", text="John" + " she" * n, spans=(Span(0, 4, "PATIENT"),)),
    "spans in spans": lambda n: Document(
        "n", text="Ann " * n, spans=tuple(Span(4 * i, 4 * n, ("HOSPITAL", "PATIENT")[i % 2]) for i in range(n))
    ),
    "blanks": one_span(" ", "DOCTOR"),
    "blanks around a name": lambda n: Document("n", text="A" + " " * n + "B", spans=(Span(0, n + 2, "DOCTOR"),)),
    "degrees": one_span("MD, ", "DOCTOR"),
    "one long user": one_span("a", "USERNAME"),
    "one long date": one_span("3/14 ", "DATE"),
    "one long number": one_span("1A", "IDNUM"),
    "one family, many given names": many_spans(lambda n: f"{word(n)} Smith", "DOCTOR"),
    "one given name, many families": many_spans(lambda n: f"John {word(n)}", "DOCTOR"),
    "one name, many middle names": many_spans(lambda n: f"John {word(n)} Smith", "DOCTOR"),
    "many full names": many_spans(lambda n: f"{word(n)} {word(n + 7)}", "PATIENT"),
    "many towns": many_spans(word, "CITY"),
    "many dates without a year": many_spans(lambda n: f"{1 + n % 12}/{1 + n % 28}", "DATE"),
}  # fmt: skip


def seconds(document: Document, style: str) -> float:
    masker = Masker(MaskSettings(load_policy("i2b2"), style, KEY))  # type: ignore[arg-type]
    start = time.process_time()
    state = PatientState.from_bytes(PatientState.from_facts([masker.facts(document)]).to_bytes())
    masker.mask(document, state)
    return time.process_time() - start


@pytest.mark.parametrize("style", ["tag", "surrogate"])
@pytest.mark.parametrize("name", NOTES)
def test_eight_times_the_text_takes_about_eight_times_as_long(name: str, style: str) -> None:
    seconds(NOTES[name](5), style)
    short, long = NOTES[name](400), NOTES[name](3200)
    # The square would be 64 times; a bank that runs out of fresh names takes its share. Noise only adds time: a
    # long note that took too long is given two more tries.
    bound = 24 * seconds(short, style) + 0.5
    assert any(seconds(long, style) < bound for _ in range(3))
