"""A format is one file: a toy one, made here, is recognised, converted, masked, searched and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from deidlab.corpus import format as formats
from deidlab.corpus import read_corpus, recognise_format, write_corpus
from deidlab.corpus.format import Counted, Format, OneText
from deidlab.corpus.formats import find_format
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings
from deidlab.corpus.reading import count_files
from deidlab.errors import ConfigError
from deidlab.pipeline.plan.counting import count_source
from deidlab.pipeline.settings import SourceSettings
from deidlab.types import Document, Span
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import make_note, read_jsonl

SHEET = "%SHEET"


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    for number, sheet in enumerate(path.read_text("utf-8").split(SHEET)[1:], start=1):
        head, _, text = sheet.partition("|")
        name, patient, *marks = head.split()
        spans = (mark.split(":") for mark in marks)
        found = tuple(Annotation(int(start), int(end), label) for start, end, label in spans)
        yield RawDocument(path, name or f"{path.stem}-{number}", text, found, patient)


def render(document: Document, losses: Counter[str]) -> str:
    losses["meta"] += bool(document.meta)
    marks = "".join(f" {span.start}:{span.end}:{span.label}" for span in document.spans)
    return f"{SHEET} {document.id} {document.patient}{marks}|{document.text}"


def count(path: Path) -> int:
    return path.read_text("utf-8").count(SHEET)


TOY = Format(
    name="sheets",
    aliases=("sheet",),
    suffixes=(".sheets",),
    read=read,
    begins=lambda head: head.startswith(SHEET.encode()),
    one=OneText(render),
    lacks=("meta",),
    count=count,
    sample=lambda paths, n_sample: Counted(sum(map(count, paths))),
)
NOTES = [make_note(number) for number in range(6)]


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    formats.register(TOY)
    yield
    formats.forget(TOY)


def test_it_is_recognised_by_its_ending_and_by_its_beginning(tmp_path: Path) -> None:
    for name in ("notes.sheets", "notes"):
        write_corpus(NOTES, tmp_path / name, "sheet")
        assert recognise_format(tmp_path / name) is TOY
        assert list(read_corpus(tmp_path / name)) == NOTES
    assert find_format("sheets") is TOY


def test_it_is_converted_from_and_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(NOTES, tmp_path / "a.jsonl", "jsonl")
    to = deidlab(capsys, "corpus", "convert", tmp_path / "a.jsonl", tmp_path / "b.sheets", "--to", "sheets")
    assert to.status == 0, to.err
    back = deidlab(capsys, "corpus", "convert", tmp_path / "b.sheets", tmp_path / "c.jsonl", "--to", "jsonl")
    assert back.status == 0, back.err
    assert (tmp_path / "c.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_it_is_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(NOTES, tmp_path / "a.sheets", "sheets")
    for out in ("masked.sheets", "masked.jsonl"):
        done = deidlab(capsys, "mask", tmp_path / "a.sheets", "--out", tmp_path / out, "--spans",
                       tmp_path / "a.sheets", "--style", "redact", "--ids", "keep", "--workers", "1")  # fmt: skip
        assert done.status == 0, done.err
    masked = list(read_corpus(tmp_path / "masked.sheets"))
    assert [note.id for note in masked] == [note.id for note in NOTES]
    assert all("BP 120/80" in note.text for note in masked)
    assert not any(note.text[s.start : s.end] in new.text for note, new in zip(NOTES, masked, strict=True)
                   for s in note.spans)  # fmt: skip
    assert [row["text"] for row in read_jsonl(tmp_path / "masked.jsonl")] == [note.text for note in masked]


def test_phi_is_found_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(NOTES, tmp_path / "a.sheets", "sheets")
    done = deidlab(capsys, "detect", tmp_path / "a.sheets", "--out", tmp_path / "found.sheets", "--rules",
                   "only", "--workers", "1")  # fmt: skip
    assert done.status == 0, done.err
    for note, found in zip(NOTES, read_corpus(tmp_path / "found.sheets"), strict=True):
        dates = {(span.start, span.end) for span in note.spans if span.label == "DATE"}
        assert dates <= {(span.start, span.end) for span in found.spans}


def test_its_notes_are_counted(tmp_path: Path) -> None:
    write_corpus(NOTES, tmp_path / "a.sheets", "sheets")
    assert count_files(tmp_path, TOY) == len(NOTES)
    assert count_source(SourceSettings(tmp_path / "a.sheets"), 2) == Counted(len(NOTES))


def test_what_it_lacks_is_counted() -> None:
    losses: Counter[str] = Counter()
    render(Document("a", text="x", spans=(Span(0, 1, "DATE"),), meta={"ward": 3}), losses)
    assert set(losses) == set(TOY.lacks)


@pytest.mark.parametrize(("name", "aliases"), [("jsonl", ()), ("tsv", ()), ("other", ("csv",))])
def test_a_second_format_of_a_name_is_refused(name: str, aliases: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="another format has this name"):
        formats.register(Format(name=name, aliases=aliases, suffixes=(".other",), read=read))
    assert name == "jsonl" or name not in formats.FORMATS
