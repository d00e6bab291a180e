"""What a record encloses is unpacked by its own carrier and masked with the rest; else nothing of it stays."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import deidlab.corpus
from deidlab.carriers import Parts, Piece, Refused, enclosed, standing
from deidlab.carriers.fhir import FHIR
from deidlab.carriers.hl7v2 import HL7v2
from deidlab.cli.app import run
from tests.unit.carriers.letters import letter, paragraph

assert deidlab.corpus.FORMATS, "carriers stand once the formats are loaded"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
LETTER = letter(
    paragraph("Seen by Dr. Tom Hark", "ness on 2064-03-14.") + paragraph("Mr. Quillfeather slept.")
)


class Cutter:
    """A toy: lines of two runs each, a bar between them; `!` cannot be read."""

    def take_apart(self, content: bytes) -> Parts:
        if b"!" in content:
            raise Refused("it has a mark that no line has")
        lines = content.decode().splitlines()
        whole = [(line.replace("|", ""), line.index("|")) for line in lines]
        return Parts(tuple(Piece(text, cuts=(cut,)) for text, cut in whole), removed={"toys": 1})

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        return "".join(f"{one}|{two}\n" for one, two in zip(texts[::2], texts[1::2], strict=True)).encode()


@pytest.fixture
def pdf() -> Iterator[None]:
    """The toy in the place of a carrier of letters."""
    before = standing._STANDING.get("pdf")
    standing.stands("pdf", Cutter(), lambda: True)
    yield
    standing.fell("pdf")
    if before is not None:
        standing.stands("pdf", *before)


def packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def document(media: str, data: bytes) -> dict[str, Any]:
    attachment = {"contentType": media, "data": packed(data), "title": "Quillfeather"}
    return {"resourceType": "DocumentReference", "id": "d1", "status": "current", "subject": {"reference": "Patient/p7"},
            "content": [{"attachment": attachment}]}  # fmt: skip


def again(record: dict[str, Any]) -> dict[str, Any]:
    content = json.dumps(record).encode()
    parts = FHIR().take_apart(content)
    runs = [
        piece.text[start:end]
        for piece in parts.pieces
        for start, end in zip((0, *piece.cuts), (*piece.cuts, len(piece.text)), strict=True)
    ]
    attachment = json.loads(FHIR().put_together(content, runs))["content"][0]["attachment"]
    assert isinstance(attachment, dict)
    return attachment


def masked(tmp_path: Path, name: str, content: bytes) -> bytes:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    assert run(["mask", str(tmp_path / name), "--out", str(tmp_path / f"out-{name}"), "--rules", "only", "-q",
                "--style", "surrogate", "--key-file", str(tmp_path / "key")]) == 0  # fmt: skip
    return (tmp_path / f"out-{name}").read_bytes()


def text_of(document: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(document)) as package:
        return package.read("word/document.xml").decode()


def test_a_letter_in_a_resource_is_masked_as_part_of_it(tmp_path: Path) -> None:
    patient = {"resourceType": "Patient", "id": "p7", "birthDate": "1981-03-05",
               "name": [{"family": "Quillfeather", "given": ["Zebulon"]}]}  # fmt: skip
    source = "".join(json.dumps(each) + "\n" for each in (patient, document(WORD, LETTER)))
    one, two = map(json.loads, masked(tmp_path, "in.ndjson", source.encode()).splitlines())
    attachment = two["content"][0]["attachment"]
    assert attachment.keys() == {"contentType", "data"}
    text = text_of(base64.b64decode(attachment["data"]))
    family = one["name"][0]["family"]
    assert f"Mr. {family} slept." in text and family != "Quillfeather"
    assert not any(word in text for word in ("Hark", "Quill", "2064-03-14")) and " on " in text


def test_a_letter_in_a_message_is_masked_as_part_of_it(tmp_path: Path) -> None:
    message = (
        "MSH|^~\\&|LAB|NF|EHR|NF|20640314093000||MDM^T02|M1|P|2.5\rPID|1||p7||QUILLFEATHER^ZEBULON||19810305\r"
        f"OBX|1|ED|X^Y||^Application^docx^Base64^{packed(LETTER)}\r"
    )
    found = masked(tmp_path, "in.hl7", message.encode()).decode()
    segments = {line[:3]: line.split("|") for line in found.split("\r")}
    text = text_of(base64.b64decode(segments["OBX"][5].split("^")[4]))
    family = segments["PID"][5].split("^")[0].strip()
    assert f"Mr. {family.capitalize()} slept." in text
    assert not any(word in text for word in ("Hark", "Quill", "2064-03-14"))


@pytest.mark.parametrize(("kind", "subtype", "data", "kept"), [
    ("TEXT", "", b"Mr. Quill", True), ("TEXT", "HTML", b"<p>Mr. <b>Qu</b>ill</p>", True),
    ("text/plain", "", b"Mr. Quill", True), ("Application", "RTF2", b"Quill", False), ("IM", "JPEG", b"Quill", False),
    ("TEXT", "odd", b"Quill", False),
])  # fmt: skip
def test_the_kinds_of_encapsulated_data(
    kind: str, subtype: str, data: bytes, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whether or not a carrier of pages stands.
    monkeypatch.delitem(standing._STANDING, "html", raising=False)
    message = f"MSH|^~\\&|LAB\rOBX|1|ED|X^Y||^{kind}^{subtype}^Base64^{packed(data)}\r".encode()
    parts = HL7v2().take_apart(message)
    texts = [piece.text for piece in parts.pieces]
    assert ("Mr. Quill" in texts) == kept
    assert parts.removed == ({} if kept else {enclosed.OTHER_KINDS: 1})
    done = HL7v2().put_together(message, [each.replace("Quill", "Toy") for each in texts]).decode()
    assert done.strip("\r").endswith(packed(data.replace(b"Quill", b"Toy").replace(b"Qu</b>ill", b"Toy</b>")) if kept else "^Base64^")  # fmt: skip


@pytest.mark.usefixtures("pdf")
def test_any_carrier_that_stands_takes_part() -> None:
    record = document("application/pdf", b"Dr. Tom Hark|ness came.\nWell.|\n")
    content = json.dumps(record).encode()
    parts = FHIR().take_apart(content)
    pieces = [piece for piece in parts.pieces if piece.cuts]
    assert [(piece.text, piece.cuts) for piece in pieces] == [
        ("Dr. Tom Harkness came.", (12,)),
        ("Well.", (5,)),
    ]
    assert parts.removed["toys"] == 1
    assert base64.b64decode(again(record)["data"]) == b"Dr. Tom Hark|ness came.\nWell.|\n"


@pytest.mark.usefixtures("pdf")
def test_what_it_cannot_take_apart_is_removed_and_counted() -> None:
    record = document("application/pdf", b"Quill!")
    assert again(record) == {"contentType": "application/pdf"}
    removed = FHIR().take_apart(json.dumps(record).encode()).removed
    assert removed["attachments that cannot be taken apart"] == 1
    assert again(document(WORD, LETTER[:-30])) == {"contentType": WORD}


def test_a_carrier_whose_library_is_missing_takes_no_part() -> None:
    standing.stands("nobody", Cutter(), lambda: False)
    try:
        assert standing.carrier_of("nobody") is None
    finally:
        standing.fell("nobody")


def test_records_in_records_are_unpacked_to_a_depth() -> None:
    inner = document("text/plain", b"Seen by Dr. Tom Harkness.")
    texts = []
    for _ in range(3):
        content = json.dumps(inner).encode()
        parts = FHIR().take_apart(content)
        texts.append([piece.text for piece in parts.pieces if "Harkness" in piece.text])
        inner = document("application/fhir+json", content)
    # A resource in a resource is one deep, and the text in that is two.
    assert texts == [["Seen by Dr. Tom Harkness."]] * 2 + [[]]
    assert parts.removed["attachments more than 2 deep"] == 1
    done = FHIR().put_together(content, [piece.text for piece in parts.pieces])
    middle = base64.b64decode(json.loads(done)["content"][0]["attachment"]["data"])
    (innermost,) = json.loads(base64.b64decode(json.loads(middle)["content"][0]["attachment"]["data"]))[
        "content"
    ]
    assert innermost == {"attachment": {"contentType": "text/plain"}}


def test_what_is_enclosed_is_of_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed, "MAX_BYTES", 30)
    one = document("text/plain", b"Quillfeather slept.")
    FHIR().take_apart(json.dumps(one).encode())
    two = {**one, "content": one["content"] * 2}
    with pytest.raises(Refused, match="enclosed"):
        FHIR().take_apart(json.dumps(two).encode())
    # The limit is that of all that lies in the outermost.
    inside = document("application/fhir+json", json.dumps(one).encode())
    with pytest.raises(Refused, match="enclosed") as error:
        FHIR().take_apart(json.dumps(inside).encode())
    assert "Quill" not in str(error.value)
