import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from deidlab.encode.tags import resolve_overlaps, spans_to_tags, tags_to_spans
from deidlab.labels import load_label_set
from deidlab.types import Document, Span
from tests.strategies import any_texts, documents


@given(documents(any_texts), st.sampled_from(["runs", "whitespace"]))
def test_spans_to_tags_to_spans_is_the_identity(document: Document, style: str) -> None:
    tagged = spans_to_tags(document, style=style)
    assert tagged.misfits == ()
    assert tags_to_spans(tagged.words, tagged.tags) == document.spans


@given(documents(any_texts, overlapping=True))
def test_what_overlaps_is_kept_or_counted_never_lost(document: Document) -> None:
    tagged = spans_to_tags(document)
    kept = tags_to_spans(tagged.words, tagged.tags)
    gone = [misfit.span for misfit in tagged.misfits]
    assert sorted((s.start, s.end, s.label) for s in (*kept, *gone)) == sorted(
        (s.start, s.end, s.label) for s in document.spans
    )
    assert all(left.end <= right.start for left, right in itertools.pairwise(kept))
    for span in gone:
        rivals = [k for k in kept if k.start < span.end and span.start < k.end]
        assert max(rival.end - rival.start for rival in rivals) >= span.end - span.start


def test_the_longest_stays_then_the_first_then_the_alphabet() -> None:
    kept, misfits = resolve_overlaps([Span(0, 4, "DATE"), Span(2, 9, "PATIENT"), Span(8, 12, "AGE")])
    assert kept == [Span(2, 9, "PATIENT")]
    assert [m.span.label for m in misfits] == ["DATE", "AGE"]
    kept, _ = resolve_overlaps([Span(0, 4, "DATE"), Span(2, 6, "AGE")])
    assert kept == [Span(0, 4, "DATE")]
    kept, misfits = resolve_overlaps([Span(0, 4, "AGE"), Span(0, 4, "DATE")])
    assert kept == [Span(0, 4, "AGE")]
    assert misfits[0].reason == "overlaps a span of the same length"


def test_neighbours_of_one_label_stay_two_spans() -> None:
    document = Document("d", text="John Mary", spans=(Span(0, 4, "PATIENT"), Span(5, 9, "PATIENT")))
    tagged = spans_to_tags(document)
    assert tagged.tags == ("B-PATIENT", "B-PATIENT")
    assert tags_to_spans(tagged.words, tagged.tags) == document.spans


def test_a_tag_that_the_set_lacks_is_a_misfit() -> None:
    document = Document(
        "d",
        text="9 Elm St 02139-1234 PATIENT",
        spans=(Span(0, 8, "STREET"), Span(9, 14, "ZIP"), Span(14, 19, "ZIP"), Span(20, 27, "VEHICLE")),
    )
    tagged = spans_to_tags(document, load_label_set("meaney-2022"))
    assert [m.reason for m in tagged.misfits] == [
        "the label set has no B-STREET",
        "the label set has no I-ZIP",
        "the label set has no B-VEHICLE",
    ]
    assert tagged.tags[:4] == ("O", "O", "O", "B-ZIP")
    assert not spans_to_tags(document, load_label_set("i2b2-2014")).misfits


def test_an_i_that_continues_nothing_begins_a_span() -> None:
    words = ((0, 1), (2, 3), (4, 5))
    assert tags_to_spans(words, ("I-AGE", "I-DATE", "I-DATE"), "model") == (
        Span(0, 1, "AGE", source="model"),
        Span(2, 5, "DATE", source="model"),
    )


def test_many_overlaps_are_resolved_in_time() -> None:
    spans = [Span(start, start + 7, "DATE") for start in range(20_000)]
    started = time.perf_counter()
    kept, misfits = resolve_overlaps(spans)
    assert time.perf_counter() - started < 2
    assert len(kept) + len(misfits) == 20_000
    assert kept == spans[::7]
