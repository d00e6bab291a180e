"""FHIR: every element is masked by its kind, what nobody knows is gone, and what comes out is FHIR again."""

from __future__ import annotations

import base64
import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import pytest

from deidlab.carriers import KEY, Refused
from deidlab.carriers.fhir import FHIR
from deidlab.carriers.fhir_table import kind_of, table
from deidlab.cli.app import run
from deidlab.corpus.formats import recognise_format
from tests.containers import DERIVED

DIV = '<div xmlns="http://www.w3.org/1999/xhtml">'
PATIENT: dict[str, Any] = {
    "resourceType": "Patient", "id": "p7",
    "text": {"status": "generated", "div": f'{DIV}<p title="Zebulon">Zebulon <b>Quill</b>feather &lt;5&nbsp;kg</p></div>'},
    "name": [{"use": "official", "family": "Quillfeather", "given": ["Zebulon"], "prefix": ["Mr."]}],
    "birthDate": "1981-03-05", "telecom": [{"system": "phone", "value": "(617) 555-0142"}],
    "address": [{"line": ["48 Mill Road"], "city": "Boston", "state": "MA", "postalCode": "02139"}],
}  # fmt: skip
TWO_PATIENTS = (
    b'{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"a"}},'
    b'{"resource":{"resourceType":"Patient","id":"Quill"}}]}'
)
OBSERVATION: dict[str, Any] = {
    "resourceType": "Observation", "id": "o1", "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "718-7", "display": "Hemoglobin"}]},
    "subject": {"reference": "Patient/p7", "display": "Zebulon Quillfeather"},
    "effectiveDateTime": "2064-03-13T08:15:00-05:00", "issued": "2064-03-14T09:30:00.000Z",
    "note": [{"text": "Mr. Quillfeather slept; asked Dr. Tom Harkness."}],
}  # fmt: skip


def _mask(tmp_path: Path, source: Path, out: str, *more: str, status: int = 0) -> Path:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    command = ["mask", str(source), "--out", str(tmp_path / out), "--rules", "only", "-q", "--overwrite",
               "--key-file", str(tmp_path / "key"), *DERIVED, *more]  # fmt: skip
    assert run(command) == status
    return tmp_path / out


