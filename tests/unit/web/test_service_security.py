"""Who may ask, from where, and what an answer gives away: tokens, log-in, Host, Origin, headers, echoes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from deidlab.errors import ConfigError
from deidlab.web.auth import COOKIE, Sessions
from deidlab.web.hosts import host_name
from deidlab.web.settings import ServeSettings, is_loopback
from deidlab.web.tokens import Tokens, add_token, digest_of, find_tokens, read_tokens
from tests.unit.web.serving import RULES, Answer, Served, serving

TOKEN, OTHER = "a-token-of-good-length-1", "another-token-of-length-2"
TOKENS = Tokens((("ada", digest_of(TOKEN)), ("ben", digest_of(OTHER))))
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on loopback that wants tokens."""
    log = tmp_path_factory.mktemp("log") / "access.log"
    settings = ServeSettings(port=0, models=RULES, tokens=TOKENS, access_log=log, hosts=("deid.example:443",))
    with serving(settings) as up:
        yield up


def detect(served: Served, **headers: str) -> Answer:
    return served.post("/v1/detect", {"text": "Seen on 3/14/2071."}, **headers)


def log_in(served: Served, token: str = TOKEN, target: str = "/docs") -> Answer:
    body = urlencode({"token": token, "next": target}).encode()
    return served.post("/login", body, content_type=FORM, origin=served.url)


# Tokens


def test_a_token_is_needed_and_any_reviewers_will_do(served: Served) -> None:
    answer = detect(served)
    assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    for token in (TOKEN, OTHER):
        assert detect(served, authorization=f"Bearer {token}").status == 200
        assert detect(served, authorization=f"bearer  {token}").status == 200
    for wrong in (
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        "Bearer",
        f"Bearer {TOKEN} x",
        "Bearer é",
    ):
        assert detect(served, authorization=wrong).status == 401


@pytest.mark.parametrize(
    "path", ["/", "/v1/models", "/metrics", "/docs", "/openapi.json", "/review", "/nothing"]
)
def test_everything_but_the_log_in_is_closed(served: Served, path: str) -> None:
    assert served.get(path).status == 401
    page = served.get(path, accept="text/html")
    assert page.status == 303 and page.headers["location"] == f"/login?next={path}"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../v1/models",
        "/static/%2e%2e/%2e%2e/auth.py",
        "/static//etc/passwd",
        "/healthz/../metrics",
        "//metrics",
    ],
)
def test_no_detour_leads_in(served: Served, path: str) -> None:
    assert served.get(path).status in (401, 404)


def test_health_and_the_log_in_need_no_token(served: Served) -> None:
    assert served.get("/healthz").status == 200
    page = served.get("/login?next=/review")
    assert page.status == 200 and b'value="/review"' in page.body
    assert served.get("/static/base.css").status == 200


def test_listening_elsewhere_needs_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.4", "deid.example"):
        with pytest.raises(ConfigError, match="needs a token"):
            ServeSettings(host=host)
        assert not ServeSettings(host=host, tokens=TOKENS).is_local
    assert all(is_loopback(host) for host in ("localhost", "127.0.0.1", "127.0.0.9", "::1"))


def test_token_files(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    token = add_token(path, "ada")
    path.write_text(path.read_text() + f"# a comment\n\nben {OTHER}\n")
    tokens = read_tokens(path)
    assert tokens.find(token) == "ada" and tokens.find(OTHER) == "ben" and tokens.find("") is None
    assert token not in path.read_text() and tokens.warning is None
    assert token not in repr(tokens) and OTHER not in repr(tokens)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert "chmod 600" in (read_tokens(path).warning or "")
    with pytest.raises(ConfigError, match="has a token already"):
        add_token(path, "ada")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no token"), ("ada short", "at least 20"), ("justone", "a name and a token"),
        (f"a/b {TOKEN}", "name has"), (f"ada {TOKEN}\nada {OTHER}", "two lines"),
        (f"ada {TOKEN}\nben {TOKEN}", "the same token"), ("ada \udcff", "UTF-8"),
    ],
)  # fmt: skip
def test_bad_token_files(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigError, match=said) as raised:
        read_tokens(path)
    assert TOKEN not in str(raised.value)


