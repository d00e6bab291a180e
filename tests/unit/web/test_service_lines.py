"""The lines of `/v1/batch`: what they must say and may not, and whose notes they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from deidlab.web.settings import ServeSettings
from tests.unit.web.serving import RULES, Served, serving

SENTINEL = "Quillfeather"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    with serving(ServeSettings(port=0, models=RULES, key=bytes(range(32)), access_log=log)) as up:
        yield up


def to_lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize("spans", [{}, {"spans": None}, {"sapns": []}, {"spans": ""}, {"spans": {}}])
def test_a_line_whose_spans_are_to_be_masked_must_have_them(served: Served, spans: dict[str, Any]) -> None:
    body = to_lines({"text": f"Mr. {SENTINEL}", **spans})
    [record] = served.post("/v1/batch?task=mask-given", body).lines()
    assert set(record) == {"line", "error", "message"} and record["error"] == "wrong-field"
    assert "spans" in record["message"] or "no such field" in record["message"]
    assert SENTINEL not in json.dumps(record)


def test_a_label_that_could_hold_anything_is_refused_in_a_line_as_in_a_request(served: Served) -> None:
    body = to_lines({"text": "abc", "spans": [{"start": 0, "end": 3, "label": f"mister {SENTINEL}"}]})
    [record] = served.post("/v1/batch?task=mask-given", body).lines()
    assert record["error"] == "wrong-field" and SENTINEL not in json.dumps(record)


def test_a_misspelt_option_is_refused(served: Served) -> None:
    for address in ("/v1/batch?taks=mask-given", "/v1/batch?stile=redact", "/v1/mask?style=redact"):
        kind = "text/plain" if "batch" in address else "application/json"
        answer = served.post(address, b'{"text": "a"}', content_type=kind)
        assert answer.status == 422 and "does not take such an option" in answer.json()["message"]


def test_lines_without_a_patient_are_patients_of_their_own(served: Served) -> None:
    line = {"text": "Seen on 3/14/2071."}
    body = to_lines(*[line] * 4)
    records = [each for _ in range(2) for each in served.post("/v1/batch?style=surrogate", body).lines()]
    assert len({record["patient"] for record in records}) == 8
    assert len({record["text"] for record in records}) >= 6
    named = to_lines(*({"id": "n1", **line}, {"patient": "p", **line}, {"id": "p", "patient": "p", **line}))
    first, second = (served.post("/v1/batch?style=surrogate", named).lines() for _ in range(2))
    assert first == second
    assert [record["patient"] for record in first] == ["n1", "p", "p"]
    assert first[1]["text"] == first[2]["text"] != first[0]["text"]


def test_a_patient_whose_name_is_a_notes_id_is_masked_together(served: Served) -> None:
    notes = [
        {"id": "p", "patient": "p", "text": "Dr. Raman called."},
        {"patient": "p", "text": "Dr. Pelling called."},
    ]
    texts = {record["text"] for record in served.post("/v1/batch", to_lines(*notes)).lines()}
    assert texts == {"Dr. [DOCTOR-1] called.", "Dr. [DOCTOR-2] called."}
