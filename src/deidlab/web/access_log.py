"""Around every request: one line in the log, the headers of every answer, and no error ever quotes a note.

A line is a JSON object with the route's template in place of the address, since an address can hold anything.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deidlab.errors import ConfigError
from deidlab.execute.tasks import describe
from deidlab.files import open_private
from deidlab.web.answers import Refusal, error_answer
from deidlab.web.metrics import Metrics

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = tuple(
    (name.lower().encode(), value.encode())
    for name, value in {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        # Not no-referrer: with that, browsers send the log-in form with `Origin: null`.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }.items()
)
_OWN = frozenset(name for name, _ in HEADERS)
UNKNOWN, STATIC = "(unknown)", "/static/"
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class AccessLog:
    """Lines to a file that only its owner reads, or to standard error."""

    def __init__(self, path: Path | None) -> None:
        self._file: IO[str] | None = None if path is None else _open_private(path)

    def write(self, **fields: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, **fields}, ensure_ascii=True, separators=(",", ":"))
        stream = self._file or sys.stderr
        stream.write(line + "\n")
        stream.flush()


def _open_private(path: Path) -> IO[str]:
    try:
        handle = open_private(path, "end")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be written'}") from None
    return os.fdopen(handle, "a", encoding="utf-8")


class Guard:
    """The outermost gate."""

    def __init__(self, app: ASGIApp, log: AccessLog, metrics: Metrics) -> None:
        self._app, self._log, self._metrics = app, log, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        else:
            await _Passage(self._app, scope, receive, send).go(self._log, self._metrics)


class _Passage:
    """One request on its way in and out."""

    def __init__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        self._app, self._scope, self._receive, self._send = app, scope, receive, send
        self._id = secrets.token_hex(8)
        self._status, self._bytes_in, self._bytes_out = 0, 0, 0
        self._fault = ""

    async def go(self, log: AccessLog, metrics: Metrics) -> None:
        started = time.perf_counter()
        metrics.under_way.inc()
        try:
            await self._pass()
        finally:
            seconds = time.perf_counter() - started
            metrics.under_way.dec()
            self._record(seconds, log, metrics)

    async def _pass(self) -> None:
        try:
            await self._app(self._scope, self._take, self._give)
        except asyncio.CancelledError:
            self._fault = "cancelled"
            raise
        except Refusal as refusal:
            await self._end(refusal)
        except ClientDisconnect:
            self._fault = "the client went away"
        except Exception as error:
            # Only the kind and the place: the message of an exception may quote the note.
            self._fault = describe(error)
            await self._end(Refusal(500, "internal", "something failed here; the log has where"))

    async def _end(self, refusal: Refusal) -> None:
        """An answer where none was begun; one that was begun is cut, so that nobody takes it for whole."""
        if self._status:
            raise ConnectionError("cut") from None
        await error_answer(refusal.status, refusal.error, refusal.message, headers=refusal.headers)(
            self._scope, self._take, self._give
        )

    async def _take(self) -> Message:
        message = await self._receive()
        self._bytes_in += len(message.get("body", b""))
        return message

    async def _give(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in _OWN]
            message = {**message, "headers": [*kept, *HEADERS, (b"x-request-id", self._id.encode())]}
        else:
            self._bytes_out += len(message.get("body", b""))
        await self._send(message)

    def _record(self, seconds: float, log: AccessLog, metrics: Metrics) -> None:
        scope = self._scope
        method = scope["method"] if scope["method"] in _METHODS else UNKNOWN
        route = route_of(scope)
        metrics.requests.labels(method, route, self._status).inc()
        metrics.seconds.labels(route).observe(seconds)
        fields: dict[str, Any] = {
            "request": self._id,
            "method": method,
            "route": route,
            "status": self._status,
            "seconds": round(seconds, 4),
            "bytes_in": self._bytes_in,
            "bytes_out": self._bytes_out,
            "client": scope["client"][0] if scope.get("client") else None,
            "reviewer": scope.get("state", {}).get("reviewer") or None,
        }
        if self._fault:
            fields["fault"] = self._fault
        log.write(**fields)


def route_of(scope: Scope) -> str:
    """The template of the route that answered, such as /v1/detect; never the address itself."""
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    if path is None and scope["path"].startswith(STATIC):
        return STATIC
    return str(path) if path else UNKNOWN
