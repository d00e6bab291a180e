"""`$de-identify`: a resource in, the same out with its PHI masked; errors are outcomes that quote nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deidlab.cli.app import run
from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.tokens import Tokens, digest_of
from tests.unit.carriers.fhir_samples import DAY, SECRET, model, samples
from tests.unit.web.serving import RULES, Served, serving

KEY = bytes(range(32))
PATH = "/v1/fhir/$de-identify"
FHIR_JSON = "application/fhir+json"
PATIENT: dict[str, Any] = {
    "resourceType": "Patient", "id": "p7", "birthDate": "1981-03-05",
    "name": [{"family": "Quillfeather", "given": ["Zebulon"]}],
}  # fmt: skip
NOTE: dict[str, Any] = {
    "resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Sleep"},
    "subject": {"reference": "Patient/p7"}, "effectiveDateTime": "2064-03-14T08:15:00-05:00",
    "note": [{"text": "Mr. Quillfeather slept; asked Dr. Tom Harkness."}],
    "valueQuantity": {"value": 13.20, "unit": "h"},
}  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    settings = ServeSettings(
        port=0, models=RULES, key=KEY, style="surrogate", access_log=log, limits=Limits(body_bytes=64 * 1024)
    )
    with serving(settings) as up:
        yield up


def ask(served: Served, record: object, query: str = "", kind: str = FHIR_JSON) -> Any:
    body = record if isinstance(record, bytes) else json.dumps(record).encode()
    answer = served.post(PATH + query, body, content_type=kind)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == FHIR_JSON
    return answer.json()


def test_a_resource_is_masked_as_by_the_command(served: Served, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    for record in (PATIENT, NOTE):
        (tmp_path / "in.json").write_text(json.dumps(record))
        command = ["mask", str(tmp_path / "in.json"), "--out", str(tmp_path / "out.json"), "--rules", "only", "-q",
                   "--style", "surrogate", "--key-file", str(tmp_path / "key"), "--overwrite"]  # fmt: skip
        assert run(command) == 0
        assert ask(served, record) == json.loads((tmp_path / "out.json").read_text())


def test_a_patient_is_the_same_in_every_request(served: Served) -> None:
    patient, note = ask(served, PATIENT), ask(served, NOTE, kind="application/json")
    assert note["subject"]["reference"] == f"Patient/{patient['id']}"
    family = patient["name"][0]["family"]
    assert family != "Quillfeather" and note["note"][0]["text"].startswith(f"Mr. {family} slept")
    bundle = {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [{"resource": PATIENT}, {"resource": NOTE}],
    }
    one, two = (each["resource"] for each in ask(served, bundle)["entry"])
    # What the note tells of the patient, such as the sex, may choose another first name.
    assert one["name"][0].pop("given") and patient["name"][0].pop("given")
    assert (one, two) == (patient, note)
    # One that names no patient is a patient of its own.
    stranger = {name: value for name, value in NOTE.items() if name != "subject"}
    assert ask(served, stranger) != ask(served, stranger)


def test_parameters_of_the_operation(served: Served) -> None:
    wrapped = {"resourceType": "Parameters", "parameter": [{"name": "resource", "resource": NOTE}]}
    assert ask(served, wrapped) == ask(served, NOTE)
    # The digits of numbers stay as they were written.
    body = json.dumps(wrapped).replace("13.2", "13.200").encode()
    assert b"13.200" in served.post(PATH, body, content_type=FHIR_JSON).body


def test_policy_and_style_are_those_of_the_query(served: Served) -> None:
    plain = ask(served, NOTE, "?style=tag&policy=safe-harbor&model=rules&day_first=false")
    assert plain["note"][0]["text"] == "Mr. [PATIENT-1] slept; asked Dr. [DOCTOR-1]."
    assert plain["effectiveDateTime"] == "2064"


@pytest.mark.parametrize(
    ("policy", "style"), [("i2b2", "tag"), ("safe-harbor", "surrogate"), ("i2b2", "redact")]
)
def test_a_sentinel_in_every_element_is_in_none_of_the_answer(
    policy: str, style: str, served: Served
) -> None:
    pytest.importorskip("fhir.resources")
    names = [
        "Patient",
        "Observation",
        "DocumentReference",
        "Encounter",
        "Claim",
        "Bundle",
        "Binary",
        "Appointment",
    ]
    for made in samples(names, "R4B", 0):
        found = ask(served, made, f"?policy={policy}&style={style}")
        whole = json.dumps(found)
        assert not any(
            word in whole
            for word in (SECRET, SECRET.lower(), DAY, base64.b64encode(SECRET.encode()).decode())
        )
        if style == "surrogate" and made["resourceType"] == "Patient":
            model("R4B", "Patient").model_validate(found)


BAD: list[tuple[bytes, str, int, str]] = [
    (b"", FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Patient", "id": "Quill', FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Quill"}', FHIR_JSON, 422, "invalid"),
    (b'["Quill"]', FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Patient", "id": "a", "id": "Quill"}', FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Parameters", "parameter": [{"name": "Quill"}]}', FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Binary", "contentType": "text/plain", "data": "Quill!"}', FHIR_JSON, 422, "invalid"),
    (b'{"resourceType": "Patient"}', "application/fhir+xml", 415, "not-supported"),
    (b'{"resourceType": "Patient"}', "", 415, "not-supported"),
    (b'{"resourceType": "Patient", "a": "' + b"Quill" * 20_000 + b'"}', FHIR_JSON, 413, "too-long"),
]


@pytest.mark.parametrize(("body", "kind", "status", "code"), BAD)
def test_errors_are_outcomes_that_quote_nothing(
    body: bytes, kind: str, status: int, code: str, served: Served
) -> None:
    answer = served.ask("POST", PATH, body, {"Content-Type": kind} if kind else {})
    check(answer, status, code)
    log = served.app.state.settings.access_log.read_text()
    assert "Quill" not in log and PATH in log


def check(answer: Any, status: int, code: str) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == FHIR_JSON
    outcome = answer.json()
    assert outcome.keys() == {"resourceType", "issue"} and outcome["resourceType"] == "OperationOutcome"
    (issue,) = outcome["issue"]
    assert issue["severity"] == "error" and issue["code"] == code
    assert "Quill" not in json.dumps(outcome) and "\n" not in issue["diagnostics"]
    pytest.importorskip("fhir.resources")
    model("R4B", "OperationOutcome").model_validate(outcome)


@pytest.mark.parametrize("query", ["?policy=Quill", "?model=Quill", "?style=Quill", "?Quill=1"])
def test_wrong_options_are_outcomes_too(query: str, served: Served) -> None:
    check(served.post(PATH + query, json.dumps(PATIENT).encode(), content_type=FHIR_JSON), 422, "invalid")


def test_other_methods_and_addresses(served: Served) -> None:
    check(served.get(PATH), 405, "not-supported")
    check(served.get("/v1/fhir/Patient/Quill"), 404, "not-found")


def test_who_may_ask(tmp_path: Path) -> None:
    settings = ServeSettings(port=0, models=RULES, tokens=Tokens((("ada", digest_of("t" * 32)),)),
                             access_log=tmp_path / "log")  # fmt: skip
    with serving(settings) as up:
        body = json.dumps(PATIENT).encode()
        check(up.post(PATH, body, content_type=FHIR_JSON), 401, "login")
        assert up.post(PATH, body, content_type=FHIR_JSON, authorization=f"Bearer {'t' * 32}").status == 200


def test_it_is_described(served: Served) -> None:
    described = served.get("/openapi.json").json()
    operation = described["paths"][PATH]["post"]
    assert set(operation["requestBody"]["content"]) == {FHIR_JSON}
    schema = operation["responses"]["422"]["content"][FHIR_JSON]["schema"]
    assert schema["$ref"].rpartition("/")[2] in described["components"]["schemas"]
    assert b"de-identify" in served.get("/docs").body
