"""`/v1/detect`, `/v1/mask`, `/v1/models` and what belongs to operation, over real sockets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deidlab.detect import DetectorSettings
from deidlab.easy import Deidentifier
from deidlab.mask import read_policy
from deidlab.types import Document
from deidlab.web.settings import ServeSettings
from tests.unit.web.serving import RULES, Served, serving

NOTE = "Seen on 3/14/2071 by Dr. Ilse Verhoeven. BP 120/80."
KEY = bytes(range(32))
OWN = read_policy({"name": "dates-stay", "like": "i2b2", "types": {"DATE": "keep"}})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    with serving(
        ServeSettings(port=0, models=RULES, key=KEY, policies=(OWN,), access_log=log, workers=2)
    ) as up:
        yield up


@pytest.fixture(scope="module")
def here() -> Deidentifier:
    from deidlab.detect import load_detector

    return Deidentifier(load_detector(None, DetectorSettings("only")), KEY)


def test_detect_gives_what_the_detector_finds(served: Served, here: Deidentifier) -> None:
    answer = served.post("/v1/detect", {"text": NOTE, "id": "n1", "patient": "p1"})
    assert answer.status == 200
    record = answer.json()
    assert (record["id"], record["patient"], record["model"]) == ("n1", "p1", "rules")
    found = [(s["start"], s["end"], s["label"], s["score"], s["source"]) for s in record["spans"]]
    assert found == [(s.start, s.end, s.label, s.score, s.source) for s in here.detect(NOTE)]
    assert "candidates" not in record and "words" not in record


def test_more_of_a_detection_on_request(served: Served, here: Deidentifier) -> None:
    record = served.post("/v1/detect", {"text": NOTE, "candidates": True, "words": True}).json()
    [whole] = here.detector.detect([Document("note", text=NOTE)])
    assert len(record["candidates"]) == len(whole.candidates)
    assert [tuple(word) for word in record["words"]] == list(whole.words)


@pytest.mark.parametrize("style", ["redact", "tag", "surrogate"])
@pytest.mark.parametrize("policy", ["i2b2", "limited-dataset"])
def test_mask_gives_what_python_gives(served: Served, here: Deidentifier, style: str, policy: str) -> None:
    body = {"text": NOTE, "patient": "p9", "style": style, "policy": policy}
    record = served.post("/v1/mask", body).json()
    masked = here.mask(NOTE, style, policy, patient="p9")  # type: ignore[arg-type]
    assert record["text"] == masked.text
    assert (record["style"], record["policy"], record["model"]) == (style, policy, "rules")
    for place, (span, put) in zip(record["replacements"], masked.replacements, strict=True):
        assert (place["start"], place["end"]) == (span.start, span.end)
        assert record["text"][place["masked_start"] : place["masked_end"]] == put


def test_given_spans_are_masked_and_nothing_else(served: Served) -> None:
    spans = [{"start": 8, "end": 17, "label": "DATE"}, {"start": 44, "end": 50, "label": "OTHER", "score": 1}]
    record = served.post("/v1/mask", {"text": NOTE, "spans": spans}).json()
    assert record["text"] == "Seen on [DATE-1] by Dr. Ilse Verhoeven. BP [OTHER-1]."
    assert record["model"] is None
    assert served.post("/v1/mask", {"text": NOTE, "spans": []}).json()["text"] == NOTE


def test_notes_without_a_patient_are_patients_of_their_own(served: Served) -> None:
    body = {"text": NOTE, "style": "surrogate"}
    records = [served.post("/v1/mask", body).json() for _ in range(8)]
    assert len({record["patient"] for record in records}) == 8
    assert len({record["text"][8:17] for record in records}) >= 6
    again = served.post("/v1/mask", {**body, "patient": records[0]["patient"]}).json()
    assert again["text"] == records[0]["text"]
    named = [served.post("/v1/mask", {**body, "id": "n1"}).json() for _ in range(2)]
    assert named[0] == named[1] and named[0]["patient"] == "n1"
    assert served.post("/v1/detect", {"text": NOTE}).json()["patient"].startswith("unknown-")


def test_offsets_are_code_points(served: Served) -> None:
    text = "😀 é " + NOTE
    record = served.post("/v1/detect", {"text": text}).json()
    assert [text[s["start"] : s["end"]] for s in record["spans"]] == ["3/14/2071", "Ilse Verhoeven"]


def test_an_empty_note_and_a_long_one(served: Served) -> None:
    assert served.post("/v1/mask", {"text": ""}).json()["text"] == ""
    long = NOTE * 2000
    assert served.post("/v1/mask", {"text": long}).json()["text"].count("[DATE-1]") == 2000


def test_a_policy_of_ones_own_and_pseudonyms(served: Served) -> None:
    body = {"text": NOTE, "policy": "dates-stay", "id": "verhoeven-1", "patient": "x", "ids": "pseudonyms"}
    answer = served.post("/v1/mask", body)
    assert "3/14/2071" in answer.json()["text"]
    assert b"verhoeven" not in answer.body.lower()
    assert re.fullmatch("d[a-z2-7]{24}", answer.json()["id"])


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/v1/detect", {"text": NOTE, "model": "nope"}, 422, "unknown model; known: rules"),
        ("/v1/mask", {"text": NOTE, "policy": "nope"}, 422, "unknown policy; known: dates-stay, gdpr"),
        ("/v1/mask", {"text": NOTE, "policy": "/etc/own.toml"}, 422, "unknown policy"),
        ("/v1/mask", {"text": NOTE, "style": "nope"}, 422, "body.style: one of"),
        ("/v1/mask", {"text": NOTE, "spans": [{"start": 5, "end": 2, "label": "X"}]}, 422, "empty, reversed"),
        ("/v1/mask", {"text": NOTE, "spans": [{"start": 5, "end": 99, "label": "X"}]}, 422, "past the text"),
        ("/v1/detect", {}, 422, "body.text: is missing"),
        ("/v1/detect", {"text": 5}, 422, "body.text: a string is expected"),
        ("/v1/detect", {"text": "a\ud800"}, 422, "half of a UTF-16 pair at offset 1"),
        ("/v1/detect", {"text": NOTE, "words": "yes"}, 422, "true or false"),
        ("/v1/detect", [NOTE], 422, "a JSON object is expected"),
        ("/v1/detect", b"{", 400, "not JSON"),
        ("/v1/detect", b"[" * 100_000, 400, "not JSON"),
    ],
)
def test_what_is_wrong_is_said(served: Served, path: str, body: Any, status: int, said: str) -> None:
    answer = served.post(path, body, content_type="application/json")
    assert answer.status == status
    assert said in answer.json()["message"]


def test_other_content_and_other_addresses(served: Served) -> None:
    assert served.post("/v1/detect", b"Seen on", content_type="text/plain").status == 415
    assert served.post("/v1/detect", b'{"text": "a"}').status == 415
    assert served.get("/v1/nothing").json()["error"] == "not-found"
    assert served.get("/v1/detect").status == 405


def test_models_policies_and_styles(served: Served) -> None:
    record = served.get("/v1/models").json()
    assert [(model["name"], model["default"]) for model in record["models"]] == [("rules", True)]
    assert "DATE" in record["models"][0]["labels"]
    assert [policy["name"] for policy in record["policies"] if policy["default"]] == ["i2b2"]
    assert {"dates-stay", "safe-harbor"} <= {policy["name"] for policy in record["policies"]}
    assert record["styles"] == ["redact", "tag", "surrogate"]


def test_health_and_metrics(served: Served) -> None:
    assert served.get("/healthz").json() == {"status": "ok"}
    served.post("/v1/detect", {"text": NOTE})
    page = served.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = page.body.decode()
    assert re.search(r'deidlab_requests_total\{method="POST",route="/v1/detect",status="200"\} \d', text)
    assert re.search(r'deidlab_notes_total\{model="rules",task="detect"\} \d', text)
    assert re.search(r"process_resident_memory_bytes \d", text)


def test_the_examples_of_the_description_work(served: Served) -> None:
    described = served.get("/openapi.json").json()
    tried = 0
    for path, methods in described["paths"].items():
        for media, content in methods.get("post", {}).get("requestBody", {}).get("content", {}).items():
            for example in [*content.get("examples", {}).values(), {"value": content.get("example")}]:
                value = example["value"]
                if value is not None:
                    body = value.encode() if isinstance(value, str) else value
                    assert served.post(path, body, content_type=media).status == 200
                    tried += 1
    assert tried >= 5


def test_the_docs_load_nothing_from_elsewhere(served: Served) -> None:
    page = served.get("/docs", accept="text/html")
    assert page.status == 200 and b"/v1/batch" in page.body and b"surrogate" in page.body
    for target in re.findall(r'(?:src|href|action)="([^"]*)"', page.body.decode()):
        assert target.startswith("/") and not target.startswith("//")
        assert served.get(target).status == 200, target
    assert b"http://" not in page.body and b"https://" not in page.body and b"<style" not in page.body
    assert not re.search(rb"<script(?! src=)", page.body)


def test_requests_of_many_clients_share_workers_and_agree(served: Served) -> None:
    notes = [f"{NOTE} Visit {number} on {1 + number % 12}/3/2070." for number in range(60)]

    def ask(text: str) -> str:
        return str(
            served.post("/v1/mask", {"text": text, "style": "surrogate", "patient": "p"}).json()["text"]
        )

    with ThreadPoolExecutor(16) as clients:
        together = list(clients.map(ask, notes))
    assert together == [ask(text) for text in notes]
    text = served.get("/metrics").body.decode()
    n_jobs = float(re.search(r"deidlab_handful_jobs_sum (\S+)", text)[1])  # type: ignore[index]
    n_handfuls = float(re.search(r"deidlab_handful_jobs_count (\S+)", text)[1])  # type: ignore[index]
    assert n_handfuls < n_jobs


def test_the_access_log_is_structured_and_private(served: Served) -> None:
    served.get("/v1/nothing/Verhoeven?text=Verhoeven")
    path: Path = served.app.state.settings.access_log
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines and path.stat().st_mode & 0o777 == 0o600
    wanted = {"time", "request", "method", "route", "status", "seconds", "bytes_in", "bytes_out", "client"}
    assert all(wanted <= set(line) for line in lines)
    assert {"/v1/detect", "(unknown)"} <= {line["route"] for line in lines}
    assert "Verhoeven" not in path.read_text()
