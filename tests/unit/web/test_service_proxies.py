"""Behind a proxy: limits and the access log go by the real client, and nobody makes up an address."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from deidlab.errors import ConfigError
from deidlab.web.proxies import Proxies, read_proxies
from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.tokens import Tokens, digest_of
from tests.unit.web.serving import RULES, Served, serving

TOKEN = "a-token-of-good-length-1"
TOKENS = Tokens((("ada", digest_of(TOKEN)),))
LIMITS = Limits(strangers=8, stranger_seconds=3.0)
FORM = "application/x-www-form-urlencoded"


def told(*values: str) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost"), *((b"x-forwarded-for", value.encode()) for value in values)]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", ("192.0.2.7",), "192.0.2.7"),
        ("10.0.0.1", ("203.0.113.9, 192.0.2.7",), "192.0.2.7"),  # the first is what the client made up
        ("10.0.0.1", ("203.0.113.9", "192.0.2.7, 10.0.0.2"), "192.0.2.7"),  # two proxies, two headers
        ("10.0.0.1", ("192.0.2.7:4711",), "192.0.2.7"),
        ("10.0.0.1", ("[2001:db8::7]:4711",), "2001:db8::7"),
        ("10.0.0.1", ("::ffff:192.0.2.7",), "192.0.2.7"),
        ("::ffff:10.0.0.1", ("192.0.2.7",), "192.0.2.7"),
        ("10.0.0.1", (), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", ("192.0.2.7, unknown",), "10.0.0.1"),
        ("10.0.0.1", ("192.0.2.7, ../../x, 10.0.0.2",), "10.0.0.2"),
        ("192.0.2.1", ("203.0.113.9",), "192.0.2.1"),  # no proxy of ours
        ("", ("203.0.113.9",), ""),
    ],
)
def test_the_client_is_the_last_that_no_proxy_of_ours_is(
    peer: str, forwarded: tuple[str, ...], client: str
) -> None:
    assert read_proxies(["10.0.0.0/24"]).client(peer, told(*forwarded)) == client


def test_without_proxies_nobody_is_believed() -> None:
    assert not Proxies() and Proxies().client("127.0.0.1", told("192.0.2.7")) == "127.0.0.1"
    secure = [(b"x-forwarded-proto", b"https")]
    assert not Proxies().is_secure("10.0.0.1", secure)
    assert read_proxies(["10.0.0.1"]).is_secure("10.0.0.1", secure)
    assert not read_proxies(["10.0.0.1"]).is_secure("10.0.0.1", [*secure, *secure])


@pytest.mark.parametrize("address", ["proxy.example", "10.0.0.0/99", "0.0.0.0/0", "::/0", ""])
def test_what_is_no_address_is_refused_and_so_are_all_at_once(address: str) -> None:
    with pytest.raises(ConfigError, match="--trusted-proxy"):
        read_proxies([address])


def test_a_proxy_lets_other_machines_in_and_so_needs_a_token() -> None:
    with pytest.raises(ConfigError, match="needs a token"):
        ServeSettings(models=RULES, proxies=read_proxies(["127.0.0.1"]))
    assert ServeSettings(models=RULES, proxies=read_proxies(["127.0.0.1"]), tokens=TOKENS).is_local


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "access.log"


@pytest.fixture
def proxied(log: Path) -> Iterator[Served]:
    proxies = read_proxies(["127.0.0.1"])
    with serving(
        ServeSettings(port=0, models=RULES, tokens=TOKENS, access_log=log, limits=LIMITS, proxies=proxies)
    ) as up:
        yield up


@pytest.fixture
def plain(log: Path) -> Iterator[Served]:
    with serving(ServeSettings(port=0, models=RULES, tokens=TOKENS, access_log=log, limits=LIMITS)) as up:
        yield up


def clients(log: Path, n: int) -> list[str]:
    """Those of the log, once it has so many lines: a line comes after the answer."""
    deadline = time.monotonic() + 10
    while log.read_text().count("\n") < n and time.monotonic() < deadline:
        time.sleep(0.01)
    return [json.loads(line)["client"] for line in log.read_text().splitlines()]


def test_the_log_names_the_real_client(proxied: Served, log: Path) -> None:
    assert (
        proxied.get(
            "/v1/models", authorization=f"Bearer {TOKEN}", X_Forwarded_For="6.6.6.6, 192.0.2.7"
        ).status
        == 200
    )
    assert proxied.get("/v1/models", X_Forwarded_For="192.0.2.8").status == 401
    assert proxied.get("/healthz").status == 200
    assert clients(log, 3) == ["192.0.2.7", "192.0.2.8", "127.0.0.1"]


def test_a_client_that_is_no_proxy_cannot_make_up_an_address(plain: Served, log: Path) -> None:
    assert plain.get("/healthz", X_Forwarded_For="192.0.2.7", X_Forwarded_Proto="https").status == 200
    assert clients(log, 1) == ["127.0.0.1"]


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_the_cookie_is_secure_where_the_client_came_by_https(proxied: Served, scheme: str) -> None:
    form = urlencode({"token": TOKEN, "next": "/docs"}).encode()
    done = proxied.post(
        "/login", form, content_type=FORM, X_Forwarded_For="192.0.2.7", X_Forwarded_Proto=scheme
    )
    assert done.status == 303
    assert ("Secure" in done.headers["set-cookie"]) == (scheme == "https")


def half_log_in(served: Served, client: str) -> socket.socket:
    connection = served.connect()
    head = f"POST /login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\nContent-Type: {FORM}\r\n"
    connection.sendall(f"{head}Content-Length: 99\r\n\r\ntoken=".encode())
    return connection


def is_open(connection: socket.socket) -> bool:
    connection.settimeout(0.3)
    try:
        return bool(connection.recv(65536))
    except TimeoutError:
        return True
    except OSError:
        return False


def test_one_client_pushes_out_its_own_connections_and_not_those_of_others_behind_the_proxy(
    proxied: Served,
) -> None:
    other = half_log_in(proxied, "192.0.2.9")
    greedy = [half_log_in(proxied, "192.0.2.7") for _ in range(12)]
    assert is_open(other)
    assert sum(map(is_open, greedy)) <= LIMITS.strangers // 2
    for each in (other, *greedy):
        each.close()


def ask(connection: socket.socket, more: str) -> bytes:
    """One request on a connection that is kept, as a proxy sends them."""
    connection.sendall(f"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())
    connection.settimeout(10)
    answer = connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    (length,) = [
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    ]
    while len(body) < length:
        body += connection.recv(65536)
    return answer.split(b" ", 2)[1]


def test_a_token_of_one_client_is_not_the_next_ones_on_the_same_connection(
    proxied: Served, log: Path
) -> None:
    with proxied.connect() as connection:
        assert ask(connection, f"X-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer {TOKEN}\r\n") == b"200"
        assert ask(connection, "X-Forwarded-For: 192.0.2.2\r\n") == b"401"
        # A half-sent request of the second is over as soon as any stranger's.
        connection.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.2\r\n")
        connection.settimeout(LIMITS.stranger_seconds + 5)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(65536) == b""
    assert clients(log, 2)[:2] == ["192.0.2.1", "192.0.2.2"]