def _masked(tmp_path: Path, *records: dict[str, Any], more: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    source = tmp_path / "in.ndjson"
    source.write_text("".join(json.dumps(each) + "\n" for each in records))
    out = _mask(tmp_path, source, "out.ndjson", *more)
    return [json.loads(line) for line in out.read_text().splitlines()]


def _bytes(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


def _again(record: dict[str, Any]) -> dict[str, Any]:
    """The record taken apart and put together with nothing changed."""
    pieces = FHIR().take_apart(_bytes(record)).pieces
    found = json.loads(FHIR().put_together(_bytes(record), [each.text for each in pieces]))
    assert isinstance(found, dict)
    return found


def _reference(bare: str) -> dict[str, Any]:
    return {**OBSERVATION, "subject": {"reference": bare}}


def _attached(kind: str, data: str) -> dict[str, Any]:
    packed = base64.b64encode(data.encode()).decode()
    attachment = {"contentType": kind, "data": packed, "title": "Quillfeather", "size": 3}
    return {"resourceType": "DocumentReference", "status": "current", "content": [{"attachment": attachment}]}


def test_numbers_order_and_codes_stay_as_they_were() -> None:
    written = (
        '{"status":"final","resourceType":"Observation","valueQuantity":{"value":13.20,"code":"g/dL"},'
        '"component":[{"valueInteger":-0},{"valueDecimal":1E+2}],"code":{"coding":[{"code":"718-7"}]}}'
    )
    pieces = FHIR(lines=True).take_apart(written.encode()).pieces
    assert (
        FHIR(lines=True).put_together(written.encode(), [each.text for each in pieces]).decode()
        == written + "\n"
    )
    assert _again(PATIENT)["address"] == PATIENT["address"]
    assert list(_again(OBSERVATION)) == list(OBSERVATION)


def test_what_nobody_knows_is_removed_and_counted_by_the_names_of_the_standard() -> None:
    record = {**PATIENT, "Quillfeather": 1, "photo": [{"data": "AAAA"}], "birthDate": 1981, "gender": "Zeb Quill",
              "extension": [{"url": "http://a.example", "valueString": "Quillfeather"}],
              "contained": [{"resourceType": "Quillfeather", "id": "x"}],
              "identifier": [{"system": "http://quillfeather.example", "value": "7781254"}]}  # fmt: skip
    again = _again(record)
    assert not again.keys() & {"Quillfeather", "photo", "birthDate", "gender", "extension", "contained"}
    assert again["identifier"] == [{"value": "7781254"}]
    assert FHIR().take_apart(_bytes(record)).removed == {
        "unknown elements": 1, "Patient.photo": 1, "Patient.birthDate": 1, "Patient.gender": 1, "extensions": 1,
        "resources of other types": 1, "Identifier.system": 1,
    }  # fmt: skip


def test_extensions_of_the_list_stay() -> None:
    core = "http://hl7.org/fhir/us/core/StructureDefinition/"
    race = {"url": f"{core}us-core-race", "extension": [
        {"url": "text", "valueString": "White"}, {"url": "http://b.example", "valueString": "Quillfeather"}]}  # fmt: skip
    absent = {
        "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}
        ]
    }
    record = {"resourceType": "Patient", "extension": [race], "_birthDate": absent, "_gender": {"id": "q"}}
    again = _again(record)
    assert again["extension"] == [{"url": f"{core}us-core-race", "extension": race["extension"][:1]}]  # type: ignore[index]
    assert again["_birthDate"] == absent and "_gender" not in again


def test_one_patient_keeps_name_key_and_intervals_over_resources(tmp_path: Path) -> None:
    patient, observation = _masked(tmp_path, PATIENT, OBSERVATION, more=("--style", "surrogate"))
    family, (given,) = patient["name"][0]["family"], patient["name"][0]["given"]
    assert observation["subject"] == {"reference": f"Patient/{patient['id']}", "display": f"{given} {family}"}
    assert observation["note"][0]["text"].startswith(f"Mr. {family} slept; asked Dr. ")
    assert patient["text"]["div"].startswith(f"{DIV}<p>{given} <b>{family}</b>")
    assert patient["text"]["div"].endswith("&lt;5\xa0kg</p></div>")
    days = [dt.date.fromisoformat(each[:10]) for each in (
        patient["birthDate"], observation["effectiveDateTime"], observation["issued"])]  # fmt: skip
    assert [(later - days[0]).days for later in days[1:]] == [30324, 30325]
    assert observation["effectiveDateTime"][10:] == "T08:15:00-05:00"


@pytest.mark.parametrize(("policy", "style", "birth"), [
    ("safe-harbor", "tag", "1981"), ("i2b2", "tag", None), ("i2b2", "redact", None),
])  # fmt: skip
def test_a_date_that_its_place_cannot_hold_is_said_to_be_masked(
    policy: str, style: str, birth: str | None, tmp_path: Path
) -> None:
    patient, observation = _masked(
        tmp_path, PATIENT, OBSERVATION, more=("--style", style, "--policy", policy)
    )
    absent = {
        "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}
        ]
    }
    assert patient.get("birthDate") == birth
    assert ("_birthDate" in patient) == (birth is None)
    # An instant has no years.
    assert "issued" not in observation and observation["_issued"] == absent


def test_a_birth_date_tells_no_age_over_89(tmp_path: Path) -> None:
    old = {**PATIENT, "birthDate": "1965-03-05"}
    patient, _ = _masked(tmp_path, old, OBSERVATION, more=("--style", "tag", "--policy", "safe-harbor"))
    assert "birthDate" not in patient


