"""Spans as MEDDOCAN draws them: what is redrawn, what is added, and that nothing else changes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.conventions.meddocan.redraw import (
    AGE,
    DATE,
    EMAIL,
    PATIENT,
    PLACE,
    RELATIVE,
    SOURCE,
    follow_corpus,
)
from deidlab.types import Span

STREET = "CALLE"
Found = tuple[str, str]


def mark(text: str, *found: Found) -> list[Span]:
    """Spans of these parts of a text, each sought after the one before."""
    spans, at = [], 0
    for part, label in found:
        at = text.index(part, at)
        spans.append(Span(at, at := at + len(part), label, 0.7, "model"))
    return spans


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Su médico de familia la deriva.", [("familia", RELATIVE)], []),
        ("Vive con su familia.", [("familia", RELATIVE)], [("familia", RELATIVE)]),
        ("a: ana@osa.es. Fin", [("ana@osa.es.", EMAIL)], [("ana@osa.es", EMAIL)]),
        ("de Getafe, Madrid.", [("Getafe, Madrid", PLACE)], [("Getafe", PLACE), ("Madrid", PLACE)]),
        (
            "de Getafe, Madrid.",
            [("Getafe", PLACE), ("Madrid", PLACE)],
            [("Getafe", PLACE), ("Madrid", PLACE)],
        ),
        ("en Getafe,", [("Getafe,", PLACE)], [("Getafe,", PLACE)]),
        ("S/N. E-41013 Sevilla", [("41013", PLACE)], [("E-41013", PLACE)]),
        ("S/N. E-41013 Sevilla", [("E", PLACE), ("41013", PLACE)], [("E-41013", PLACE)]),
        (
            "bloque E-41013",
            [("bloque E", STREET), ("41013", PLACE)],
            [("bloque E", STREET), ("41013", PLACE)],
        ),
        (
            "el 21 de febrero de 2002",
            [("21", DATE), ("febrero de 2002", DATE)],
            [("21 de febrero de 2002", DATE)],
        ),
        (
            "en febrero y abril de 2002",
            [("febrero", DATE), ("abril de 2002", DATE)],
            [("febrero y abril de 2002", DATE)],
        ),
        (
            "en 2001 y abril de 2002",
            [("2001", DATE), ("abril de 2002", DATE)],
            [("2001", DATE), ("abril de 2002", DATE)],
        ),
    ],
)
def test_what_is_redrawn(text: str, before: list[Found], after: list[Found]) -> None:
    redrawn = follow_corpus(text, mark(text, *before))
    assert [(text[span.start : span.end], span.label) for span in redrawn] == after
    assert all(span.source == "model" and span.score == 0.7 for span in redrawn)


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("El 24-9-10 se retira.", [("24-9-10", DATE)]),
        ("El 03/03/2016.", [("03/03/2016", DATE)]),
        ("Mujer de 38 años que acude", [("38 años", AGE)]),
        ("un niño de trece años con", [("trece años", AGE)]),
        ("a la edad de 6 meses, presentaba", [("6 meses", AGE)]),
        ("con 4 años y medio de edad", [("4 años y medio", AGE)]),
        ("cuando tenía 12 años", [("12 años", AGE)]),
        ("dolor de 38 días de evolución", []),
        ("a los 6 meses de la cirugía", []),
        ("potasio 3.5/4.2, 40-50-60, v1.2.3.4, 45/13/2010, TA 120/80", []),
        ("1-2-10-3 y 1/2/10/4", []),
    ],
)
def test_what_is_written_by_rule_is_found(text: str, added: list[Found]) -> None:
    spans = follow_corpus(text, [])
    assert [(text[span.start : span.end], span.label) for span in spans] == added
    assert all(span.source == SOURCE for span in spans)


def test_what_the_model_found_is_not_found_again_by_rule() -> None:
    text = "Padre de 50 años, con 50 años de edad el 03/03/2016."
    own = mark(text, ("50 años", RELATIVE), ("50 años de edad", RELATIVE), ("03/03", "ID_SUJETO_ASISTENCIA"))
    assert follow_corpus(text, own) == own


def test_what_the_model_doubts_gives_way_to_a_rule() -> None:
    text = "la vio el 7-3-16"
    doubtful, sure = (Span(3, len(text), RELATIVE, score, "model") for score in (0.4, 0.6))
    assert [(span.start, span.label) for span in follow_corpus(text, [doubtful])] == [(10, DATE)]
    assert follow_corpus(text, [sure]) == [sure]


def test_the_given_name_is_found_further_down() -> None:
    text = "Nombre: Marisol.\nApellidos: Vera Paz.\nMarisol vive sola; Vera no. El marisol. En Marisoles."
    own = mark(text, ("Marisol", PATIENT), ("Vera Paz", PATIENT))
    again = [span for span in follow_corpus(text, own) if span.source == SOURCE]
    assert [(span.start, span.label) for span in again] == [(text.index("Marisol vive"), PATIENT)]


def test_a_name_that_belongs_to_something_else_stays_there() -> None:
    text = "Nombre: Hugo.\nDomicilio: Calle Hugo 3."
    own = mark(text, ("Hugo", PATIENT), ("Calle Hugo 3", STREET))
    assert follow_corpus(text, own) == own


@given(st.text("19/.-, eE años deymuj\n", max_size=60), st.data())
def test_spans_stay_in_order_and_apart(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    labels = st.sampled_from((AGE, DATE, EMAIL, PATIENT, PLACE, RELATIVE, STREET))
    own = [Span(start, end, data.draw(labels), 0.5, "model") for start, end in itertools.pairwise(cuts)]
    spans = follow_corpus(text, own)
    assert all(span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
