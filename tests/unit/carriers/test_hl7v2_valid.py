"""HL7 v2 by the standard's own definitions: where `hl7apy` takes a message, it takes what masking made of it.

Of dates nothing is left under a policy that removes them and a style that puts no other in their place; a
message may then lack dates that it must have, and nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from deidlab.carriers.hl7v2 import HL7v2, split_messages
from deidlab.carriers.tables import load_table
from deidlab.mask import known_policies
from tests.unit.carriers.hl7v2_samples import MESSAGES, VERSIONS
from tests.unit.carriers.masking import mask

pytest.importorskip("hl7apy")

from hl7apy import load_reference
from hl7apy.consts import VALIDATION_LEVEL
from hl7apy.exceptions import ChildNotFound, HL7apyException
from hl7apy.parser import parse_message

STYLES = ("tag", "surrogate", "redact")
# An order's details are one segment of six; hl7apy asks for all six.
CHOICE = re.compile(r"Error: Missing required child ORM_O01_(?:CHOICE|OBRRQDRQ1RXOODSODT_SUPPGRP)\.\w+")
MISSING = re.compile(r"Error: Missing required child ([A-Z0-9]{3})\.\1_(\d+)")
DATES = ("TS", "DT")


def complaints(message: str, report: Path) -> Counter[str]:
    """What hl7apy has against the values of a message and against its structure."""
    found: Counter[str] = Counter()
    try:
        parse_message(message, validation_level=VALIDATION_LEVEL.STRICT)
    except (HL7apyException, ValueError) as error:
        found[f"Value: {type(error).__name__}"] += 1
    parsed = parse_message(message, validation_level=VALIDATION_LEVEL.TOLERANT)
    try:
        parsed.validate(report_file=str(report))
    except HL7apyException:
        assert "Error" in report.read_text()
    # A warning is about tables that sites fill for themselves, and lengths that they agree on.
    found.update(line for line in report.read_text().splitlines() if line.startswith("Error"))
    return found


def shape(message: str) -> list[tuple[str, list[int]]]:
    """Its segments in order, and how often each field repeats."""
    lines = (line.split("|") for line in message.split("\r"))
    return [(line[0], [field.count("~") for field in line[1:]]) for line in lines]


def is_required_date(complaint: str) -> bool:
    match = MISSING.fullmatch(complaint)
    return match is not None and load_table("hl7v2")["segments"][match[1]][match[2]] in DATES


@pytest.mark.parametrize(("version", "kind"), MESSAGES)
def test_the_samples_are_valid(version: str, kind: str, tmp_path: Path) -> None:
    found = complaints(MESSAGES[version, kind], tmp_path / "report.txt")
    assert [each for each in found if not (kind == "ORM^O01" and CHOICE.fullmatch(each))] == []


@pytest.mark.parametrize(
    ("part", "broken", "said"),
    [
        ("|20640314093000|", "|[DATE]|", "Value: ValueError"),
        ("|20640314093000|", "||", "Error: Missing required child MSH.MSH_7"),
        ("|HP77^Northfield Gold|", "||", "Error: Missing required child IN1.IN1_2"),
        ("EVN|", "EVX|", "Error: Missing required child ADT_A01.EVN"),
        ("^617^", "^[PHONE]^", "Value: ValueError"),
        ("|LAB|", "|" + "k" * 25 + "|", "Value: MaxLengthReached"),
    ],
)
def test_a_broken_message_is_seen(part: str, broken: str, said: str, tmp_path: Path) -> None:
    message = MESSAGES["2.5", "ADT^A01"]
    assert part in message
    assert said in complaints(message.replace(part, broken, 1), tmp_path / "report.txt")


@pytest.mark.parametrize(("policy", "style"), list(product(known_policies(), STYLES)))
def test_what_was_masked_is_as_valid_as_it_was(policy: str, style: str, tmp_path: Path) -> None:
    source, report = tmp_path / "in.hl7", tmp_path / "report.txt"
    source.write_bytes("".join(MESSAGES.values()).encode())
    masked = mask(source, tmp_path / "out.hl7", "--policy", policy, "--style", style)
    after = [each.decode() for each in split_messages(masked.read_bytes())]
    for name, (message, made) in zip(MESSAGES, zip(MESSAGES.values(), after, strict=True), strict=True):
        assert "QUILLFEATHER" in message and "QUILLFEATHER" not in made, name
        assert shape(made) == shape(message), name
        new = complaints(made, report) - complaints(message, report)
        assert [each for each in new if style == "surrogate" or not is_required_date(each)] == [], name


@pytest.mark.parametrize("version", VERSIONS)
def test_no_field_is_removed_that_a_message_must_have(version: str) -> None:
    missing = []
    for segment, known in load_table("hl7v2")["segments"].items():
        try:
            fields = load_reference(segment, "Segment", version)[1]
        except ChildNotFound:
            continue  # a segment that this version has not yet
        required = {name.partition("_")[2] for name, _, (least, _), _ in fields if least}
        if segment in ("MSH", "FHS", "BHS"):
            required.discard("1")  # the delimiter itself
        missing += [f"{segment}-{number}" for number in required - set(known)]
    assert missing == []


def test_rows_and_repetitions_stay_where_they_were_whatever_becomes_of_their_text() -> None:
    rows = ("OBX|1|TX|A||Mr. QUILL-", "OBX|2|TX|A||FEATHER~slept.", "OBX|3|TX|A")
    message = "\r".join(("MSH|^~\\&|LAB", "PID|1||7", *rows)) + "\r"
    pieces = [piece.text for piece in HL7v2().take_apart(message.encode()).pieces]
    assert pieces[-1] == "Mr. QUILL-\nFEATHER\nslept.\n"
    for new, expected in (
        ("Mr. X\nslept.", ["Mr. X", "slept.~", ""]),
        ("a\nb\nc\nd", ["a", "b~c", "d"]),
        ("a\nb\nc\nd\ne", ["a", "b~c", "d\\.br\\e"]),
    ):
        made = HL7v2().put_together(message.encode(), [*pieces[:-1], new]).decode()
        found = [line.split("|") for line in made.split("\r") if line.startswith("OBX")]
        assert [row[5] if len(row) > 5 else "" for row in found] == expected


def test_of_a_form_that_the_standard_has_only_what_fits_is_written() -> None:
    phone = "(617)555-0142^PRN^PH^^^617^5550142~ask Ada"
    for version, first in (("2.3", ""), ("2.5", "[PHONE]"), ("", "[PHONE]")):
        message = f"MSH|^~\\&|LAB|||||||||{version}\rPID|1||7||||||||||{phone}\rPD1|||^^33\r".encode()
        pieces = HL7v2().take_apart(message).pieces
        new = {"PHONE": "[PHONE]", "KEY": "k" * 25}
        made = HL7v2().put_together(message, [new[piece.label] for piece in pieces]).decode().split("\r")
        assert made[0].split("|")[2] == "k" * 20
        assert made[1].split("|")[13] == f"{first}^PRN^PH^^^^~[PHONE]"
        assert made[2] == "PD1|||^^"
