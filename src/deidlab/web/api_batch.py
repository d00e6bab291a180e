"""`POST /v1/batch`: notes as JSON lines in, answers as JSON lines out, while both streams flow.

A line in gives a line out, in order. Lines of one patient in a row are masked together, so that they share
tags, surrogates and date shift. What is held in memory is bounded: where a client sends and does not read,
the server stops reading.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from deidlab.web.answers import Refusal, describe_answers
from deidlab.web.api_examples import LINES_IN, LINES_OUT
from deidlab.web.api_models import BatchQuery
from deidlab.web.limits import too_many
from deidlab.web.queries import refuse_unknown_query
from deidlab.web.settings import ServeSettings
from deidlab.web.streaming import BatchOptions, BatchStream

NDJSON = "application/x-ndjson"
_TAKEN = ("", NDJSON, "application/jsonl", "application/json-lines", "text/plain", "application/octet-stream")
router = APIRouter(prefix="/v1", tags=["notes"], dependencies=[Depends(refuse_unknown_query)])


@router.post(
    "/batch",
    response_class=Response,
    responses={
        **describe_answers(401, 403, 408, 415, 421, 422, 429),
        200: {
            "description": "A line for each line: what /v1/detect (with the text) or /v1/mask answers, or "
            "`line`, `error` and `message` where the line failed.",
            "content": {NDJSON: {"schema": {"type": "string"}, "example": LINES_OUT}},
        },
    },
    openapi_extra={
        "requestBody": {
            "required": False,
            "description": "JSON lines; `text` must be there, `id`, `patient`, `spans` and `meta` (not used) "
            "may be, and `spans` must for `mask-given`.",
            "content": {NDJSON: {"schema": {"type": "string"}, "example": LINES_IN}},
        }
    },
)
async def batch(request: Request, query: Annotated[BatchQuery, Query()]) -> Any:
    """Find or mask PHI in many notes, as JSON lines. Read the answer while you send."""
    settings: ServeSettings = request.app.state.settings
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TAKEN:
        raise Refusal(415, "wrong-content", f"send JSON lines, with Content-Type: {NDJSON}")
    chosen = settings.find_model(query.model)
    options = BatchOptions(
        "detect" if query.task == "detect" else "mask",
        chosen.name,
        query.style or settings.style,
        settings.find_policy(query.policy or settings.policy).name,
        query.task == "mask-given",
        query.ids == "pseudonyms",
        chosen.day_first if query.day_first is None else query.day_first,
    )
    if not request.app.state.streams.acquire():
        raise too_many(f"{settings.limits.batches} batches are under way here, which is the most")
    return BatchStream(options, request.app.state.batcher, settings.limits, request.app.state.streams, NDJSON)
