"""`/docs`: the OpenAPI description as a page of our own, which loads nothing from another host."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from deidlab.web.api_login import read_page
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
    for parameter in described["paths"]["/v1/batch"]["post"]["parameters"]:
        if parameter["name"] in names:
            _allow_only(parameter["schema"], names[parameter["name"]])
    if settings.tokens:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
        described["paths"]["/healthz"]["get"]["security"] = []


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
    page = read_page("docs.html").substitute(
        description="".join(f"<p>{_with_code(part)}</p>" for part in DESCRIPTION.split("\n\n")),
        openapi=html.escape(described["openapi"]),
        version=html.escape(described["info"]["version"]),
        routes="\n".join(routes),
    )
    return HTMLResponse(page)


def _route(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    title = f'<h2><span class="method">{method.upper()}</span> {html.escape(path)}</h2>'
    said = "".join(f"<p>{_with_code(part)}</p>" for part in operation.get("description", "").split("\n\n"))
    rows = [*_parameters(operation), *_fields(operation, schemas)]
    parts = [
        title,
        said,
        _table(("Field", "Values", "Meaning"), rows),
        _request(operation),
        _answers(operation),
    ]
    return f'<section class="card route">{"".join(parts)}</section>'


def _parameters(operation: dict[str, Any]) -> list[tuple[str, ...]]:
    """Names, values and meanings of what stands in the address."""
    return [
        (f"?{each['name']}", _choices(each["schema"]), _with_code(each.get("description", "")))
        for each in operation.get("parameters", ())
        if each["in"] == "query"
    ]


def _fields(operation: dict[str, Any], schemas: dict[str, Any]) -> list[tuple[str, ...]]:
    """The same of a JSON body."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = schemas.get(body.get("$ref", "").rpartition("/")[2], {})
    needed = schema.get("required", ())
    return [
        (
            name,
            _choices(each),
            ("" if name not in needed else "Must be there. ") + _with_code(each["description"]),
        )
        for name, each in schema.get("properties", {}).items()
    ]


def _choices(schema: dict[str, Any]) -> str:
    options = [schema, *schema.get("anyOf", ())]
    words = [str(word) for option in options for word in option.get("enum", ())]
    kinds = [option["type"] for option in options if option.get("type", "null") != "null"]
    return ", ".join(f"<code>{html.escape(word)}</code>" for word in words) or html.escape(", ".join(kinds))


def _table(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """A table; the first cell of a row is a name, the others are markup already."""
    if not rows:
        return ""
    titles = "".join(f"<th>{cell}</th>" for cell in head)
    lines = "".join(
        f"<tr><td><code>{html.escape(name)}</code></td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


def _request(operation: dict[str, Any]) -> str:
    examples = [
        example
        for content in operation.get("requestBody", {}).get("content", {}).values()
        for example in _examples(content)
    ]
    shown = "".join(f"<pre>{html.escape(example)}</pre>" for example in examples)
    return f"<h3>Send</h3>{shown}" if shown else ""


def _answers(operation: dict[str, Any]) -> str:
    answers = operation["responses"]
    examples = [
        example
        for content in answers.get("200", {}).get("content", {}).values()
        for example in _examples(content)
    ]
    shown = "".join(f"<pre>{html.escape(example)}</pre>" for example in examples)
    rows = [(status, _with_code(answer["description"])) for status, answer in sorted(answers.items())]
    return f"<h3>Get</h3>{shown}{_table(('Status', 'Meaning'), rows)}"


def _examples(content: dict[str, Any]) -> list[str]:
    """A body's examples as people would write them."""
    found = [each["value"] for each in content.get("examples", {}).values()]
    if "example" in content:
        found.append(content["example"])
    return [
        each.rstrip("\n") if isinstance(each, str) else json.dumps(each, indent=2, ensure_ascii=False)
        for each in found
    ]


def _with_code(text: str) -> str:
    """Text with what stands in `backticks` as code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))
