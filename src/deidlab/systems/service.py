"""An address in, a system that is asked over HTTP out: the same JSON as on standard input, a request a note.

Notes leave this process for that address and nowhere else: no proxy, no redirect. An address beyond loopback
has to be named once more (`--allow-host`).
"""

from __future__ import annotations

import ipaddress
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from deidlab.errors import ConfigError
from deidlab.systems.contract import (
    MAX_ANSWER_BYTES,
    Answer,
    SystemFacts,
    SystemFailure,
    parse_object,
    read_answer,
    write_question,
)
from deidlab.systems.process import Limits
from deidlab.systems.usage import Usage


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(slots=True)
class ServiceSystem:
    """A service that answers a POST of one note."""

    url: str
    limits: Limits
    facts: SystemFacts = field(default_factory=SystemFacts)
    usage: Usage = field(default_factory=Usage)
    _number: int = 0

    def open(self) -> None:
        """Nothing to start: it runs already."""

    def find(self, text: str) -> Answer:
        """What it finds in one text."""
        self._number += 1
        request = urllib.request.Request(
            self.url, write_question(self._number, text), {"Content-Type": "application/json"}, method="POST"
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        began = time.monotonic()
        try:
            with opener.open(request, timeout=self.limits.note) as response:
                body = response.read(MAX_ANSWER_BYTES + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise SystemFailure(f"answered with status {error.code}") from None
        except TimeoutError:
            raise SystemFailure(f"took longer than {self.limits.note:g} seconds") from None
        except (OSError, ValueError):
            # A slow one may end as an error of the connection; the library's words may quote the request.
            slow = time.monotonic() - began >= self.limits.note
            why = f"took longer than {self.limits.note:g} seconds" if slow else "could not be reached"
            raise SystemFailure(why) from None
        if len(body) > MAX_ANSWER_BYTES:
            raise SystemFailure("answered without end")
        return read_answer(parse_object(body), self._number, text)

    def close(self) -> None:
        """Nothing to end."""


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
