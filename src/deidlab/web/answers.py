"""Errors as clients see them: one shape, a word for programs, a message for people, nothing of the input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

FHIR_JSON = "application/fhir+json"
FHIR_ROUTES = "/v1/fhir"


class ErrorAnswer(BaseModel):
    """Why a request was refused. The input is never quoted."""

    error: str = Field(description="A word for programs.", examples=["too-large"])
    message: str = Field(
        description="A sentence for people.", examples=["the request has more than 4,194,304 bytes"]
    )
    where: list[list[str | int]] = Field(
        default_factory=list,
        description="Which fields are meant, as far as their names are known here.",
        examples=[[["body", "style"]]],
    )


class Issue(BaseModel):
    """One thing that is wrong, as FHIR has it."""

    severity: Literal["error"] = "error"
    code: str = Field(description="A word of FHIR's issue types.", examples=["too-long"])
    diagnostics: str = Field(description="A sentence for people.")


class OperationOutcome(BaseModel):
    """Why a request to an operation of FHIR was refused. The input is never quoted."""

    resourceType: Literal["OperationOutcome"] = "OperationOutcome"  # noqa: N815 (FHIR's own name)
    issue: list[Issue]


class ErrorResponse(JSONResponse):
    """An error in the one shape, or, under the addresses of FHIR, in that of the standard."""

    def __init__(self, status: int, said: ErrorAnswer, headers: Mapping[str, str]) -> None:
        self._said, self._named = said, dict(headers)
        super().__init__(said.model_dump(), status, headers=self._named)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(f"{FHIR_ROUTES}/"):
            await super().__call__(scope, receive, send)
            return
        issue = Issue(code=_ISSUES.get(self.status_code, "processing"), diagnostics=self._said.message)
        outcome = OperationOutcome(issue=[issue]).model_dump()
        await JSONResponse(outcome, self.status_code, self._named, FHIR_JSON)(scope, receive, send)


class Refusal(HTTPException):
    """A request that is answered with an error; raise it anywhere below the application."""

    def __init__(
        self, status: int, error: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, message, headers)
        self.status, self.error, self.message = status, error, message

    def answer(self) -> JSONResponse:
        return error_answer(self.status, self.error, self.message, headers=self.headers)


def error_answer(
    status: int,
    error: str,
    message: str,
    where: list[list[str | int]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The answer in the one shape that all errors have."""
    return ErrorResponse(status, ErrorAnswer(error=error, message=message, where=where or []), headers or {})


def describe_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route for its OpenAPI description."""
    return {status: {"model": ErrorAnswer, "description": MEANINGS[status]} for status in statuses}


def describe_outcomes(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The same for a route of FHIR."""
    schema = {"$ref": "#/components/schemas/OperationOutcome"}
    return {
        status: {"description": MEANINGS[status], "content": {FHIR_JSON: {"schema": schema}}}
        for status in statuses
    }


# FHIR's words for what is wrong.
_ISSUES = {
    400: "structure",
    401: "login",
    403: "forbidden",
    404: "not-found",
    405: "not-supported",
    408: "timeout",
    413: "too-long",
    415: "not-supported",
    421: "forbidden",
    422: "invalid",
    429: "throttled",
    500: "exception",
}

MEANINGS = {
    400: "The request is not JSON that can be read.",
    401: "A token is needed, and none or a wrong one was sent.",
    403: "The request comes from a page of another origin.",
    404: "There is nothing here.",
    405: "This method is not for this address.",
    408: "The time for this request is over.",
    413: "The request is too large.",
    415: "The content is of another type than this address takes.",
    421: "The Host header names another server.",
    422: "A field is missing, unknown or wrong.",
    429: "Too much is under way; try again after the seconds in Retry-After.",
}
