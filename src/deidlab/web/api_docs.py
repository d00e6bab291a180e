"""`/docs`: the OpenAPI description as a page of our own, which loads nothing from another host."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from deidlab.web.answers import OperationOutcome
from deidlab.web.pages import templates
from deidlab.web.settings import ServeSettings

TAGS = [
    {"name": "notes", "description": "Find PHI in notes, or mask it."},
    {"name": "operation", "description": "Whether the server is well, and what it has done."},
]
DESCRIPTION = """Send a note, get what was found in it or the note with its PHI masked. Offsets count \
Unicode code points from 0; the end is one past the last character.

Where the server asks for a token, send `Authorization: Bearer TOKEN`. An error has `error` (a word for \
programs), `message` and `where`, and never quotes what was sent."""


def complete(described: dict[str, Any], settings: ServeSettings) -> None:
    """Add what only the settings tell: the names that requests can use, and whether a token is needed."""
    names = {"model": [model.name for model in settings.models], "policy": list(settings.policy_names())}
    for schema in ("DetectRequest", "MaskRequest"):
        properties = described["components"]["schemas"][schema]["properties"]
        for field in names.keys() & properties.keys():
            _allow_only(properties[field], names[field])
    described["components"]["schemas"].update(_outcome())
    for methods in described["paths"].values():
        for parameter in methods.get("post", {}).get("parameters", ()):
            if parameter["name"] in names:
                _allow_only(parameter["schema"], names[parameter["name"]])
    if settings.tokens:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
        described["paths"]["/healthz"]["get"]["security"] = []


def _outcome() -> dict[str, Any]:
    """The shape of FHIR's errors, which no route answers as JSON of ours."""
    schema = OperationOutcome.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "OperationOutcome": schema}


def _allow_only(schema: dict[str, Any], names: list[str]) -> None:
    for option in schema["anyOf"]:
        if option["type"] == "string":
            option.clear()
            option.update(type="string", enum=names)


router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def show_docs(request: Request) -> Response:
    """The description for people."""
    described = request.app.openapi()
    routes = [
        _route(method, path, operation, described["components"]["schemas"])
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    page = (
        templates()
        .get_template("serve/docs.html")
        .render(
            description=DESCRIPTION,
            openapi=described["openapi"],
            version=described["info"]["version"],
            routes=routes,
            with_code=_with_code,
        )
    )
    return HTMLResponse(page)


@dataclass(frozen=True, slots=True)
class DocField:
    """A field of a request: the words that it may be, or else the kinds of its values."""

    name: str
    words: list[str]
    kinds: list[str]
    said: str
    needed: bool = False


def _route(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    answers = operation["responses"]
    return {
        "method": method,
        "path": path,
        "said": operation.get("description", ""),
        "fields": [*_parameters(operation), *_fields(operation, schemas)],
        "sent": _examples(operation.get("requestBody", {})),
        "got": _examples(answers.get("200", {})),
        "answers": [(status, answer["description"]) for status, answer in sorted(answers.items())],
    }


def _parameters(operation: dict[str, Any]) -> list[DocField]:
    """What stands in the address."""
    return [
        DocField(f"?{each['name']}", *_choices(each["schema"]), each.get("description", ""))
        for each in operation.get("parameters", ())
        if each["in"] == "query"
    ]


def _fields(operation: dict[str, Any], schemas: dict[str, Any]) -> list[DocField]:
    """The same of a JSON body."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = schemas.get(body.get("$ref", "").rpartition("/")[2], {})
    needed = schema.get("required", ())
    return [
        DocField(name, *_choices(each), each["description"], name in needed)
        for name, each in schema.get("properties", {}).items()
    ]


def _choices(schema: dict[str, Any]) -> tuple[list[str], list[str]]:
    options = [schema, *schema.get("anyOf", ())]
    words = [str(word) for option in options for word in option.get("enum", ())]
    kinds = [option["type"] for option in options if option.get("type", "null") != "null"]
    return words, kinds


def _examples(body: dict[str, Any]) -> list[str]:
    """A body's examples as people would write them."""
    contents = body.get("content", {}).values()
    found = [each["value"] for content in contents for each in content.get("examples", {}).values()]
    found += [content["example"] for content in contents if "example" in content]
    return [
        each.rstrip("\n") if isinstance(each, str) else json.dumps(each, indent=2, ensure_ascii=False)
        for each in found
    ]


def _with_code(text: str) -> Markup:
    """Text with what stands in `backticks` as code."""
    parts = enumerate(text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part) for index, part in parts
    )
