"""What stands behind the `?` of an address: a name that its route does not know is refused, as in a body."""

from __future__ import annotations

from fastapi import Request
from fastapi.routing import APIRoute

from deidlab.web.answers import Refusal


def refuse_unknown_query(request: Request) -> None:
    """A misspelt option would be left out in silence, and the note masked another way than was asked."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = [field.alias for field in route.dependant.query_params]
    if not set(request.query_params) <= set(known):
        listed = f"known: {', '.join(known)}" if known else "it takes none; options are fields of the body"
        raise Refusal(422, "wrong-field", f"query: this address does not take such an option; {listed}")
