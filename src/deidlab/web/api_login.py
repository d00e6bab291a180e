"""`/login` and `/logout`: a reviewer's token once, and a cookie from then on."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from deidlab.web.answers import Refusal
from deidlab.web.auth import COOKIE, Sessions, read_cookie, set_cookie
from deidlab.web.pages import templates
from deidlab.web.settings import ServeSettings

_MOST_BYTES = 8 * 1024
_WRONG = "This token is not known here."

router = APIRouter(include_in_schema=False)


@router.get("/login")
async def show_login(request: Request) -> Response:
    """The form; nothing to do where there are no tokens."""
    settings: ServeSettings = request.app.state.settings
    if not settings.tokens:
        return RedirectResponse("/", 303)
    return _page(safe_next(request.query_params.get("next", "/")))


@router.post("/login")
async def log_in(request: Request) -> Response:
    """Take a token, give a cookie."""
    settings: ServeSettings = request.app.state.settings
    sessions: Sessions = request.app.state.sessions
    token, target = await _read_form(request)
    reviewer = settings.tokens.find(token)
    if reviewer is None:
        return _page(target, _WRONG, 401)
    response = RedirectResponse(target, 303)
    set_cookie(response, sessions.start(reviewer), request.url.scheme == "https")
    return response


@router.post("/logout")
async def log_out(request: Request) -> Response:
    """Forget this browser."""
    sessions: Sessions = request.app.state.sessions
    if value := read_cookie(request.headers):
        sessions.end(value)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


async def _read_form(request: Request) -> tuple[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refusal(415, "wrong-content", "send the form of /login")
    body = await request.body()
    if len(body) > _MOST_BYTES:
        raise Refusal(413, "too-large", "a token is shorter than that")
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=4)
        if not fields.keys() <= {"token", "next"}:
            raise ValueError
    except ValueError:
        raise Refusal(422, "wrong-field", "this is not the form of /login") from None
    return fields.get("token", [""])[0].strip(), safe_next(fields.get("next", ["/"])[0])


def safe_next(target: str) -> str:
    """Where to go after the log-in: an address here, never on another server."""
    plain = target.isascii() and target.isprintable()
    here = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if plain and here and not target.startswith("/login") else "/"


def _page(target: str, message: str = "", status: int = 200) -> Response:
    page = templates().get_template("serve/login.html").render(message=message, next=target)
    return HTMLResponse(page, status)
