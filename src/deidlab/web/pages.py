"""A page's name in, the page out: one frame around all of them, with the way to the others."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment
from starlette.responses import HTMLResponse, Response

from deidlab.report.pages import open_templates

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
    return templates().get_template("frame.html").render(page=PAGES[name], links=_LINKS, body=f"{name}.html")


@functools.cache
def templates() -> Environment:
    """The service's pages with their gaps; what is put into them is escaped."""
    return open_templates(WEB)