@pytest.mark.parametrize(("policy", "style", "expected"), [
    ("safe-harbor", "tag", {"value": 90, "comparator": ">="}), ("i2b2", "surrogate", {"value": 90}), ("i2b2", "tag", {}),
])  # fmt: skip
def test_ages_follow_the_policy(policy: str, style: str, expected: dict[str, Any], tmp_path: Path) -> None:
    def condition(value: int) -> dict[str, Any]:
        return {"resourceType": "Condition", "subject": {"reference": "Patient/p7"},
                "onsetAge": {"value": value, "unit": "yr", "code": "a", "system": "http://unitsofmeasure.org"}}  # fmt: skip

    old, young = _masked(tmp_path, condition(93), condition(54), more=("--policy", policy, "--style", style))
    kept = {name: value for name, value in old["onsetAge"].items() if name in ("value", "comparator")}
    assert kept == expected
    assert young["onsetAge"].get("value") == (54 if expected else None)


def test_words_in_the_place_of_an_age_are_searched(tmp_path: Path) -> None:
    def condition(onset: str) -> dict[str, Any]:
        return {"resourceType": "Condition", "subject": {"reference": "Patient/p7"}, "onsetString": onset}

    said = ("54 years old", "when Dr. Tom Harkness saw him, aged 54")
    young, words = _masked(
        tmp_path, *map(condition, said), more=("--policy", "limited-dataset", "--style", "tag")
    )
    # The policy lets ages stay, and no names beside them.
    assert young["onsetString"] == said[0]
    assert words["onsetString"] == "when Dr. [DOCTOR-1] saw him, aged 54"


def test_references_of_every_form_become_the_same_pseudonym(tmp_path: Path) -> None:
    forms = ["Patient/p7", "https://ehr.example/fhir/Patient/p7/_history/3", "Patient/p7"]
    found = [each["subject"]["reference"] for each in _masked(tmp_path, *map(_reference, forms))]
    assert found[0] == found[2] and found[1] == f"https://deidentified.invalid/{found[0]}"
    assert re.fullmatch(r"Patient/[a-z0-9]{25}", found[0])


def test_a_bundle_is_one_patient_and_its_links_hold(tmp_path: Path) -> None:
    url = "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"
    contained = {**_reference(url), "performer": [{"reference": "#d1"}],
                 "contained": [{"resourceType": "Practitioner", "id": "d1", "name": [{"family": "Harkness"}]}]}  # fmt: skip
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": [
        {"fullUrl": url, "resource": PATIENT, "request": {"method": "POST", "url": "Patient"}},
        {"resource": contained, "request": {"method": "PUT", "url": "Observation/o1"}}]}  # fmt: skip
    source = tmp_path / "bundle.json"
    source.write_text(json.dumps(bundle, indent=1))
    out = _mask(tmp_path, source, "out.json", "--style", "surrogate")
    first, second = json.loads(out.read_text())["entry"]
    assert first["fullUrl"] == second["resource"]["subject"]["reference"] != url
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first["fullUrl"])
    assert first["request"]["url"] == "Patient"
    assert second["request"]["url"] == f"Observation/{second['resource']['id']}"
    assert second["resource"]["performer"][0]["reference"] == f"#{second['resource']['contained'][0]['id']}"
    assert FHIR().take_apart(_bytes(bundle)).patient == "p7"


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "text/plain; charset=ISO-8859-1"])
def test_enclosed_text_is_masked_in_its_package(kind: str, tmp_path: Path) -> None:
    text = "Dr. Tom Harkness came."
    text = (
        "<html><head><title>Harkness</title></head><p>Dr. Tom <i>Hark</i>ness came.<br></html>"
        if "html" in kind
        else text
    )
    (found,) = _masked(tmp_path, _attached(kind, text), more=("--style", "tag"))
    attachment = found["content"][0]["attachment"]
    assert attachment.keys() == {"contentType", "data"}
    data = base64.b64decode(attachment["data"]).decode()
    assert "Hark" not in data and "Dr. [DOCTOR-1]" in data and " came." in data


def test_enclosed_files_of_other_kinds_are_gone() -> None:
    again = _again(_attached("application/pdf", "%PDF Quillfeather"))
    assert again["content"] == [{"attachment": {"contentType": "application/pdf"}}]


