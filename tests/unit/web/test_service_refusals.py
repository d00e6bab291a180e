"""What an answer gives away, and how much may be asked: headers, errors that never echo, limits."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deidlab.web.app import create_app
from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.tokens import Tokens, digest_of
from tests.unit.web.serving import RULES, Answer, Served, serving

SENTINEL = "Quillfeather"
TOKEN = "a-token-of-good-length-1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on loopback that wants tokens, and takes little."""
    log = tmp_path_factory.mktemp("log") / "access.log"
    limits = Limits(body_bytes=20_000, request_seconds=2, requests=6)
    tokens = Tokens((("ada", digest_of(TOKEN)),))
    with serving(ServeSettings(port=0, models=RULES, tokens=tokens, access_log=log, limits=limits)) as up:
        yield up


def detect(served: Served, **headers: str) -> Answer:
    return served.post("/v1/detect", {"text": "Seen on 3/14/2071."}, **headers)


def test_every_answer_has_the_headers(served: Served) -> None:
    answers = [
        served.get("/healthz"), served.get("/nothing"), served.get("/healthz", host="evil"),
        detect(served, origin="null"), detect(served, authorization=f"Bearer {TOKEN}"), served.get("/static/base.css"),
        served.post("/v1/detect", b"{", authorization=f"Bearer {TOKEN}", content_type="application/json"),
    ]  # fmt: skip
    for answer in answers:
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        policy = answer.headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        )
        assert "server" not in answer.headers and re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])


def test_the_framework_traces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    telemetry = getattr(create_app(ServeSettings()), "_telemetry", {})
    assert not any(telemetry.get(name) for name in ("tracing", "metrics", "logs", "auto_configure"))


ECHOES: list[tuple[str, object]] = [
    ("/v1/detect", {"text": {SENTINEL: SENTINEL}}),
    ("/v1/detect", {"text": SENTINEL, SENTINEL: 1}),
    ("/v1/detect", {"text": SENTINEL, "id": [SENTINEL]}),
    ("/v1/detect", {"text": SENTINEL, "id": SENTINEL * 40}),
    ("/v1/detect", {"text": SENTINEL, "model": SENTINEL}),
    ("/v1/detect", {"text": SENTINEL, "words": SENTINEL}),
    ("/v1/detect", {"text": SENTINEL + "\ud800", "id": SENTINEL}),
    ("/v1/detect", [SENTINEL]),
    ("/v1/detect", SENTINEL),
    ("/v1/detect", f'{{"text": "{SENTINEL}'.encode()),
    ("/v1/detect", f'{{"text": "{SENTINEL} '.encode() + b'\xff"}'),
    ("/v1/mask", {"text": SENTINEL, "style": SENTINEL}),
    ("/v1/mask", {"text": SENTINEL, "policy": f"/{SENTINEL}.toml"}),
    ("/v1/mask", {"text": SENTINEL, "ids": SENTINEL}),
    ("/v1/mask", {"text": SENTINEL, "id": SENTINEL, "spans": [{"start": 0, "end": 999, "label": "DATE"}]}),
    ("/v1/mask", {"text": SENTINEL, "spans": [{"start": 0, "end": 9, "label": SENTINEL + " x"}]}),
    ("/v1/mask", {"text": SENTINEL, "spans": [{"start": SENTINEL, "end": 9, "label": "X", SENTINEL: 1}]}),
    ("/v1/mask", {"text": SENTINEL, "spans": SENTINEL}),
    (f"/v1/batch?task={SENTINEL}", b"{}"),
    (f"/v1/batch?policy={SENTINEL}", b"{}"),
    (f"/v1/{SENTINEL}?q={SENTINEL}", {"text": SENTINEL}),
    ("/v1/detect", {"text": SENTINEL * 5000}),
]


@pytest.mark.parametrize("number", range(len(ECHOES)))
def test_errors_never_echo_the_input(served: Served, number: int) -> None:
    path, body = ECHOES[number]
    answer = served.post(
        path,
        body,
        authorization=f"Bearer {TOKEN}",
        content_type="application/json" if "batch" not in path else "text/plain",
    )
    assert 400 <= answer.status < 500
    whole = answer.body + json.dumps(dict(answer.headers)).encode()
    assert SENTINEL.lower().encode() not in whole.lower()
    assert set(answer.json()) == {"error", "message", "where"}


def test_many_mistakes_give_a_short_answer(served: Served) -> None:
    body = {"text": "a", "spans": [{}] * 4000}
    answer = served.post("/v1/mask", body, authorization=f"Bearer {TOKEN}")
    assert answer.status == 422 and len(answer.json()["where"]) == 20


def test_nothing_of_it_is_in_the_log(served: Served) -> None:
    path: Path = served.app.state.settings.access_log
    assert SENTINEL not in path.read_text() and TOKEN not in path.read_text()
    assert '"reviewer":"ada"' in path.read_text()


def test_too_large_is_told_before_it_is_read(served: Served) -> None:
    with served.connect() as connection:
        head = f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 99999999\r\n\r\n"
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(65536).split(b"\r\n")[0]


def test_too_large_in_chunks(served: Served) -> None:
    with served.connect() as connection:
        head = f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode() + b"7000\r\n" + b" " * 0x7000 + b"\r\n")
        assert b" 413 " in connection.recv(65536).split(b"\r\n")[0]


def test_too_slow_and_too_many(served: Served) -> None:
    head = f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 9\r\n\r\n"
    waiting = [served.connect() for _ in range(6)]
    for connection in waiting:
        connection.sendall(head.encode())
    deadline = time.monotonic() + 1.5
    while (
        answer := detect(served, authorization=f"Bearer {TOKEN}")
    ).status != 429 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert answer.status == 429 and answer.headers["retry-after"] == "1"
    assert served.get("/healthz").status == 200
    for connection in waiting:
        assert b" 408 " in connection.recv(65536).split(b"\r\n")[0]
        connection.close()
    assert detect(served, authorization=f"Bearer {TOKEN}").status == 200


def test_a_head_without_end_is_cut(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        try:
            for number in range(64):
                connection.sendall(f"X-{number}: ".encode() + b"y" * 1000 + b"\r\n")
            assert b" 200 " not in connection.recv(65536)
        except (BrokenPipeError, ConnectionResetError):
            pass
