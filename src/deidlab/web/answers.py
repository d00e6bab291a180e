"""Errors as clients see them: one shape, a word for programs, a message for people, nothing of the input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse


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
    content = {"error": error, "message": message, "where": where or []}
    return JSONResponse(content, status, headers=dict(headers or {}))


def describe_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route for its OpenAPI description."""
    return {status: {"model": ErrorAnswer, "description": MEANINGS[status]} for status in statuses}


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
