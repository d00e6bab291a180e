"""`POST /v1/detect` and `POST /v1/mask`: one note in, what was found or the masked note out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response

from deidlab.errors import DeidError
from deidlab.execute import Failed
from deidlab.mask import own_patient
from deidlab.types import Document, Span
from deidlab.web.answers import Refusal, describe_answers
from deidlab.web.api_examples import DETECT, DETECTED, MASK, MASKED, answering
from deidlab.web.api_models import DetectAnswer, DetectRequest, GivenSpan, MaskAnswer, MaskRequest
from deidlab.web.batching import DIED, TOO_SLOW, Batcher
from deidlab.web.jobs import Done, Job, nameless
from deidlab.web.queries import refuse_unknown_query
from deidlab.web.settings import ServeSettings

NOTE_ERRORS = describe_answers(400, 401, 403, 408, 413, 415, 421, 422, 429)
DEFAULT_ID = "note"

router = APIRouter(prefix="/v1", tags=["notes"], dependencies=[Depends(refuse_unknown_query)])


@router.post("/detect", response_model=DetectAnswer, responses={**NOTE_ERRORS, **answering(DETECTED)})
async def detect(asked: Annotated[DetectRequest, Body(openapi_examples=DETECT)], request: Request) -> Any:
    """Find PHI in a note."""
    settings: ServeSettings = request.app.state.settings
    note = _to_note(asked)
    model = settings.find_model(asked.model).name
    job = Job("detect", model, (note,), candidates=asked.candidates, words=asked.words)
    return await answer_note(request.app.state.batcher, job)


@router.post("/mask", response_model=MaskAnswer, responses={**NOTE_ERRORS, **answering(MASKED)})
async def mask(asked: Annotated[MaskRequest, Body(openapi_examples=MASK)], request: Request) -> Any:
    """Mask the PHI of a note.

    Tags are numbered, and people told apart, over this note alone: for several notes of one patient use
    /v1/batch. Surrogates and date shifts of a patient are the same in every request.
    """
    settings: ServeSettings = request.app.state.settings
    note = _to_note(asked)
    try:
        note = replace(note, spans=tuple(map(_to_span, asked.spans or ())))
    except DeidError as error:
        raise Refusal(422, "wrong-field", f"body.spans: {nameless(str(error), [note])}") from None
    model = settings.find_model(asked.model)
    job = Job(
        "mask",
        model.name,
        (note,),
        given=asked.spans is not None,
        style=asked.style or settings.style,
        policy=settings.find_policy(asked.policy or settings.policy).name,
        day_first=model.day_first if asked.day_first is None else asked.day_first,
        pseudonyms=asked.ids == "pseudonyms",
    )
    return await answer_note(request.app.state.batcher, job)


def _to_note(asked: DetectRequest | MaskRequest) -> Document:
    """The note of a request; one that names neither id nor patient is a patient of its own."""
    if asked.id is None:
        return Document(DEFAULT_ID, asked.patient or own_patient(), asked.text)
    return Document(asked.id, asked.patient or "", asked.text)


async def answer_note(batcher: Batcher, job: Job) -> Response:
    """The one object of the answer, as the worker wrote it."""
    return Response(check_answer(await batcher.run(job)).objects[0], media_type="application/json")


def check_answer(answer: Done | Failed) -> Done:
    """The answer, or the refusal that tells why there is none."""
    if isinstance(answer, Done):
        return answer
    if answer.reason == TOO_SLOW:
        raise Refusal(408, "too-slow", answer.reason)
    if answer.reason == DIED or answer.reason.startswith(("internal error", "out of memory")):
        raise Refusal(500, "internal", answer.reason)
    raise Refusal(422, "cannot", answer.reason)


def _to_span(given: GivenSpan) -> Span:
    return Span(given.start, given.end, given.label, given.score, given.source or "")
