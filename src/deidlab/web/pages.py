"""A page's name in, the page out: one frame around all of them, with the way to the others."""

from __future__ import annotations

import functools
import string
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import HTMLResponse, Response

WEB = Path(__file__).parents[1] / "data" / "web"
_LINKS = {
    "/": "Playground",
    "/review": "Review",
    "/review/agreement": "Agreement",
    "/review/changes": "Retrained",
}


@dataclass(frozen=True, slots=True)
class Page:
    """What a page puts into the frame; `here` is the address that is marked as the present one."""

    title: str
    here: str
    script: str
    skip: str
    style: str = ""
    tools: str = ""


PAGES = {
    "playground": Page("Playground", "/", "playground.js", "Skip to the note", "playground.css"),
    "review": Page(
        "Review", "/review", "review/main.js", "Skip to the note", "review.css", "review-tools.html"
    ),
    "agreement": Page("Agreement", "/review/agreement", "agreement.js", "Skip to the figures"),
    "changes": Page("Retrained model", "/review/changes", "changes.js", "Skip to the figures"),
    "no-review": Page("No review", "/review", "page.js", "Skip to the page"),
}


def show(name: str, status: int = 200) -> Response:
    return HTMLResponse(build_page(name), status)


@functools.cache
def build_page(name: str) -> str:
    page = PAGES[name]
    return string.Template(_read("frame.html")).substitute(
        title=page.title,
        style=f'<link rel="stylesheet" href="/static/{page.style}">\n' if page.style else "",
        script=page.script,
        skip=page.skip,
        links="\n".join(_link(address, text, address == page.here) for address, text in _LINKS.items()),
        tools=_read(page.tools) if page.tools else "",
        body=_read(f"{name}.html"),
    )


def _link(address: str, text: str, is_here: bool) -> str:
    marked = ' aria-current="page"' if is_here else ""
    return f'      <li><a href="{address}"{marked}>{text}</a></li>'


def _read(name: str) -> str:
    return (WEB / name).read_text("utf-8")
