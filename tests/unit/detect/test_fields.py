"""What stands in a typed field is what its container says; only the texts beside it are searched."""

from __future__ import annotations

from deidlab.carriers import KEY, Piece
from deidlab.corpus.carried import join_pieces
from deidlab.detect import load_detector
from deidlab.detect.fields import beside_fields, find_repeated, typed_fields
from deidlab.types import Container, Document, Span


def _record(*pieces: Piece) -> Document:
    text, regions = join_pieces(pieces)
    return Document("d1", text=text, container=Container(b"", regions))


def test_a_field_has_the_label_of_its_container_whatever_rules_say_there() -> None:
    document = _record(
        Piece("2064-03-13", "IDNUM"),
        Piece("Dr. Tom Harkness", "PATIENT"),
        Piece("Harkness came on 3/14/2064."),
    )
    (found,) = load_detector().detect([document])
    said = [(document.text[span.start : span.end], span.label) for span in found.spans]
    assert said[:2] == [("2064-03-13", "IDNUM"), ("Dr. Tom Harkness", "PATIENT")]
    # The echo of a field's name has the field's label.
    assert ("Harkness", "PATIENT") in said[2:] and ("3/14/2064", "DATE") in said[2:]


def test_only_spans_that_lie_in_a_field_are_left_out() -> None:
    fields = [Span(10, 20, "DATE"), Span(30, 40, KEY)]
    spans = [
        Span(*each, "X")
        for each in ((0, 5), (5, 12), (10, 20), (12, 14), (18, 22), (20, 30), (28, 45), (39, 40))
    ]
    kept = [(span.start, span.end) for span in beside_fields(spans, fields)]
    assert kept == [(0, 5), (5, 12), (18, 22), (20, 30), (28, 45)]
    assert beside_fields(spans, []) == spans


def test_a_fields_value_is_found_in_texts_and_nothing_is_said_of_one_that_stands_alone() -> None:
    document = _record(
        Piece("K-4410", KEY),
        Piece("K-4410-7", "IDNUM"),
        Piece("Z-99012", "IDNUM"),
        Piece("K-4410-7 and K-4410, not XK-4410."),
    )
    fields = typed_fields(document)
    text = document.container.regions[-1].start if document.container else 0
    found = [
        (document.text[s.start : s.end], s.label) for s in find_repeated(document, fields) if s.start >= text
    ]
    assert found == [("K-4410-7", "IDNUM"), ("K-4410", KEY)]
    assert not any(document.text[s.start : s.end] == "Z-99012" for s in find_repeated(document, fields))
