"""What clients without a token may hold: little, and never what those with one need. Over real sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.strangers import Strangers, client_of
from deidlab.web.tokens import Tokens, digest_of
from tests.e2e.service import make_certificate
from tests.unit.web.serving import RULES, Answer, Served, serving

TOKEN = "a-token-of-good-length-1"
FORM = "application/x-www-form-urlencoded"
LIMITS = Limits(strangers=200, stranger_seconds=2.0, requests=8)
HALF_LOG_IN = (
    f"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM}\r\nContent-Length: 99\r\n\r\ntoken="
)
HALF_NOTE = "POST /v1/mask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"
HALF_HEAD = "POST /login HTTP/1.1\r\nHost: local"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    tokens = Tokens((("ada", digest_of(TOKEN)),))
    with serving(ServeSettings(port=0, models=RULES, tokens=tokens, access_log=log, limits=LIMITS)) as up:
        yield up


@contextlib.contextmanager
def besieged(served: Served, sent: str, n: int = 260) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(n):
            connections.append(stack.enter_context(served.connect()))
            connections[-1].sendall(sent.encode())
        yield connections


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while data := connection.recv(65536):
            del data
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def detect(served: Served) -> Answer:
    return served.post("/v1/detect", {"text": "Seen on 3/14/2071."}, authorization=f"Bearer {TOKEN}")


def log_in(served: Served) -> Answer:
    return served.post("/login", urlencode({"token": TOKEN, "next": "/docs"}).encode(), content_type=FORM)


@pytest.mark.parametrize("sent", [HALF_LOG_IN, HALF_NOTE, HALF_HEAD, ""])
def test_half_sent_requests_of_strangers_lock_nobody_out(served: Served, sent: str) -> None:
    with besieged(served, sent) as connections:
        began = time.monotonic()
        assert [detect(served).status for _ in range(12)] == [200] * 12
        assert log_in(served).status == 303
        assert time.monotonic() - began < LIMITS.request_seconds / 2
        assert sum(map(is_open, connections)) <= LIMITS.strangers // 2


def test_a_half_sent_log_in_is_over_soon(served: Served) -> None:
    with besieged(served, HALF_LOG_IN, 3) as connections:
        time.sleep(LIMITS.stranger_seconds + 1.0)
        assert not any(map(is_open, connections))


def test_the_rest_of_a_refused_body_may_not_come_for_ever(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(HALF_NOTE.encode())
        assert b" 401 " in connection.recv(65536)
        deadline = time.monotonic() + 3 * LIMITS.stranger_seconds + 3
        with pytest.raises(OSError):
            while time.monotonic() < deadline:
                connection.sendall(b" ")
                time.sleep(0.1)
        assert time.monotonic() < deadline


def test_a_client_with_a_token_may_take_its_time(served: Served) -> None:
    body = json.dumps({"text": "Seen on 3/14/2071."}).encode()
    head = (
        f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with served.connect() as connection:
        connection.sendall(head.encode() + body[:5])
        with besieged(served, HALF_LOG_IN, 40):
            time.sleep(LIMITS.stranger_seconds + 0.5)
        connection.sendall(body[5:])
        assert b" 200 " in connection.recv(65536).split(b"\r\n")[0]


def test_one_that_went_away_is_no_error_of_ours(served: Served) -> None:
    with besieged(served, HALF_LOG_IN, 1):
        time.sleep(0.2)
    path: Path = served.app.state.settings.access_log
    deadline = time.monotonic() + 5
    while "went away" not in path.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(line.get("fault") == "the client went away" for line in lines)
    assert all(line["status"] < 500 for line in lines)


def test_a_handshake_that_never_comes_is_over_soon(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    settings = ServeSettings(
        port=0,
        models=RULES,
        limits=LIMITS,
        access_log=tmp_path / "log",
        tls_certificate=certificate,
        tls_key=key,
    )
    with serving(settings) as up, up.connect() as connection:
        time.sleep(LIMITS.stranger_seconds + 1.0)
        assert not is_open(connection)


def test_the_oldest_of_the_busiest_address_makes_way() -> None:
    ended: list[str] = []
    strangers = Strangers(4)

    def add(name: str, host: str) -> None:
        strangers.add(name, host, lambda: ended.append(name))

    for name in ("a1", "a2", "a3"):
        add(name, "10.0.0.1")
    assert ended == ["a1"] and len(strangers) == 2
    for name, host in (("b1", "10.0.0.2"), ("c1", "10.0.0.3"), ("d1", "10.0.0.4")):
        add(name, host)
    assert ended == ["a1", "a2"] and len(strangers) == 4
    for name, host in (("a3", "10.0.0.1"), ("b1", "10.0.0.2"), ("c1", "10.0.0.3"), ("d1", "10.0.0.4")):
        strangers.remove(name, host)
        strangers.remove(name, host)
    assert len(strangers) == 0


def test_who_is_behind_an_address() -> None:
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:2") != client_of("2001:db8:0:1::1")
    assert client_of("::ffff:10.0.0.1") == client_of("10.0.0.1") != client_of("10.0.0.2")
    assert client_of("fe80::1%eth0") == client_of("fe80::2") and client_of("") == ""
