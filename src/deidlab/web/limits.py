"""How much and how long: requests at once, bytes of a body, seconds until the answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deidlab.web.answers import Refusal
from deidlab.web.settings import Limits

STREAMS = ("/v1/batch",)
UNLIMITED = ("/healthz",)
_CLOSE = {"Connection": "close"}


class LimitGate:
    """Refuses what is too much, before it is read. Streams have limits of their own, in their route.

    Whoever has shown no token, and wants to log in, has places apart: however many there are, those who have
    shown one find theirs free.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._ours = _Places(limits.requests, limits.body_bytes, limits.request_seconds)
        seconds = min(limits.stranger_seconds, limits.request_seconds)
        self._strangers = _Places(limits.strangers, limits.stranger_bytes, seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        places = self._ours if scope.get("state", {}).get("reviewer") else self._strangers
        with places.take():
            if scope["path"] in STREAMS:
                await self._app(scope, receive, send)
            else:
                await places.within_limits(self._app, scope, receive, send)


class _Places:
    """So many requests at once, of so many bytes, in so many seconds."""

    def __init__(self, most: int, most_bytes: int, seconds: float) -> None:
        self._most, self._most_bytes, self._seconds = most, most_bytes, seconds
        self._taken = 0

    @contextlib.contextmanager
    def take(self) -> Iterator[None]:
        if self._taken >= self._most:
            raise too_many(f"{self._most} requests are under way here, which is the most")
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1

    async def within_limits(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._most_bytes:
            raise too_large(self._most_bytes)
        n_bytes = 0

        async def take() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self._most_bytes:
                raise too_large(self._most_bytes)
            return message

        try:
            async with asyncio.timeout(self._seconds):
                await app(scope, take, send)
        except TimeoutError:
            raise too_slow(self._seconds) from None


def too_large(most: int) -> Refusal:
    message = f"the request has more than {most:,} bytes; send notes one by one, or use /v1/batch"
    return Refusal(413, "too-large", message, _CLOSE)


def too_slow(seconds: float) -> Refusal:
    return Refusal(408, "too-slow", f"the request took longer than {seconds:g} seconds", _CLOSE)


def too_many(message: str) -> Refusal:
    return Refusal(429, "too-many", message, {"Retry-After": "1"})
