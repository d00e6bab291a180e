"""Exceptions of routes in, answers out: what is wrong and where, and never a word of the input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deidlab.errors import DeidError
from deidlab.web.answers import MEANINGS, Refusal, error_answer

_CODES = {400: "not-json", 404: "not-found", 405: "wrong-method"}
_MOST_PROBLEMS = 20
# A field that a request made up is named by this: its name may be a piece of a note.
_UNKNOWN_FIELD = "(a field that is not known)"


def install_handlers(app: FastAPI) -> None:
    """Have every exception of a route answered in the one shape."""
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(DeidError, _answer_deid)


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = error.errors()[:_MOST_PROBLEMS]
    if any(problem["type"] == "json_invalid" for problem in problems):
        return error_answer(400, "not-json", MEANINGS[400])
    if _is_other_content(request, problems):
        return error_answer(415, "wrong-content", "send JSON, with Content-Type: application/json")
    where = [_safe_place(problem["loc"]) for problem in problems]
    return error_answer(422, "wrong-field", say_problems(problems), where)


def say_problems(problems: Sequence[Any]) -> str:
    """The first of what a validator found wrong, as one line: places and reasons, nothing of the input."""
    return "; ".join(
        f"{'.'.join(map(str, _safe_place(problem['loc'])))}: {_say(problem)}"
        for problem in problems[:_MOST_PROBLEMS]
    )


async def _answer_http(request: Request, error: Exception) -> Response:
    if isinstance(error, Refusal):
        return error.answer()
    assert isinstance(error, HTTPException)
    code, status = _CODES.get(error.status_code, "refused"), error.status_code
    return error_answer(status, code, MEANINGS.get(status, "The request was refused."), headers=error.headers)


async def _answer_deid(request: Request, error: Exception) -> Response:
    # Our own messages hold no note text.
    return error_answer(422, "cannot", str(error))


def _is_other_content(request: Request, problems: Sequence[Any]) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    return not is_json and any(tuple(problem["loc"]) == ("body",) for problem in problems)


def _safe_place(place: Sequence[str | int]) -> list[str | int]:
    return [part if isinstance(part, int) or part in KNOWN_FIELDS else _UNKNOWN_FIELD for part in place]


def _say(problem: Any) -> str:
    """What is wrong, in words that were written here or by the validator, none of them from the input."""
    kind = problem["type"]
    if kind in _SAYINGS:
        return _SAYINGS[kind]
    context = problem.get("ctx") or {}
    if kind == "literal_error" or kind == "enum":
        return f"one of {context.get('expected')} is expected"
    if kind == "value_error" and isinstance(context.get("error"), ValueError):
        return str(context["error"])
    if kind in ("string_too_long", "too_long"):
        return f"at most {context.get('max_length')} are allowed"
    if kind == "string_too_short":
        return f"at least {context.get('min_length')} characters are needed"
    return "not what is expected here"


_SAYINGS = {
    "missing": "is missing",
    "extra_forbidden": "there is no such field",
    "string_type": "a string is expected",
    "string_unicode": "holds something that is not a character",
    "bool_type": "true or false is expected",
    "bool_parsing": "true or false is expected",
    "int_type": "a whole number is expected",
    "int_from_float": "a whole number is expected",
    "int_parsing": "a whole number is expected",
    "list_type": "a list is expected",
    "model_attributes_type": "a JSON object is expected",
    "model_type": "a JSON object is expected",
    "dict_type": "a JSON object is expected",
    "greater_than_equal": "the number is too small",
    "less_than_equal": "the number is too large",
}

KNOWN_FIELDS = frozenset(
    ("body", "query", "path", "header", "text", "id", "patient", "model", "style", "policy", "spans",
     "day_first", "ids", "candidates", "words", "start", "end", "label", "score", "source", "task",
     "token", "next", "meta")
)  # fmt: skip
