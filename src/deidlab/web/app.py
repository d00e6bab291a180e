"""Settings in, the application out: gates around the routes of the service and of the pages.

A request passes, from the outside in: Guard (headers, access log, no error that quotes a note), HostGate,
AuthGate, LimitGate, and then its route.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

import deidlab
from deidlab.web import api_batch, api_docs, api_fhir, api_login, api_notes, api_operation
from deidlab.web.access_log import AccessLog, Guard
from deidlab.web.auth import AuthGate, Sessions
from deidlab.web.batching import Batcher
from deidlab.web.errors import install_handlers
from deidlab.web.hosts import HostGate
from deidlab.web.limits import LimitGate
from deidlab.web.metrics import Metrics
from deidlab.web.settings import ServeSettings
from deidlab.web.streaming import Slots

_PAGES = ("deidlab.web.review", "deidlab.web.reading", "deidlab.web.playground")


class Service(FastAPI):
    """The application; its description knows the settings."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            api_docs.complete(super().openapi(), self.state.settings)
        return super().openapi()


def create_app(settings: ServeSettings) -> FastAPI:
    """The application of those settings. Its workers start and end with its lifespan.

    `app.state` has `settings`, `batcher` (notes to workers), `sessions` and `metrics`.
    """
    metrics, sessions = Metrics(), Sessions()
    batcher = Batcher(settings, metrics)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # `running.serve` has started them already; under any other server they start here.
        async with contextlib.nullcontext() if batcher.is_running else batcher:
            yield

    app = Service(
        title="DeidLab",
        version=deidlab.__version__,
        summary="Find PHI in clinical notes and mask it.",
        description=api_docs.DESCRIPTION,
        openapi_tags=api_docs.TAGS,
        # Our own page takes the place of those that load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # What the framework would trace and log of a request, and send elsewhere, may quote a note.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        separate_input_output_schemas=False,
        lifespan=lifespan,
        middleware=[
            Middleware(Guard, log=AccessLog(settings.access_log), metrics=metrics),
            Middleware(HostGate, settings=settings),
            Middleware(AuthGate, settings=settings, sessions=sessions),
            Middleware(LimitGate, limits=settings.limits),
        ],
    )
    app.state.settings, app.state.batcher = settings, batcher
    app.state.sessions, app.state.metrics = sessions, metrics
    app.state.streams = Slots(settings.limits.batches)
    install_handlers(app)
    for router in (
        api_notes.router,
        api_batch.router,
        api_fhir.router,
        api_operation.router,
        api_login.router,
        api_docs.router,
    ):
        app.include_router(router)
    include_pages(app)
    return app


def include_pages(app: FastAPI) -> None:
    """The review page and the playground with their files."""
    for name in _PAGES:
        router = importlib.import_module(name).router
        assert isinstance(router, APIRouter)
        app.include_router(router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=static_folder()), name="static")


def static_folder() -> Path:
    """Where the pages' style sheets, scripts and pictures lie."""
    return Path(str(resources.files("deidlab").joinpath("data", "web")))
