"""HTTP on a connection, within bounds: how large and slow a head may be, how long a client may not read.

A connection is a stranger's until a request on it shows a token; until then all that it asks for, body and
answer included, has to be over soon, and there may only be so many. A connection of a trusted proxy is that
of whoever each request on it comes from, and a token shown in one request says nothing of the next.
"""

from __future__ import annotations

import asyncio

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from deidlab.web.auth import TRUST
from deidlab.web.proxies import NO_PROXIES, Proxies
from deidlab.web.settings import Limits
from deidlab.web.strangers import Strangers

_MOST_HEAD_BYTES = 32 * 1024


def bounded_protocol(limits: Limits, proxies: Proxies = NO_PROXIES) -> type[asyncio.Protocol]:
    """A protocol for uvicorn that gives up on clients whose head never ends, and on those that never read."""
    strangers = Strangers(limits.strangers)
    stranger_seconds = min(limits.stranger_seconds, limits.stall_seconds)

    class BoundedProtocol(HttpToolsProtocol):
        _head_bytes = 0
        _timer: asyncio.TimerHandle | None = None
        _is_stranger = True
        _counted = ""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            # Whose a proxy's connection is, only a head tells.
            if not self._is_shared:
                self._count_in(self._peer)
            self._give_time()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            strangers.remove(self, self._counted)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            # The rest of a body that was refused could come for ever, if nobody looked at the clock.
            if self._is_stranger and self._timer is None:
                self._give_time()
            super().data_received(data)

        def on_message_begin(self) -> None:
            self._head_bytes = 0
            if self._is_shared and (self.cycle is None or self.cycle.response_complete):
                self._is_stranger = True
            self._give_time()
            super().on_message_begin()
            self.scope["extensions"] = {TRUST: {"call": self._trust}}

        def on_url(self, url: bytes) -> None:
            self._count(len(url))
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self._count(len(name) + len(value))
            super().on_header(name, value)

        def on_headers_complete(self) -> None:
            if self._is_shared:
                self._find_client()
            if not self._is_stranger:
                self._stop_timer()
            super().on_headers_complete()

        def on_response_complete(self) -> None:
            self._stop_timer()
            if self._is_shared:
                strangers.remove(self, self._counted)
            super().on_response_complete()

        def pause_writing(self) -> None:
            self._give_time()
            super().pause_writing()

        def resume_writing(self) -> None:
            self._stop_timer()
            super().resume_writing()

        @property
        def _peer(self) -> str:
            return self.client[0] if self.client else ""

        @property
        def _is_shared(self) -> bool:
            """Whether requests of several clients come this way."""
            return bool(proxies) and proxies.trusts(self._peer)

        def _find_client(self) -> None:
            """Have limits and log go by whoever is behind the proxy."""
            host = proxies.client(self._peer, self.headers)
            self.scope["client"] = (host, 0)
            if proxies.is_secure(self._peer, self.headers):
                self.scope["scheme"] = "https"
            if self._is_stranger:
                self._count_in(host)

        def _count_in(self, host: str) -> None:
            """Count the connection as a stranger's of that address, and of no other."""
            strangers.remove(self, self._counted)
            self._counted = host
            strangers.add(self, host, self.transport.abort)

        def _trust(self) -> None:
            """A token was shown on this connection: it may take its time from now on."""
            if self._is_stranger:
                self._is_stranger = False
                strangers.remove(self, self._counted)
                self._stop_timer()

        def _count(self, n_bytes: int) -> None:
            self._head_bytes += n_bytes
            if self._head_bytes > _MOST_HEAD_BYTES:
                # The parser turns this into its own error, and uvicorn that into a 400.
                raise httptools.HttpParserError("the head of the request is too large")

        def _give_time(self) -> None:
            """End the connection unless something moves; closing would wait for the client to read."""
            self._stop_timer()
            seconds = stranger_seconds if self._is_stranger else limits.stall_seconds
            self._timer = self.loop.call_later(seconds, self.transport.abort)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return BoundedProtocol
