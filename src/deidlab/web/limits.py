"""How much and how long: requests at once, bytes of a body, seconds until the answer."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deidlab.web.answers import Refusal
from deidlab.web.settings import Limits

STREAMS = ("/v1/batch",)
UNLIMITED = ("/healthz",)
_CLOSE = {"Connection": "close"}


class LimitGate:
    """Refuses what is too much, before it is read. Streams have limits of their own, in their route."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._n_requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        if self._n_requests >= self._limits.requests:
            raise too_many(f"{self._limits.requests} requests are under way here, which is the most")
        self._n_requests += 1
        try:
            if scope["path"] in STREAMS:
                await self._app(scope, receive, send)
            else:
                await self._within_limits(scope, receive, send)
        finally:
            self._n_requests -= 1

    async def _within_limits(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._limits.body_bytes
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > most:
            raise too_large(most)
        n_bytes = 0

        async def take() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > most:
                raise too_large(most)
            return message

        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._app(scope, take, send)
        except TimeoutError:
            raise too_slow(self._limits.request_seconds) from None


def too_large(most: int) -> Refusal:
    message = f"the request has more than {most:,} bytes; send notes one by one, or use /v1/batch"
    return Refusal(413, "too-large", message, _CLOSE)


def too_slow(seconds: float) -> Refusal:
    return Refusal(408, "too-slow", f"the request took longer than {seconds:g} seconds", _CLOSE)


def too_many(message: str) -> Refusal:
    return Refusal(429, "too-many", message, {"Retry-After": "1"})