@pytest.mark.parametrize(
    "div",
    [
        f"{DIV}<p>Quill</div>",
        "Quill",
        f"{DIV}<p>Quill",
        "",
        f"{DIV}<p title='Quill</p></div>",
        f"{DIV}<![Quill" * 9_000,
    ],
)
def test_a_narrative_that_is_not_well_formed_is_gone(div: str) -> None:
    assert "text" not in _again({**PATIENT, "text": {"status": "generated", "div": div}})


def test_script_and_hidden_attributes_of_a_narrative_are_gone() -> None:
    div = f'{DIV}<script>Quill()</script><a href="Quill">b</a><table><tr><td colspan="2" class="Quill">1 &amp; 2</td></tr></table></div>'
    again = _again({**PATIENT, "text": {"status": "generated", "div": div}})
    assert (
        again["text"]["div"] == f'{DIV}<a>b</a><table><tr><td colspan="2">1 &amp; 2</td></tr></table></div>'
    )


@pytest.mark.parametrize(("content", "said"), [
    (b'{"resourceType":"Patient","id":"Quill"', "not JSON"),
    (b'{"resourceType":"Patient","id":"Quill","id":"a"}', "same name"),
    (b'{"resourceType":"Patient","a":' + b"[" * 3000 + b"]" * 3000 + b"}", "nested"),
    (b'{"resourceType":"Patient","a":' + b"[" * 70 + b"]" * 70 + b"}", "nested"),
    (b'{"resourceType":"Quill"}', "no FHIR resource"),
    (b'{"resourceType":["Patient"]}', "no FHIR resource"),
    (b"[]", "not a JSON object"),
    (b'{"resourceType":"Patient","id":NaN}', "NaN"),
    (b'{"resourceType":"Patient","id":"Quill\\u0000"}', "NUL"),
    ('{"resourceType":"Patient"}'.encode("utf-16"), "not UTF-8"),
    (b'{"resourceType":"Binary","contentType":"text/plain","data":"Quill!"}', "not base64"),
    (TWO_PATIENTS, "several patients"),
])  # fmt: skip
def test_what_cannot_be_read_safely_is_refused_in_one_line(content: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said) as error:
        FHIR().take_apart(content)
    assert "Quill" not in str(error.value) and "\n" not in str(error.value)


def test_a_bad_line_is_listed_and_a_bad_file_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "in.ndjson"
    lines.write_text(f'{json.dumps(PATIENT)}\n{{"resourceType":"Patient","id":"Quill\n')
    assert len(_mask(tmp_path, lines, "out.ndjson", status=3).read_text().splitlines()) == 1
    one = tmp_path / "one.json"
    one.write_text('{"resourceType":"Patient","id":"Quill')
    assert not _mask(tmp_path, one, "one-out.json", status=3).exists()
    assert "Quill" not in capsys.readouterr().err


def test_references_that_go_in_a_circle_are_only_keys() -> None:
    circle = [{"resourceType": "Organization", "id": one, "partOf": {"reference": f"#{other}"}}
              for one, other in (("a", "b"), ("b", "a"))]  # fmt: skip
    parts = FHIR().take_apart(_bytes({"resourceType": "Patient", "id": "p", "contained": circle}))
    assert [each.text for each in parts.pieces if each.label == KEY] == ["p", "a", "b", "b", "a"]


def test_wrong_types_are_removed_everywhere() -> None:
    for value in (1, True, None, "x y", ["x y"], [[1]], {"Quill": "x"}, [{"Quill": 1}], {}, []):
        for name in (
            "name",
            "birthDate",
            "telecom",
            "address",
            "contact",
            "text",
            "meta",
            "extension",
            "contained",
            "id",
            "link",
        ):
            FHIR().take_apart(_bytes({"resourceType": "Patient", name: value}))
            assert "Quill" not in json.dumps(_again({"resourceType": "Patient", "active": True, name: value}))


