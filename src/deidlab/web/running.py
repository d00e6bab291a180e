"""An application in, a server that listens until it is told to stop and then finishes what it accepted."""

from __future__ import annotations

import asyncio
import functools
import logging
import signal
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI

from deidlab.errors import ConfigError
from deidlab.execute.tasks import describe
from deidlab.web.heads import bounded_protocol
from deidlab.web.settings import ServeSettings

_MOST_CONNECTIONS = 2048
_BACKLOG = 512
_STOPPING = (signal.SIGINT, signal.SIGTERM)


class _Plain(logging.Formatter):
    """Log lines without tracebacks, which may quote a note: only the kind and the place of an error."""

    def format(self, record: logging.LogRecord) -> str:
        said = f"deidlab: {record.getMessage().strip().splitlines()[0]}"
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        return said if error is None else f"{said}: {describe(error)}"


class Server(uvicorn.Server):
    """uvicorn's server, which has no option for how long a TLS handshake may take: asyncio gives a minute."""

    handshake_seconds = 10.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self.config.is_ssl:
            loop: Any = asyncio.get_running_loop()
            loop.create_server = functools.partial(
                loop.create_server, ssl_handshake_timeout=self.handshake_seconds
            )
        await super().startup(sockets)


def make_server(app: FastAPI, settings: ServeSettings) -> Server:
    server = Server(configure(app, settings))
    server.handshake_seconds = settings.limits.stranger_seconds
    return server


def serve(app: FastAPI, settings: ServeSettings, tell: Callable[[str], None]) -> None:
    """Listen until SIGTERM or Ctrl-C; then take nothing new and finish what is under way."""
    quiet_logs()
    listener = listen(settings)
    try:
        asyncio.run(_serve(app, settings, listener, tell))
    finally:
        listener.close()


async def _serve(
    app: FastAPI, settings: ServeSettings, listener: socket.socket, tell: Callable[[str], None]
) -> None:
    # The workers come first: what is wrong with a model is told before anybody can ask.
    async with app.state.batcher:
        listener.listen(_BACKLOG)
        tell(f"listening on {address_of(settings, listener)} (Ctrl-C stops it)")
        # uvicorn heeds these while it runs, and passes them on when it has finished: they have been heeded.
        before = {each: signal.signal(each, lambda number, frame: None) for each in _STOPPING}
        try:
            await make_server(app, settings).serve(sockets=[listener])
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def configure(app: FastAPI, settings: ServeSettings) -> uvicorn.Config:
    secure: dict[str, Any] = {}
    if settings.tls_certificate is not None and settings.tls_key is not None:
        secure = {"ssl_certfile": str(settings.tls_certificate), "ssl_keyfile": str(settings.tls_key)}
    return uvicorn.Config(
        app,
        http=bounded_protocol(settings.limits, settings.proxies),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=settings.limits.drain_seconds,
        **secure,
    )


def listen(settings: ServeSettings) -> socket.socket:
    """A socket that listens where the settings say; port 0 takes a free one."""
    try:
        infos = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = infos[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        said = error.strerror or "cannot be listened on"
        raise ConfigError(f"{settings.host}, port {settings.port}: {said}; try another --port") from None
    return listener


def address_of(settings: ServeSettings, listener: socket.socket) -> str:
    scheme = "https" if settings.tls_certificate is not None else "http"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{scheme}://{host}:{listener.getsockname()[1]}"


def quiet_logs() -> None:
    """Have the libraries' own loggers say little, and nothing of a note."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Plain())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "fastapi"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.ERROR)
