"""The playground on `/`: paste a note, see it masked as you type. It asks /v1/mask and keeps nothing."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from deidlab.web.pages import WEB, show

router = APIRouter()


@router.get("/")
def show_playground() -> Response:
    return show("playground")


@router.get("/favicon.ico")
def show_icon() -> Response:
    return FileResponse(WEB / "icon.svg", media_type="image/svg+xml")
