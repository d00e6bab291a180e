"""`deidlab serve` from a shell: it starts, answers, refuses what is unsafe, and finishes what it accepted."""

from __future__ import annotations

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deidlab.cli.app import all_commands
from tests.e2e.command import deidlab, deidlab_process
from tests.e2e.service import Service, make_certificate, service
from tests.unit.web.breaking import breaking

NOTE = "Seen on 3/14/2071 by Dr. Ilse Verhoeven. BP 120/80."
SLOW = f"~slow~ {NOTE}"
MASKED = "Seen on [DATE-1] by Dr. [DOCTOR-1]. BP 120/80."


@pytest.fixture
def slow_site(tmp_path: Path) -> dict[str, str]:
    """An environment in which certain notes take their time."""
    return {**breaking(tmp_path / "site"), "DAWDLE_SECONDS": "1.5"}


def start_batch(up: Service) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", up.port), timeout=60)
    connection.sendall(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    return connection


def send_line(connection: socket.socket, text: str) -> None:
    line = json.dumps({"text": text}).encode() + b"\n"
    connection.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="started where Ctrl-C is ignored"
)
def test_what_was_accepted_is_finished(
    tmp_path: Path, slow_site: dict[str, str], number: signal.Signals
) -> None:
    with service("--workers", "2", cwd=tmp_path, **slow_site) as up, ThreadPoolExecutor(4) as clients:
        stream = start_batch(up)
        send_line(stream, NOTE)
        asked = [clients.submit(up.ask, "/v1/mask", {"text": SLOW}) for _ in range(4)]
        time.sleep(0.5)
        assert not any(each.done() for each in asked)
        up.process.send_signal(number)
        time.sleep(0.3)
        with pytest.raises(OSError):
            up.ask("/healthz")
        send_line(stream, NOTE)
        stream.sendall(b"0\r\n\r\n")
        got = b""
        while more := stream.recv(65536):
            got += more
        assert got.count(MASKED.encode()) == 2 and got.endswith(b"0\r\n\r\n")
        for each in asked:
            status, body = each.result()
            assert status == 200 and b"[DATE-1]" in body
        assert up.process.wait(60) == 0
    assert b"Traceback" not in b"".join(up.err)


def test_it_answers_with_a_token_over_tls(tmp_path: Path) -> None:
    import http.client
    import ssl

    certificate, key = make_certificate(tmp_path)
    tokens = tmp_path / "tokens"
    added = deidlab_process("serve", "--token-file", tokens, "--add-reviewer", "ada")
    token = added.out.strip()
    assert added.status == 0 and len(token) > 40 and token not in added.err
    options = ("--host", "0.0.0.0", "--token-file", tokens, "--tls-cert", certificate, "--tls-key", key)
    with service(*options, "--workers", "1", "--style", "redact", cwd=tmp_path) as up:
        context = ssl.create_default_context(cafile=str(certificate))
        connection = http.client.HTTPSConnection("localhost", up.port, context=context, timeout=60)
        connection.request(
            "POST",
            "/v1/mask",
            json.dumps({"text": NOTE}),
            {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
        )
        answer = connection.getresponse()
        assert answer.status == 200 and "█" in json.loads(answer.read())["text"]
        form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://localhost:{up.port}"}
        connection.request("POST", "/login", f"token={token}", form)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303 and "secure" in (answer.getheader("set-cookie") or "").lower()
        connection.close()
        assert up.stop() == 0
    said = b"".join(up.err)
    assert b"without TLS" not in said and token.encode() not in said
    assert b'"reviewer":"ada"' in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0"), "needs a token"),
        (("--model", "no-such-folder"), "no-such-folder: no such model folder"),
        (("--policy", "nope"), "unknown policy; known: gdpr"),
        (("--style", "nope"), "--style: unknown value 'nope'"),
        (("--tls-cert", "x.pem"), "both a certificate and its key"),
        (("--token-file", "missing"), "missing: No such file"),
        (("--add-reviewer", "ada"), "--token-file FILE"),
        (("--key-file", "missing.key"), "missing.key: No such file"),
        (("--access-log", "no/such/folder"), "no/such/folder: No such file"),
    ],
)
def test_what_cannot_be_started_is_told_in_a_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = deidlab(capsys, "serve", "--workers", "1", "--port", "0", *arguments)
    assert done.status == (2 if "unknown value" in said else 1)
    assert said in done.err and "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith("deidlab: ")


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = deidlab(capsys, "serve", "--workers", "1", "--port", port)
    assert done.status == 1 and f"port {port}: Address already in use" in done.err


def test_no_secret_can_be_given_on_the_command_line_and_every_option_is_described() -> None:
    command = all_commands()["serve"]
    options = {name for each in command.params for name in each.opts if name.startswith("--")}
    assert "--token-file" in options and "--token" not in options and "--key" not in options
    page = (Path(__file__).parents[2] / "docs" / "serve.md").read_text()
    assert not [option for option in options if f"`{option}" not in page]


def test_workers_end_with_their_server(tmp_path: Path) -> None:
    with service("--workers", "2", cwd=tmp_path) as up:
        children = Path(f"/proc/{up.process.pid}/task/{up.process.pid}/children").read_text().split()
        assert len(children) == 2
        up.process.kill()
        up.process.wait(30)
        deadline = time.monotonic() + 20
        while any(
            Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text().split()[2]
            for child in children
        ):
            assert time.monotonic() < deadline, "a worker outlived its server"
            time.sleep(0.1)
