import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import deidlab
from deidlab.errors import AlignmentError, CorpusError, DeidError, UnknownNameError
from deidlab.types import Counts, Document, MaskedDocument, Span, TaggedDocument, Window

SECRET = "Zebulon"


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (-1, 2)])
def test_a_span_has_at_least_one_character(start: int, end: int) -> None:
    with pytest.raises(AlignmentError):
        Span(start, end, "DATE")


def test_a_span_needs_a_label_and_a_score_that_is_a_probability() -> None:
    with pytest.raises(CorpusError):
        Span(0, 1, "")
    with pytest.raises(CorpusError):
        Span(0, 1, "DATE", score=1.5)
    with pytest.raises(CorpusError):
        Span(0, 1, "DATE", score=float("nan"))


def test_a_document_checks_bounds_orders_spans_and_names_its_patient() -> None:
    with pytest.raises(AlignmentError, match="document d: span 1–9 reaches past the text, which has 4"):
        Document("d", text="abcd", spans=(Span(1, 9, "DATE"),))
    document = Document("d", text="abcd", spans=(Span(2, 3, "DATE"), Span(0, 1, "AGE")))
    assert [span.start for span in document.spans] == [0, 2]
    assert document.patient == "d"
    with pytest.raises(CorpusError):
        Document("", text="abcd")


def test_half_a_pair_is_no_character() -> None:
    with pytest.raises(CorpusError, match="offset 1"):
        Document("d", text="a\ud800")


def test_no_repr_shows_note_text() -> None:
    span = Span(0, len(SECRET), "PATIENT")
    values = [
        Document("d", text=SECRET, spans=(span,), meta={"name": SECRET}),
        MaskedDocument("d", SECRET, ((span, SECRET),)),
        TaggedDocument("d", ((0, 7),), ("B-PATIENT",)),
        Window("d", 0, (1,), (0,), (1,), 0, 1),
        span,
    ]
    for value in values:
        assert SECRET not in repr(value)
        assert SECRET not in str(value)


def test_values_are_frozen_and_travel_between_processes() -> None:
    document = Document("d", "p", "abc", (Span(0, 1, "AGE", 0.5, "rules"),), {"site": 1})
    with pytest.raises(AttributeError):
        document.text = "x"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(document)) == document
    assert len({document, document}) == 1


def test_counts_add_up_and_leave_nothing_to_divide_by_undefined() -> None:
    total = Counts(2, 1, 0) + Counts(1, 0, 3)
    assert (total.tp, total.fp, total.fn) == (3, 1, 3)
    assert total.precision == 0.75
    assert total.recall == 0.5
    assert total.f1 == pytest.approx(0.6)
    assert Counts().precision is None
    assert Counts().recall is None
    assert Counts().f1 is None
    with pytest.raises(ValueError, match="negative"):
        Counts(-1)


def test_words_and_tags_come_in_pairs() -> None:
    with pytest.raises(AlignmentError):
        TaggedDocument("d", ((0, 1),), ())


def test_an_unknown_name_offers_the_nearest() -> None:
    error = UnknownNameError("format", "jsnl", ["jsonl", "brat"])
    assert str(error) == "unknown format 'jsnl'; did you mean jsonl? (known: brat, jsonl)"
    assert isinstance(error, DeidError)


def test_the_public_names_are_these() -> None:
    assert sorted(deidlab.__all__) == sorted(set(deidlab.__all__))
    assert all(hasattr(deidlab, name) for name in deidlab.__all__)


def test_a_limit_on_the_size_of_files_counts_as_a_full_disk(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sqlite3, sys\n"
        "from deidlab.errors import is_full\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "def fails(work):\n"
        "    try:\n"
        "        work()\n"
        "    except Exception as error:\n"
        "        return is_full(error)\n"
        "def write():\n"
        "    with open('a', 'wb') as file:\n"
        "        file.write(bytes(1000))\n"
        "ok = fails(write) and fails(lambda: sqlite3.connect('b.db').execute('create table t (c)'))\n"
        "sys.exit(0 if ok else 1)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=tmp_path, timeout=60).returncode == 0
