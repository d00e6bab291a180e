"""Who is asking: a bearer token of a program, or the cookie of a browser that logged in once.

Everything needs one of the two as soon as there are tokens, except the few open addresses; without tokens
whoever reaches the server is the one reviewer of the settings. Routes depend on `current_reviewer`.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from deidlab.web.answers import error_answer
from deidlab.web.settings import ServeSettings

COOKIE = "deidlab_session"
TRUST = "deidlab.trust"
"""The ASGI extension by which a connection hears that it is no stranger's; other servers have none."""
OPEN = ("/healthz", "/login", "/logout", "/favicon.ico")
OPEN_BELOW = ("/static/",)
SESSION_SECONDS = 12 * 3600
_MOST_SESSIONS = 1000


def current_reviewer(request: HTTPConnection) -> str:
    """The name of who is asking; the gate has let nobody else through."""
    return str(request.scope["state"]["reviewer"])


class Sessions:
    """Browsers that have logged in. Only digests of their cookies are held; a restart forgets them all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def start(self, reviewer: str) -> str:
        """A new cookie's value for that reviewer."""
        value = secrets.token_urlsafe(32)
        self._open[_digest(value)] = (reviewer, self._clock() + SESSION_SECONDS)
        while len(self._open) > _MOST_SESSIONS:
            self._open.popitem(last=False)
        return value

    def find(self, value: str) -> str | None:
        reviewer, until = self._open.get(_digest(value), (None, 0.0))
        if reviewer is not None and until < self._clock():
            self.end(value)
            return None
        return reviewer

    def end(self, value: str) -> None:
        self._open.pop(_digest(value), None)


class AuthGate:
    """Lets through whoever has a token or a session, and tells the routes who it is."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, sessions: Sessions) -> None:
        self._app, self._settings, self._sessions = app, settings, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        reviewer = self._settings.reviewer
        if self._settings.tokens:
            found = self.find(connection)
            if found is None and not is_open(scope["path"]):
                await self._refuse(connection)(scope, receive, send)
                return
            reviewer = found or ""
        scope.setdefault("state", {})["reviewer"] = reviewer
        if reviewer and TRUST in (scope.get("extensions") or {}):
            scope["extensions"][TRUST]["call"]()
        await self._app(scope, receive, send)

    def find(self, connection: HTTPConnection) -> str | None:
        """Who is asking, by the token or by the cookie."""
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._settings.tokens.find(token.strip())
        value = read_cookie(connection.headers)
        return self._sessions.find(value) if value else None

    def _refuse(self, connection: HTTPConnection) -> Response:
        wants_page = "text/html" in connection.headers.get("accept", "")
        if wants_page and connection.scope["method"] == "GET":
            return RedirectResponse(f"/login?next={quote(connection.scope['path'], safe='/')}", 303)
        message = "send a token: Authorization: Bearer TOKEN; people log in at /login"
        return error_answer(401, "no-token", message, headers={"WWW-Authenticate": "Bearer"})


def is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)


def read_cookie(headers: Headers) -> str | None:
    """The session cookie's value, where there is one."""
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None


def set_cookie(response: Response, value: str, secure: bool) -> None:
    """Give the browser its session: unseen by scripts, and never sent from another site's page."""
    response.set_cookie(
        COOKIE, value, max_age=SESSION_SECONDS, path="/", secure=secure, httponly=True, samesite="strict"
    )


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
