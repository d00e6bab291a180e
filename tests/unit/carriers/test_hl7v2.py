"""HL7 v2: known fields are masked by their type, rows of text are one, and the rest is gone."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from deidlab.carriers import KEY, Refused
from deidlab.carriers.hl7v2 import HL7v2, split_messages
from deidlab.carriers.hl7v2_text import Delimiters
from deidlab.carriers.tables import load_table
from deidlab.cli.app import run
from tests.containers import DERIVED

MESSAGE = "\r".join(
    (
        r"MSH|^~\&|LAB|NORTHFIELD|EHR|NORTHFIELD|20640314093000||ORU^R01|M00017|P|2.5",
        "PID|1||7781254^^^NF^MR||QUILLFEATHER^ZEBULON^J||19810305|M|||48 MILL ROAD^^BOSTON^MA^02139||(617)555-0142",
        "PV1|1|I|W6^412^B^NORTHFIELD||||12345^HARKNESS^TOM^^^DR",
        "OBR|1|A77|B88|11502-2^LABORATORY REPORT^LN|||206403130815",
        "OBX|1|TX|11502-2^REPORT^LN||Mr. QUILL-",
        r"OBX|2|TX|11502-2^REPORT^LN||FEATHER saw Dr. Tom Harkness \T\ went home.",
        "OBX|3|NM|718-7^HEMOGLOBIN^LN||13.2|g/dL|12-16|N|||F|||20640313",
        r"NTE|1||Ratio 1\S\2\F\3, back slash \E\, call Mrs. Ada Quillfeather.",
        "ZPI|QUILLFEATHER",
        "PID|||",
        "OBX|4|ED|X^Y||LAB^TEXT^^Base64^" + base64.b64encode(b"Zebulon Quillfeather slept.").decode(),
    )
)


def _masked(text: str, tmp_path: Path, *more: str) -> str:
    source, out = tmp_path / "in.hl7", tmp_path / "out.hl7"
    source.write_bytes(text.encode())
    (tmp_path / "key").write_bytes(bytes(range(32)))
    command = [
        "mask",
        str(source),
        "--out",
        str(out),
        "--rules",
        "only",
        "--key-file",
        str(tmp_path / "key"),
        "-q",
        *DERIVED,
    ]
    assert run([*command, *more, "--overwrite"]) == 0
    return out.read_bytes().decode()


def test_what_was_taken_apart_goes_together_again_unchanged_but_for_what_is_not_known() -> None:
    carrier = HL7v2()
    parts = carrier.take_apart(MESSAGE.encode())
    again = carrier.put_together(MESSAGE.encode(), [piece.text for piece in parts.pieces]).decode()
    known = MESSAGE.replace("^^^NF^MR", "^^^^MR").replace("||LAB^TEXT", "||^TEXT")
    kept = [line for line in known.split("\r") if not line.startswith("ZPI")]
    assert again == "\r".join(kept) + "\r"
    assert parts.patient == "7781254"
    assert parts.removed == {"segments": 1, "PID-3.4": 1, "OBX-5.1": 1}


def test_pieces_have_their_types_and_rows_of_text_are_one() -> None:
    pieces = HL7v2().take_apart(MESSAGE.encode()).pieces
    found = {(piece.text, piece.label) for piece in pieces}
    assert ("QUILLFEATHER^ZEBULON^J", "PATIENT") in found
    assert ("HARKNESS^TOM", "DOCTOR") in found and ("12345", KEY) in found
    assert ("1981-03-05", "DATE") in found and ("2064-03-13", "DATE") in found
    assert ("Mr. QUILL-\nFEATHER saw Dr. Tom Harkness & went home.", "") in found
    assert ("Ratio 1^2|3, back slash \\, call Mrs. Ada Quillfeather.", "") in found
    assert ("Zebulon Quillfeather slept.", "") in found


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor"])
def test_nothing_of_the_patient_is_left(style: str, policy: str, tmp_path: Path) -> None:
    out = _masked(MESSAGE, tmp_path, "--style", style, "--policy", policy)
    plain = out + base64.b64decode(out.split("Base64^")[1].split("\r")[0]).decode()
    for word in ("QUILL", "uillfeather", "FEATHER", "ZEBULON", "Zebulon", "HARKNESS", "Harkness", "7781254", "12345",
                 "19810305", "NORTHFIELD", "MILL ROAD", "555-0142", "M00017", "ZPI", "Ada"):  # fmt: skip
        assert word not in plain, word
    assert "718-7^HEMOGLOBIN^LN||13.2|g/dL|12-16|N" in out and "went home." in out
    assert out.startswith("MSH|^~\\&|") and out.count("\r") == MESSAGE.count("\r")
    dates = re.search(r"\|\|\|(\d*)\r", out.split("HEMOGLOBIN")[1])
    assert dates is not None
    expected = {"surrogate": 8 if policy == "i2b2" else 4}.get(style, 0 if policy == "i2b2" else 4)
    assert len(dates[1]) == expected


def test_intervals_stay_and_names_agree_with_the_text(tmp_path: Path) -> None:
    out = _masked(MESSAGE, tmp_path, "--style", "surrogate")
    name = re.search(r"PID\|1\|\|[^|]*\|\|([^^|]*)\^([^^|]*)\^", out)
    assert name is not None
    family, given = name.groups()
    assert base64.b64decode(out.split("Base64^")[1].split("\r")[0]).decode().lower() == (
        f"{given} {family} slept.".lower()
    )
    observed, reported = (
        re.search(pattern, out) for pattern in (r"\|\|\|(\d{8})\r", r"MSH.*?\|(\d{8})093000")
    )
    assert observed is not None and reported is not None
    import datetime as dt

    days = [dt.date.fromisoformat(each[1]) for each in (observed, reported)]
    assert (days[1] - days[0]).days == 1


def test_a_batch_is_read_message_by_message_and_written_as_one(tmp_path: Path) -> None:
    other = MESSAGE.replace("7781254", "4410").replace("ZEBULON", "ABIGAIL")
    batch = f"FHS|^~\\&|LAB|NF\rBHS|^~\\&|LAB|NF\r{MESSAGE}\r{other}\rBTS|2\rFTS|1\r"
    assert [each[:3] for each in split_messages(batch.encode())] == [b"FHS", b"MSH", b"MSH", b"BTS", b"FTS"]
    out = _masked(batch, tmp_path)
    assert [line[:3] for line in out.split("\r") if line[:3] in ("FHS", "BHS", "MSH", "BTS", "FTS")] == [
        "FHS", "BHS", "MSH", "MSH", "BTS", "FTS",
    ]  # fmt: skip
    assert "ABIGAIL" not in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MSH", "no message"),
        ("MSHA^~\\&A", "no message"),
        ("MSH|^^\\&|\rPID|", "no delimiters"),
        (MESSAGE.replace("PID|||", "PID|||9999"), "several patients"),
        (MESSAGE + "\rPI", ""),
        ("nothing of the kind", "no message"),
        (MESSAGE + "\rPV1Quillfeather", "delimiter"),
    ],
)
def test_what_cannot_be_read_safely_is_refused_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    if not said:
        assert HL7v2().take_apart(text.encode()).removed["segments"] == 2
        return
    with pytest.raises(Refused, match=said) as error:
        for each in split_messages(text.encode()):
            HL7v2().take_apart(each)
    assert "Quillfeather" not in str(error.value)


def test_other_delimiters_escapes_and_encodings() -> None:
    own = MESSAGE.translate(str.maketrans("|^~\\&", "#*!?$"))
    pieces = HL7v2().take_apart(own.encode()).pieces
    assert any(piece.text == "QUILLFEATHER^ZEBULON^J" for piece in pieces)
    plain = Delimiters()
    assert plain.read(r"a\F\b\S\c\T\d\R\e\E\f\.br\g\X41\h\H\i\N\j") == "a|b^c&d~e\\f\ngAhij"
    assert plain.read(plain.write("a|b^c&d~e\\f\ng")) == "a|b^c&d~e\\f\ng"
    assert plain.read(r"left \ open") == r"left \ open"
    assert plain.read(r"\.sp2\a\.in+4\b") == "\na b"
    for code in ("Quillfeather", "ZQuillfeather", ".brQuillfeather", "XQuillfeather"):
        text = rf"C:\{code}\a"
        assert plain.read(text) == text
        assert plain.read(plain.write(text)) == text
    with pytest.raises(Refused, match="byte 3 is not UTF-8"):
        HL7v2().take_apart(b"MSH\xff|^~")


def test_every_kind_in_the_table_is_known() -> None:
    table = load_table("hl7v2")
    kinds = {"stays", "text", "value", *table["types"]}
    for fields in table["segments"].values():
        assert {kind.partition(":")[0] for kind in fields.values()} <= kinds
    assert {kind.partition(":")[0] for kind in table["values"].values()} <= kinds
