"""The playground on `/`: paste a note, see it masked as you type. It asks /v1/mask and keeps nothing."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from deidlab.web.review import WEB

router = APIRouter()


@router.get("/")
def show_playground() -> Response:
    return FileResponse(WEB / "playground.html", media_type="text/html; charset=utf-8")


@router.get("/favicon.ico")
def show_icon() -> Response:
    return FileResponse(WEB / "icon.svg", media_type="image/svg+xml")