def test_every_kind_in_the_table_is_known() -> None:
    known = table()
    leaves = {"node", "text", "date", "instant", "key", "reference", "uri", "system", "version", "samples", "media",
              "type", "age", "contact", "attachment", "narrative", "resource", "removed", *known["types"]}  # fmt: skip
    types = [kind for members in known["types"].values() for kind in members.values()]
    kinds = {
        *known["elements"],
        *known["placed"],
        *known["places"].values(),
        *known["choices"]["types"].values(),
        *types,
    }
    assert {each.partition(":")[0] for each in kinds if not each.isupper()} <= {*leaves, "person"}
    assert kind_of("Patient", "deceasedDateTime") == "date" and kind_of("Patient", "nobody") == ""


def test_one_patient_is_one_over_fhir_messages_and_notes(tmp_path: Path) -> None:
    message = (
        "MSH|^~\\&|LAB|NF|EHR|NF|20640314093000||ORU^R01|M1|P|2.5\r"
        "PID|1||p7||QUILLFEATHER^ZEBULON||19810305\r"
    )
    (tmp_path / "in.hl7").write_text(message)
    note = {
        "id": "n1",
        "patient": "p7",
        "text": "Patient: Zebulon Quillfeather, seen 2064-03-14 by Dr. Tom Harkness.",
    }
    (tmp_path / "notes.jsonl").write_text(json.dumps(note) + "\n")
    (patient,) = _masked(tmp_path, PATIENT, more=("--style", "surrogate"))
    pid = (
        _mask(tmp_path, tmp_path / "in.hl7", "out.hl7", "--style", "surrogate")
        .read_text()
        .split("PID|")[1]
        .split("|")
    )
    text = json.loads(
        _mask(tmp_path, tmp_path / "notes.jsonl", "out.jsonl", "--style", "surrogate").read_text()
    )["text"]
    family, (given,) = patient["name"][0]["family"], patient["name"][0]["given"]
    assert pid[2] == patient["id"] and pid[4].lower() == f"{family}^{given}".lower()
    assert f"{given} {family}" in text
    assert pid[6].strip() == patient["birthDate"].replace("-", "")
    seen = re.search(r"\d{4}-\d\d-\d\d", text)
    assert seen is not None
    assert (dt.date.fromisoformat(seen[0]) - dt.date.fromisoformat(patient["birthDate"])).days == 30325


def test_files_are_recognised_by_what_they_begin_with(tmp_path: Path) -> None:
    for name, text, format in (
        ("a.ndjson", json.dumps(PATIENT), "fhir-ndjson"), ("a.jsonl", json.dumps(PATIENT), "fhir-ndjson"),
        ("b.ndjson", '{"text": "x"}', "jsonl"), ("b.jsonl", "", "jsonl"), ("a.json", json.dumps(PATIENT), "fhir"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
        assert recognise_format(tmp_path / name).name == format
    # As any JSON whose ending tells nothing.
    (tmp_path / "b.json").write_text('{"a": 1}')
    assert recognise_format(tmp_path / "b.json").name == "jsonl"


def test_what_was_removed_is_told_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.ndjson"
    source.write_text(json.dumps({**PATIENT, "photo": [{"data": "AAAA"}], "Quill": 1}) + "\n")
    assert run(["mask", str(source), "--out", str(tmp_path / "out.ndjson"), "--rules", "only"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("left out: ")]
    assert told == ["left out: 1 Patient.photo, 1 unknown elements (all of them in the record)"]
    record = json.loads((tmp_path / "out.ndjson.deidlab" / "record.json").read_text())
    assert record["removed"] == {"Patient.photo": 1, "unknown elements": 1}


def test_detecting_writes_the_pieces_as_notes(tmp_path: Path) -> None:
    source, out = tmp_path / "in.ndjson", tmp_path / "found.jsonl"
    source.write_text(json.dumps(OBSERVATION) + "\n")
    assert run(["detect", str(source), "--out", str(out), "--rules", "only", "-q"]) == 0
    row = json.loads(out.read_text())
    assert row["patient"] == "p7" and {"DOCTOR", "PATIENT", "DATE", KEY} <= {
        each["label"] for each in row["spans"]
    }
