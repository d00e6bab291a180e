"""What stands behind the `?` of an address: a name that its route does not know is refused, as in a body."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from deidlab.web.answers import Refusal


def refuse_unknown_query(request: Request) -> None:
    """A misspelt option would be left out in silence, and the note masked another way than was asked."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = [
        name
        for field in route.dependant.query_params
        for name in _names(field.alias, field.field_info.annotation)
    ]
    if not set(request.query_params) <= set(known):
        listed = f"known: {', '.join(known)}" if known else "it takes none; options are fields of the body"
        raise Refusal(422, "wrong-field", f"query: this address does not take such an option; {listed}")


def _names(alias: str, taken: Any) -> list[str]:
    """One option's name, or those of all that a model of options holds."""
    return list(taken.model_fields) if _is_model(taken) else [alias]


def _is_model(taken: Any) -> bool:
    return isinstance(taken, type) and issubclass(taken, BaseModel)
