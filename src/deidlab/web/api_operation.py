"""What a server holds, whether it is well, and what it has done: `/v1/models`, `/healthz`, `/metrics`."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from deidlab.mask import known_styles
from deidlab.web.answers import describe_answers
from deidlab.web.api_models import HealthAnswer, ModelAnswer, ModelsAnswer, PolicyAnswer
from deidlab.web.metrics import CONTENT_TYPE
from deidlab.web.settings import ServeSettings

_ERRORS = describe_answers(401, 403, 408, 413, 421, 429)

router = APIRouter()


@router.get("/v1/models", tags=["notes"], responses=_ERRORS)
async def models(request: Request) -> ModelsAnswer:
    """The models, policies and styles that requests can name."""
    settings: ServeSettings = request.app.state.settings
    labels = request.app.state.batcher.labels
    first = settings.models[0].name
    policies = [settings.find_policy(name) for name in settings.policy_names()]
    return ModelsAnswer(
        models=[
            ModelAnswer(
                name=model.name,
                description=model.description,
                default=model.name == first,
                labels=list(labels.get(model.name, ())),
            )
            for model in settings.models
        ],
        policies=[
            PolicyAnswer(
                name=policy.name, description=policy.description, default=policy.name == settings.policy
            )
            for policy in policies
        ],
        styles=list(known_styles()),
        default_style=settings.style,
    )


@router.get("/healthz", tags=["operation"], responses=describe_answers(403, 421))
async def healthz() -> HealthAnswer:
    """Whether the server is up; needs no token."""
    return HealthAnswer()


@router.get(
    "/metrics",
    tags=["operation"],
    response_class=Response,
    responses={**_ERRORS, 200: {"content": {"text/plain": {}}, "description": "For Prometheus."}},
)
async def metrics(request: Request) -> Response:
    """Requests, notes, spans, seconds and memory, for Prometheus."""
    return Response(request.app.state.metrics.render(), headers={"Content-Type": CONTENT_TYPE})
