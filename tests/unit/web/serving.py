"""A server in this process, on a port of its own, and a client that shows all of an answer."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from deidlab.web.app import create_app
from deidlab.web.running import listen, make_server, quiet_logs
from deidlab.web.settings import ServeSettings, rules_only


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(frozen=True)
class Served:
    """A server that is up."""

    app: FastAPI
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request; a body that is not bytes goes as JSON."""
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)  # type: ignore[arg-type]
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def post(self, path: str, body: object, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, body, named)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


RULES = (rules_only(),)
"""What the tests hold unless they say otherwise: the embedded model would only cost them time."""


@contextlib.contextmanager
def serving(settings: ServeSettings, app: FastAPI | None = None) -> Iterator[Served]:
    """The application on a free port, until the block ends; its server is ended as by SIGTERM."""
    quiet_logs()
    app = app or create_app(settings)
    listener = listen(settings)
    server = make_server(app, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive() and time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        yield Served(app, listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive(), "the server did not end"
