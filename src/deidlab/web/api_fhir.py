"""`POST /v1/fhir/$de-identify`: a FHIR resource or bundle in, the same out, with its PHI masked.

It goes through the carrier of FHIR and the masking of all notes, in a worker: nothing of it is read here.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from deidlab.mask import own_patient
from deidlab.web.answers import FHIR_JSON, FHIR_ROUTES, Refusal, describe_outcomes
from deidlab.web.api_examples import FHIR_EXAMPLE, FHIR_MASKED, FHIR_PARAMETERS
from deidlab.web.api_models import MaskQuery
from deidlab.web.api_notes import check_answer
from deidlab.web.jobs import Job
from deidlab.web.queries import refuse_unknown_query
from deidlab.web.settings import ServeSettings

_TAKEN = (FHIR_JSON, "application/json")
_RESOURCE = {
    "type": "object",
    "properties": {"resourceType": {"type": "string"}},
    "required": ["resourceType"],
}
router = APIRouter(prefix=FHIR_ROUTES, tags=["notes"], dependencies=[Depends(refuse_unknown_query)])


@router.post(
    "/$de-identify",
    response_class=Response,
    responses={
        **describe_outcomes(401, 403, 408, 413, 415, 421, 422, 429),
        200: {
            "description": "The resource, masked.",
            "content": {FHIR_JSON: {"schema": _RESOURCE, "example": FHIR_MASKED}},
        },
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A resource, a bundle of one patient's, or Parameters with one as `resource`.",
            "content": {
                FHIR_JSON: {
                    "schema": _RESOURCE,
                    "examples": {
                        "a resource": {"value": FHIR_EXAMPLE},
                        "as a parameter": {"value": FHIR_PARAMETERS},
                    },
                }
            },
        }
    },
)
async def de_identify(request: Request, query: Annotated[MaskQuery, Query()]) -> Any:
    """Mask a FHIR resource or bundle.

    Keys, family names and date shifts of a patient are the same in every request; what belongs together is
    best sent as a bundle. What no table knows is removed, and what its place cannot hold, such as a tag in a
    date, is left out as the standard has it.
    """
    settings: ServeSettings = request.app.state.settings
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TAKEN:
        raise Refusal(415, "wrong-content", f"send FHIR as JSON, with Content-Type: {FHIR_JSON}")
    model = settings.find_model(query.model)
    job = Job(
        "mask",
        model.name,
        (),
        style=query.style or settings.style,
        policy=settings.find_policy(query.policy or settings.policy).name,
        day_first=model.day_first if query.day_first is None else query.day_first,
        resource=await request.body(),
        # Of a resource that names no patient.
        stranger=own_patient(),
    )
    answer = check_answer(await request.app.state.batcher.run(job))
    return Response(answer.objects[0], media_type=FHIR_JSON)