def test_a_token_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not find_tokens(None)
    monkeypatch.setenv("DEIDLAB_TOKEN", TOKEN)
    assert find_tokens(None).find(TOKEN) == "token"
    monkeypatch.setenv("DEIDLAB_TOKEN_FILE", str(tmp_path / "t"))
    add_token(tmp_path / "t", "ada")
    assert find_tokens(None).names() == ("ada",)
    monkeypatch.setenv("DEIDLAB_TOKEN", "short")
    monkeypatch.delenv("DEIDLAB_TOKEN_FILE")
    with pytest.raises(ConfigError, match="DEIDLAB_TOKEN"):
        find_tokens(None)


# Log-in


def test_log_in_once_and_out_again(served: Served) -> None:
    answer = log_in(served)
    assert answer.status == 303 and answer.headers["location"] == "/docs"
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; ")) and "Secure" not in cookie
    assert TOKEN not in cookie
    pair = cookie.partition(";")[0]
    assert detect(served, cookie=pair).status == 200
    assert served.get("/docs", cookie=f"x=1; {pair}").status == 200
    assert detect(served, cookie=f"{COOKIE}=wrong").status == 401
    assert served.post("/logout", b"", cookie=pair, origin=served.url).status == 303
    assert detect(served, cookie=pair).status == 401


def test_a_wrong_token_does_not_log_in(served: Served) -> None:
    answer = log_in(served, "wrong-wrong-wrong-wrong")
    assert answer.status == 401 and "set-cookie" not in answer.headers
    assert b"wrong-wrong" not in answer.body and b"not known" in answer.body
    assert served.post("/login", b"token=x", content_type="text/plain").status == 415
    assert served.post("/login", b"token=" + b"x" * 9000, content_type=FORM).status == 413
    for form in (b"a=1&b=2&c=3&d=4&e=5", b"tokn=x", b"token=x&other=y"):
        assert served.post("/login", form, content_type=FORM).status == 422


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/a\nb", "", "/login"],
)
def test_the_log_in_leads_nowhere_else(served: Served, target: str) -> None:
    assert log_in(served, target=target).headers["location"] == "/"


def test_what_is_next_cannot_become_markup(served: Served) -> None:
    page = served.get("/login?next=/%22%3E%3Cscript%3E")
    assert b"<script>" not in page.body and b"&lt;script&gt;" in page.body


def test_sessions_end() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    value = sessions.start("ada")
    assert sessions.find(value) == "ada"
    now[0] = 12 * 3600 + 1.0
    assert sessions.find(value) is None
    values = [sessions.start("ada") for _ in range(1001)]
    assert sessions.find(values[0]) is None and sessions.find(values[-1]) == "ada"


# Host and Origin


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil@localhost",
        "127.0.0.2",
        "",
        "localhost:x",
        "[::1",
    ],
)
def test_another_host_is_refused(served: Served, host: str) -> None:
    assert served.get("/healthz", host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:8000", "deid.example"])
def test_our_own_hosts(served: Served, host: str) -> None:
    assert served.get("/healthz", host=host).status == 200


def test_no_host_and_two_hosts(served: Served) -> None:
    for head in ("", "Host: localhost\r\nHost: evil.example\r\n"):
        with served.connect() as connection:
            connection.sendall(f"GET /healthz HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())
            assert b" 200 " not in connection.recv(65536).split(b"\r\n")[0]


def test_an_address_will_do_where_other_machines_are_let_in() -> None:
    from deidlab.web.hosts import HostGate

    gate = HostGate(None, ServeSettings(host="0.0.0.0", tokens=TOKENS))  # type: ignore[arg-type]
    assert gate._is_ours("10.1.2.3:8000") and gate._is_ours("[fe80::1]") and not gate._is_ours("evil.example")
    assert host_name("a/b") is None and host_name("a?b") is None


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://localhost:1"},
        {"origin": "http://127.0.0.1"}, {"origin": "file://"}, {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"}, {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"},
    ],
)  # fmt: skip
def test_pages_of_other_origins_are_refused(served: Served, headers: dict[str, str]) -> None:
    answer = detect(served, authorization=f"Bearer {TOKEN}", **headers)
    assert answer.status == 403 and "access-control-allow-origin" not in answer.headers


def test_our_own_pages_and_links_from_elsewhere(served: Served) -> None:
    for headers in ({"origin": served.url}, {"sec_fetch_site": "same-origin"}, {"sec_fetch_site": "none"}):
        assert detect(served, authorization=f"Bearer {TOKEN}", **headers).status == 200
    linked = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "accept": "text/html"}
    assert served.get("/", **linked).status == 303
    behind_tls = {"origin": "https://deid.example", "host": "deid.example"}
    assert detect(served, authorization=f"Bearer {TOKEN}", **behind_tls).status == 200
