"""An address in, a system that is asked over HTTP out: the same JSON as on standard input, a request a note.

Notes leave this process for that address and nowhere else: no proxy, no redirect. An address beyond loopback
has to be named once more (`--allow-host`).
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from deidlab.errors import ConfigError
from deidlab.systems.contract import (
    MAX_ANSWER_BYTES,
    Answer,
    SystemFacts,
    SystemFailure,
    parse_object,
    read_answer,
    read_facts,
    write_question,
)
from deidlab.systems.process import Limits, check_patience
from deidlab.systems.usage import Usage


@dataclass(slots=True)
class ServiceSystem:
    """A service that answers a POST of one note; what its first answer tells of it is kept."""

    url: str
    limits: Limits
    facts: SystemFacts = field(default_factory=SystemFacts)
    usage: Usage = field(default_factory=Usage)
    _number: int = 0
    _failures: int = 0

    def open(self) -> None:
        """Nothing to start: it runs already."""

    def find(self, text: str) -> Answer:
        """What it finds in one text."""
        check_patience(self._failures)
        self._number += 1
        try:
            table = parse_object(self._post(write_question(self._number, text)))
        except SystemFailure as failure:
            self._failures += failure.fatal
            raise
        self._failures = 0
        if "limit" in table or "scheme" in table:
            self.facts = read_facts(table)
        return read_answer(table, self._number, text)

    def _post(self, body: bytes) -> bytes:
        parts = urlsplit(self.url)
        connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = connect(parts.hostname or "", parts.port, timeout=self.limits.note)
        late = threading.Event()
        # The library's own limit is for each piece that arrives, not for the whole of an answer.
        connected: list[socket.socket] = []
        watch = threading.Timer(self.limits.note, _hang_up, (connected, late))
        watch.daemon = True
        watch.start()
        try:
            connection.connect()
            connected.append(connection.sock)
            place = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", place, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            said = response.read(MAX_ANSWER_BYTES + 1)
        except (OSError, ValueError, http.client.HTTPException) as error:
            # The library's words may quote the request.
            slow = late.is_set() or isinstance(error, TimeoutError)
            why = f"took longer than {self.limits.note:g} seconds" if slow else "could not be reached"
            raise SystemFailure(why, fatal=True) from None
        finally:
            watch.cancel()
            connection.close()
        if late.is_set():
            raise SystemFailure(f"took longer than {self.limits.note:g} seconds", fatal=True)
        if response.status != http.client.OK:
            raise SystemFailure(f"answered with status {response.status}")
        if len(said) > MAX_ANSWER_BYTES:
            raise SystemFailure("answered without end")
        return said

    def close(self) -> None:
        """Nothing to end."""


def _hang_up(connected: list[socket.socket], late: threading.Event) -> None:
    late.set()
    for each in connected:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def check_url(url: str, allowed: tuple[str, ...]) -> str:
    """The address, where notes may go there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("a service is given as http:http://HOST:PORT/PATH")
    if parts.username or parts.password:
        raise ConfigError("a name and a password do not belong into a service's address")
    if not _is_loopback(parts.hostname) and parts.hostname not in allowed:
        raise ConfigError(
            f"notes would leave this machine for {parts.hostname}: "
            f"say --allow-host {parts.hostname} if they may"
        )
    return url


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
