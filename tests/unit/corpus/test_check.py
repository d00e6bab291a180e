from __future__ import annotations

from pathlib import Path

from deidlab.corpus.check import check_corpus
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument
from deidlab.labels import load_label_set

I2B2 = load_label_set("i2b2-2014")
WORDS = " ".join(f"word{i}" for i in range(60))


def raw(document: str, text: str = "Dr. Brandt", *annotations: Annotation, patient: str = "") -> RawDocument:
    return RawDocument(Path(f"{document}.xml"), document, text, annotations, patient)


def kinds(*raws: RawDocument | BadDocument, labels=I2B2, **options) -> list[tuple[str, str, int | None]]:
    report = check_corpus(raws, labels, **options)
    return [(problem.kind, problem.document, problem.start) for problem in report.problems]


def test_a_sound_corpus_has_no_problem() -> None:
    report = check_corpus([raw("a", "Dr. Brandt", Annotation(4, 10, "DOCTOR", "Brandt"))], I2B2)
    assert (report.documents, report.spans, report.misfits, report.problems) == (1, 1, 0, [])


def test_every_problem_is_named_with_its_place() -> None:
    found = kinds(
        raw(
            "a",
            "Dr. Brandt",
            Annotation(4, 10, "DOCTOR", "Smithe"),
            Annotation(4, 99, "DOCTOR"),
            Annotation(3, 3, "DATE"),
            Annotation(0, 10, "PATIENT"),
            Annotation(0, 1, "NONSENSE"),
            Annotation(1, 2, ""),
        ),
        BadDocument(Path("b.xml"), "is not well-formed XML (line 1, column 1)"),
    )
    assert found == [
        ("text-mismatch", "a", 4),
        ("out-of-bounds", "a", 4),
        ("empty-span", "a", 3),
        ("no-label", "a", 1),
        ("overlap", "a", 0),
        ("overlap", "a", 4),
        ("unknown-type", "a", 0),
        ("unreadable", "?", None),
    ]


def test_misfits_count_what_tags_cannot_hold() -> None:
    report = check_corpus(
        [
            raw(
                "a",
                "Dr. Brandt",
                Annotation(0, 10, "DOCTOR"),
                Annotation(4, 10, "DOCTOR"),
                Annotation(9, 99, "AGE"),
            )
        ],
        I2B2,
    )
    assert report.misfits == 2


def test_a_tag_that_a_set_lacks_is_reported() -> None:
    study = load_label_set("meaney-2022")
    assert kinds(raw("a", "9 Elm", Annotation(0, 5, "STREET")), labels=study) == [("unknown-type", "a", 0)]


def test_ids_twice() -> None:
    assert kinds(raw("a"), raw("a")) == [("duplicate-id", "a", None)]


def test_patients_and_notes_across_parts() -> None:
    part_of = {"a": "train", "b": "test", "c": "test", "d": "train", "gone": "train"}
    found = kinds(
        raw("a", WORDS, patient="1"),
        raw("b", WORDS + " and more", patient="2"),
        raw("c", "something else entirely, of another kind", patient="1"),
        raw("d", WORDS, patient="1"),
        raw("e", "not in the manifest"),
        part_of=part_of,
    )
    assert found == [
        ("near-duplicate", "b", None),
        ("patient-in-two-parts", "c", None),
        ("near-duplicate", "d", None),
        ("not-in-split", "e", None),
        ("not-in-split", "gone", None),
    ]


def test_short_notes_are_compared_too_and_empty_ones_not() -> None:
    part_of = {"a": "train", "b": "test", "c": "train", "d": "test"}
    found = kinds(raw("a", "Seen."), raw("b", "seen ."), raw("c", ""), raw("d", ""), part_of=part_of)
    assert found == [("near-duplicate", "b", None)]


def test_half_a_pair_is_a_problem_not_a_crash() -> None:
    assert kinds(raw("a", "x\ud800")) == [("bad-text", "a", None)]
