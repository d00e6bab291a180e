"""HTTP on a connection, within bounds: how large and slow a head may be, how long a client may not read."""

from __future__ import annotations

import asyncio

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_MOST_HEAD_BYTES = 32 * 1024


def bounded_protocol(stall_seconds: float) -> type[asyncio.Protocol]:
    """A protocol for uvicorn that gives up on clients whose head never ends, and on those that never read."""

    class BoundedProtocol(HttpToolsProtocol):
        _head_bytes = 0
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._give_time()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def on_message_begin(self) -> None:
            self._head_bytes = 0
            self._give_time()
            super().on_message_begin()

        def on_url(self, url: bytes) -> None:
            self._count(len(url))
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self._count(len(name) + len(value))
            super().on_header(name, value)

        def on_headers_complete(self) -> None:
            self._stop_timer()
            super().on_headers_complete()

        def pause_writing(self) -> None:
            self._give_time()
            super().pause_writing()

        def resume_writing(self) -> None:
            self._stop_timer()
            super().resume_writing()

        def _count(self, n_bytes: int) -> None:
            self._head_bytes += n_bytes
            if self._head_bytes > _MOST_HEAD_BYTES:
                # The parser turns this into its own error, and uvicorn that into a 400.
                raise httptools.HttpParserError("the head of the request is too large")

        def _give_time(self) -> None:
            """End the connection unless something moves; closing would wait for the client to read."""
            self._stop_timer()
            self._timer = self.loop.call_later(stall_seconds, self.transport.abort)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return BoundedProtocol
