"""A toy carrier goes through masking: fields by their type, text by search, and back into the container."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from deidlab.carriers import KEY, Parts, Piece, Refused
from deidlab.cli.app import run
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import forget, register
from deidlab.detect import DetectorSettings, load_detector
from deidlab.errors import AlignmentError
from deidlab.mask.apply import move_regions
from deidlab.types import Container, Document, Region, Span

FIELDS = {"key": KEY, "name": "PATIENT", "seen": "DATE", "note": "", "more": ""}


class Toy:
    """One JSON object a file."""

    def take_apart(self, content: bytes) -> Parts:
        record = json.loads(content)
        if "locked" in record:
            raise Refused("the container is locked; unlock it first")
        pieces = tuple(Piece(record[each], label) for each, label in FIELDS.items() if each in record)
        return Parts(pieces, patient=record["key"], removed={"field": len(record.keys() - FIELDS.keys())})

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        names = [each for each in FIELDS if each in json.loads(content)]
        return json.dumps(dict(zip(names, texts, strict=True))).encode()


@pytest.fixture(autouse=True)
def toy() -> Iterator[None]:
    format = register(container_a_file("toy", Toy(), (".toy",)))
    yield
    forget(format)


def _write(folder: Path, **records: dict[str, str]) -> Path:
    folder.mkdir()
    for name, record in records.items():
        (folder / f"{name}.toy").write_text(json.dumps(record))
    return folder


RECORD = {
    "key": "p7", "name": "Zebulon Quillfeather", "seen": "2064-03-14", "secret": "Quillfeather",
    "note": "Quillfeather walked in. Seen by Dr. Tom Harkness.", "more": "Nothing new.",
}  # fmt: skip


def _masked(out: Path) -> list[dict[str, str]]:
    return [json.loads(path.read_text()) for path in sorted(out.glob("*.toy"))]


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
def test_fields_and_text_are_masked_and_what_nobody_knows_is_gone(tmp_path: Path, style: str) -> None:
    other = {"key": "p7", "name": "Zebulon Quillfeather", "note": "Mr. Quillfeather slept."}
    notes, out = _write(tmp_path / "in", a=RECORD, b=other), tmp_path / "out"
    (tmp_path / "key").write_bytes(bytes(range(32)))
    command = f"mask {notes} --out {out} --rules only --style {style} --key-file {tmp_path / 'key'} -q"
    assert run(command.split()) == 0
    whole = "".join(path.read_text() for path in out.iterdir())
    assert not any(
        word in whole for word in ("Quillfeather", "Zebulon", "Harkness", "2064-03-14", "p7", "secret")
    )
    first, second = sorted(_masked(out), key=len, reverse=True)
    assert first["key"] == second["key"] and first["more"] == "Nothing new."
    assert "walked in. Seen by Dr. " in first["note"]
    if style == "tag":
        assert first["name"] == second["name"] == "[PATIENT-1]"
        assert first["note"].startswith("[PATIENT-1] walked in")


def test_a_container_that_is_refused_is_listed_and_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = _write(tmp_path / "in", a=RECORD, b={"key": "p8", "locked": "yes"})
    assert run(f"mask {notes} --out {tmp_path / 'out'} --rules only -q".split()) == 3
    assert "locked; unlock it first" in capsys.readouterr().err
    assert len(_masked(tmp_path / "out")) == 1


def test_a_note_that_is_no_container_is_not_written_as_one(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Seen by Dr. Harkness.")
    assert run(f"corpus convert {tmp_path / 'note.txt'} {tmp_path / 'x.toy'} --to toy".split()) == 1
    assert not (tmp_path / "x.toy").exists()


def test_no_span_leaves_its_piece_and_fields_are_whole() -> None:
    text = "Ann Smith\n\n12\n\nAnn Smith, 3 May"
    regions = (Region(0, 9, "PATIENT"), Region(11, 13, KEY), Region(15, 31))
    document = Document("a", "", text, container=Container(b"", regions))
    (found,) = load_detector(None, DetectorSettings("only")).detect([document])
    assert (Span(0, 9, "PATIENT", 1.0, "field")) in found.spans
    assert (Span(11, 13, KEY, 1.0, "field")) in found.spans
    for span in found.spans:
        assert any(each.start <= span.start and span.end <= each.end for each in regions)
    assert any(text[span.start : span.end] == "Ann Smith" and span.start == 15 for span in found.spans)


def test_what_stands_in_a_field_is_found_in_the_text_under_the_same_label() -> None:
    text = "778-1254\n\nann@x.org\n\nSeen today (778-1254), wrote ann@x.org, 1778-1254."
    regions = (Region(0, 8, KEY), Region(10, 19, "EMAIL"), Region(21, len(text)))
    document = Document("a", "", text, container=Container(b"", regions))
    (found,) = load_detector(None, DetectorSettings("only")).detect([document])
    marked = {(text[span.start : span.end], span.label) for span in found.spans if span.start > 20}
    assert {("778-1254", KEY), ("ann@x.org", "EMAIL")} <= marked
    assert all(span.label != KEY for span in found.spans if span.start > 50)


def test_regions_move_with_what_is_replaced_in_them_and_edges_hold() -> None:
    regions = (Region(0, 3), Region(5, 8, "DATE"), Region(10, 10))
    new = [(Span(1, 2, "X"), "long"), (Span(5, 8, "DATE"), "")]
    assert move_regions(regions, new) == (Region(0, 6), Region(8, 8, "DATE"), Region(10, 10))
    for wrong in (Span(2, 6, "X"), Span(3, 5, "X"), Span(12, 13, "X")):
        with pytest.raises(AlignmentError):
            move_regions(regions, [(wrong, "x")])


def test_cuts_move_too_and_what_is_replaced_over_one_stands_before_it() -> None:
    region = Region(2, 12, cuts=(4, 6, 6, 8))
    new = [(Span(3, 5, "X"), "long!"), (Span(6, 7, "X"), ""), (Span(8, 10, "X"), "y")]
    assert move_regions((region,), new) == (Region(2, 13, cuts=(8, 9, 9, 10)),)
    assert move_regions((region,), []) == (region,)
    assert move_regions((region,), [(Span(2, 12, "X"), "z")]) == (Region(2, 3, cuts=(3, 3, 3, 3)),)
