"""Which Host and Origin a request may name, so that no page of another site can reach a server on loopback.

A page that points its own name at 127.0.0.1 (DNS rebinding) sends that name as Host; a page of another
origin, another port of this machine included, sends its Origin or a Sec-Fetch-Site. Both are refused.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from deidlab.web.answers import error_answer
from deidlab.web.settings import LOOPBACK, ServeSettings

_DEFAULT_PORTS = {"http": 80, "https": 443}


class HostGate:
    """Refuses a Host that is not this server's, and whatever comes from a page of another origin."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._names = allowed_hosts(settings)
        # An address cannot be rebound: only names can be pointed somewhere else.
        self._takes_addresses = not settings.is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            message = "the Host header does not name this server; --allow-host NAME adds a name"
            await error_answer(421, "wrong-host", message)(scope, receive, send)
        elif not _same_origin(headers, hosts[0], str(scope["method"])):
            message = "the request comes from a page of another origin"
            await error_answer(403, "wrong-origin", message)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        return name is not None and (name in self._names or (self._takes_addresses and _is_address(name)))


def allowed_hosts(settings: ServeSettings) -> frozenset[str]:
    """The names by which this server may be called, without port."""
    names = {*LOOPBACK, *settings.hosts}
    if settings.host not in ("0.0.0.0", "::", ""):
        names.add(settings.host)
    if not settings.is_local:
        names.add(socket.gethostname())
    return frozenset(host_name(name) or name.lower().strip("[]") for name in names)


def host_name(host: str) -> str | None:
    """The name in a Host header, or None where it is not one."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return None
    return parts.hostname


def _same_origin(headers: Headers, host: str, method: str) -> bool:
    origins = headers.getlist("origin")
    if origins:
        asked = _place(origins[0])
        return len(origins) == 1 and asked is not None and asked == _place(f"{_scheme(origins[0])}://{host}")
    site = headers.get("sec-fetch-site", "none")
    if site in ("same-origin", "none"):
        return True
    # A link on another page may lead here; nothing else may come from there.
    return method == "GET" and headers.get("sec-fetch-mode") == "navigate"


def _scheme(origin: str) -> str:
    return origin.partition(":")[0].lower()


def _place(origin: str) -> tuple[str, int] | None:
    """Name and port of an origin; a proxy may take TLS off, so the scheme only tells the port."""
    try:
        parts = urlsplit(origin)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
