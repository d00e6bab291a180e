"""FHIR by the standard's own definitions: of what stands in any element of any resource, nothing is left over.

The samples have a sentinel in every element that `fhir.resources` knows, of each release. A few are gone through
in every run; all of them, with each policy and style, in the slow ones.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from deidlab.carriers import Refused
from deidlab.carriers.fhir import FHIR
from deidlab.carriers.fhir_table import table
from deidlab.cli.app import run
from deidlab.mask import known_policies, load_policy
from tests.unit.carriers.fhir_samples import DAY, SECRET, all_types, is_defined, model, samples

pytest.importorskip("fhir.resources")

RELEASES = ("R4B", "R5")
PACKED = base64.b64encode(SECRET.encode()).decode()
# A name, a date, a number of Base64, an OID and a UUID.
WORDS = (SECRET, SECRET.lower(), DAY, PACKED, "31337", "53fefa32")
FEW = ["Appointment", "Binary", "Bundle", "Claim", "Composition", "Consent", "DocumentReference", "Encounter", "Goal",
       "Observation", "Patient", "Provenance", "QuestionnaireResponse", "Task"]  # fmt: skip
# No element of the standard has more types to choose from, but for those that hold a value of any type.
TURNS = 14
# What goes in and comes out of a task must have a value, of any type: those of a few are removed.
CHOOSING = ("Task",)
STYLES = ("tag", "surrogate", "redact")


def read_types(release: str) -> list[str]:
    """Those of a release that the table knows; Parameters nest without end."""
    return [name for name in table()["resources"] if name != "Parameters" and is_defined(release, name)]


def content(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


def put_back(record: dict[str, Any], texts: list[str]) -> Any:
    return json.loads(FHIR().put_together(content(record), texts))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, f"{path}.{name}")
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, path)
    else:
        yield path, value


def left_over(record: Any) -> list[str]:
    """Where a sentinel stands, packed text included."""
    found = []
    for path, value in leaves(record):
        texts = [str(value)]
        if path.endswith(".data"):
            texts.append(base64.b64decode(value).decode())
        found += [path] if any(word in text for word in WORDS for text in texts) else []
    return found


def check_structure(names: list[str], release: str, turn: int) -> int:
    """Whatever a piece becomes, no other place has what stood in the record: neither text nor a single word."""
    n_samples = 0
    for word in ("", SECRET):
        for made in samples(names, release, turn, beside=True, word=word):
            pieces = FHIR().take_apart(content(made)).pieces
            assert left_over(put_back(made, ["[gone]"] * len(pieces))) == [], made["resourceType"]
            n_samples += 1
    return n_samples


@pytest.mark.parametrize("release", RELEASES)
def test_no_element_passes_but_by_its_piece(release: str) -> None:
    assert len(read_types(release)) > 70
    assert check_structure(FEW, release, 0) == 2 * len(FEW)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "turn"), [*product(RELEASES, range(TURNS))])
def test_no_element_of_any_type_passes_but_by_its_piece(release: str, turn: int) -> None:
    check_structure(read_types(release), release, turn)


def bare(value: Any) -> Any:
    """A sample without extensions and what is empty then: at the depth where it is cut off, too little is left."""
    if isinstance(value, dict):
        swept = {
            name: bare(each) for name, each in value.items() if name not in ("extension", "modifierExtension")
        }
        return {name: each for name, each in swept.items() if each not in ({}, [], None)}
    if isinstance(value, list):
        return [each for each in map(bare, value) if each != {}]
    return value


def is_valid(release: str, record: dict[str, Any]) -> bool:
    try:
        model(release, record["resourceType"]).model_validate(record)
    except ValueError:
        return False
    return True


def filled(value: Any) -> Any:
    """The record with a day where one is masked: the validator takes no extension for a choice of types."""
    if isinstance(value, list):
        return [filled(each) for each in value]
    if not isinstance(value, dict):
        return value
    there = {name: filled(each) for name, each in value.items()}
    masked = [name for name in there if name.startswith("_") and name.endswith(("Date", "DateTime"))]
    return {**there, **{name[1:]: "2000-01-01" for name in masked}}


def lawful(record: dict[str, Any], policy: str) -> dict[str, Any]:
    """The record with other words in the fields that the policy lets stay."""
    rows = load_policy(policy)
    kept = {label for label in ("CITY", "HOSPITAL", "ZIP", "DATE") if rows.row(label).action == "keep"}
    if not kept:
        return record
    pieces = FHIR().take_apart(content(record)).pieces
    texts = [
        re.sub(SECRET, "Elsewhere", re.sub(DAY, "2032-08-30", piece.text), flags=re.I)
        if piece.label in kept
        else piece.text
        for piece in pieces
    ]
    found = put_back(record, texts)
    assert isinstance(found, dict)
    return found


def check_masked(names: list[str], release: str, turn: int, policy: str, style: str, folder: Path) -> None:
    made = [lawful(each, policy) for each in samples(names, release, turn)]
    assert made
    (folder / "in.ndjson").write_text("".join(json.dumps(each) + "\n" for each in made))
    command = ["mask", str(folder / "in.ndjson"), "--out", str(folder / "out.ndjson"), "--rules", "only", "-q",
               "--policy", policy, "--style", style]  # fmt: skip
    assert run(command) == 0
    found = [json.loads(line) for line in (folder / "out.ndjson").read_text().splitlines()]
    assert len(found) == len(made)
    for before, after in zip(made, found, strict=True):
        assert left_over(after) == [], before["resourceType"]
        if before["resourceType"] not in CHOOSING and is_valid(release, bare(before)):
            model(release, after["resourceType"]).model_validate(filled(after))


@pytest.mark.parametrize(("release", "turn", "policy", "style"), [
    ("R4B", 0, "i2b2", "tag"), ("R5", 1, "safe-harbor", "surrogate"), ("R4B", 3, "gdpr", "redact"),
])  # fmt: skip
def test_a_sentinel_in_every_element_is_in_none_of_the_output(
    release: str, turn: int, policy: str, style: str, tmp_path: Path
) -> None:
    check_masked(FEW, release, turn, policy, style, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turn", "release", "policy", "style"),
    [(turn % TURNS, *each) for turn, each in enumerate(product(RELEASES, known_policies(), STYLES))],
)
def test_a_sentinel_in_every_element_of_every_type(
    turn: int, release: str, policy: str, style: str, tmp_path: Path
) -> None:
    check_masked(read_types(release), release, turn, policy, style, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_every_type_that_nobody_has_classified(release: str) -> None:
    names = [name for name in all_types(release) if name not in table()["resources"]]
    assert len(names) > 50
    check_unread(names)


def test_types_that_nobody_has_classified_are_refused_and_removed_from_others() -> None:
    check_unread(["AuditEvent", "Group", "MessageHeader", "Subscription", SECRET])


def check_unread(names: list[str]) -> None:
    for name in names:
        unread = {"resourceType": name, "id": SECRET, "name": SECRET}
        with pytest.raises(Refused, match="no FHIR resource of a type that is known"):
            FHIR().take_apart(content(unread))
        bundle = {"resourceType": "Bundle", "entry": [{"fullUrl": f"urn:uuid:{SECRET}", "resource": unread}]}
        for around in (bundle, {"resourceType": "Observation", "contained": [unread], "status": "final"}):
            parts = FHIR().take_apart(content(around))
            assert parts.removed["resources of other types"] == 1
            assert left_over(put_back(around, [piece.text for piece in parts.pieces])) == []
