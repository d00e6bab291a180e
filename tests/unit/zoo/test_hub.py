"""The hub is asked once and shortly, and told nothing."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

constants = pytest.importorskip(
    "huggingface_hub.constants", reason="the hub's library is not installed: pip install '.[train]'"
)

from deidlab.zoo.hub import hub_answers, keep_quiet, loading_options  # noqa: E402


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A hub on this machine, and what it was asked."""
    lines: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            lines.append(f"{self.command} {self.path}")
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield lines
    server.shutdown()
    thread.join()
    server.server_close()


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_hub_that_answers_is_asked_once(asked: list[str]) -> None:
    assert hub_answers()
    for _ in range(3):
        options = loading_options("someone/something")
        assert options == {"trust_remote_code": False, "local_files_only": False}
    assert asked == ["HEAD /"]


def test_without_a_hub_only_this_machine_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    assert not hub_answers()
    assert loading_options("someone/something")["local_files_only"]
    assert asked == []


def test_what_is_here_is_asked_of_nobody(tmp_path: Path, asked: list[str]) -> None:
    assert loading_options(tmp_path)["local_files_only"]
    assert asked == []


def test_telemetry_and_conversion_elsewhere_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.utils import build_hf_headers

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", False)
    monkeypatch.delenv("DISABLE_SAFETENSORS_CONVERSION", raising=False)
    keep_quiet()
    assert constants.HF_HUB_DISABLE_TELEMETRY
    assert os.environ["DISABLE_SAFETENSORS_CONVERSION"] == "1"
    assert "torch" not in build_hf_headers(library_name="x")["user-agent"]
