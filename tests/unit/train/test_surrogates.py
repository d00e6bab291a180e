"""Surrogates: spans hold new text of the same shape, everything else stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deidlab.train.surrogates import make_surrogate, put_surrogates
from deidlab.types import Document, Span


def test_names_and_numbers_change_and_their_shape_stays() -> None:
    text = "Seen: Ana LOPEZ-Ruiz, 12/03/2014, bed 7."
    note = Document(id="n", text=text, spans=(Span(6, 20, "NAME"), Span(22, 32, "DATE")))
    made = put_surrogates(note, 1)
    assert made.text[:6] == text[:6] and made.text[-8:] == text[-8:]
    name = made.text[made.spans[0].start : made.spans[0].end]
    assert "Ana" not in name and "LOPEZ" not in name
    assert [part.istitle() or part.isupper() for part in name.replace("-", " ").split()] == [True] * 3
    assert len(made.text) == len(text)
    assert [span.label for span in made.spans] == ["NAME", "DATE"]


def test_the_same_person_keeps_the_same_name_and_others_do_not() -> None:
    assert make_surrogate("Ana", "1/p/NAME") == make_surrogate("Ana", "1/p/NAME")
    assert make_surrogate("ANA", "1/p/NAME") == make_surrogate("Ana", "1/p/NAME").upper()
    assert make_surrogate("Anastasia", "1/p/NAME") != make_surrogate("Anastasia", "1/q/NAME")


@given(st.text(max_size=80), st.data())
def test_text_outside_spans_is_untouched(text: str, data: st.DataObject) -> None:
    text = text.encode("utf-8", "ignore").decode()
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = tuple(Span(a, b, "X") for a, b in zip(edges[::2], edges[1::2], strict=False))
    made = put_surrogates(Document(id="n", text=text, spans=spans), 1)
    assert len(made.spans) == len(spans)
    at = made_at = 0
    for span, new in zip(spans, made.spans, strict=True):
        assert text[at : span.start] == made.text[made_at : new.start]
        at, made_at = span.end, new.end
    assert text[at:] == made.text[made_at:]
