"""The routes of the reading of a sample: what stands beside a masked note, and why it leaks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from deidlab.web.api_models import Text
from deidlab.web.reading_store import Remark, read_beside, read_remark, write_remark
from deidlab.web.review import Desk, Number, Reviewer, find_layer, refusing
from deidlab.web.review_models import Body

router = APIRouter(prefix="/review/api/reading")


class RemarkBody(Body):
    """Why a note leaks; `settle` means the shared layer of a note that two people read."""

    reason: Text = Field("", max_length=32)
    said: Text = Field("", max_length=2000, repr=False)
    settle: bool = False


@router.get("/{number}")
def show_beside(number: Number, desk: Desk, reviewer: Reviewer, settle: bool = False) -> dict[str, Any]:
    with refusing():
        layer = find_layer(desk, number, reviewer, settle)
        places, pieces = read_beside(desk.store, number)
        remark = read_remark(desk.store, number, layer)
    original = None if pieces is None else [asdict(piece) for piece in pieces]
    return {"places": places, "original": original, "reason": remark.reason, "said": remark.said}


@router.put("/{number}")
def keep_remark(number: Number, body: RemarkBody, desk: Desk, reviewer: Reviewer) -> dict[str, Any]:
    with refusing():
        layer = find_layer(desk, number, reviewer, body.settle)
        write_remark(desk.store, number, layer, Remark(body.reason, body.said))
    return {"reason": body.reason, "said": body.said}
