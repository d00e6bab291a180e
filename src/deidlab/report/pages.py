"""What a page shows in, one HTML file out that needs nothing else: the frame around every report.

Templates lie in `templates/` with the one style and the one script of all pages. All that is put into them
is escaped. A page loads nothing from anywhere: its content policy names the fingerprints of its own style and
script and forbids the rest. Without the script only sorting, searching and the switch of colours are missing.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from deidlab.evaluate.intervals import Interval
from deidlab.report.tables import Column, Value

if TYPE_CHECKING:
    from jinja2 import Environment


class Card(NamedTuple):
    """What a reader wants first. `warns` is for what should not be so."""

    name: str
    value: str
    more: str = ""
    warns: bool = False


def render_page(template: str, title: str, *, with_script: bool = True, **values: Any) -> str:
    """The page that a template makes of the values, in the frame."""
    from markupsafe import Markup

    style, script = _asset("page.css"), _asset("page.js") if with_script else ""
    policy = (
        f"default-src 'none'; style-src '{_fingerprint(style)}'; "
        + (f"script-src '{_fingerprint(script)}'; " if script else "")
        + "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = _templates().get_template(template)
    # Both are files of ours, and would not work escaped.
    return page.render(title=title, policy=policy, style=Markup(style), script=Markup(script), **values)


def open_templates(folder: Traversable) -> Environment:
    """The templates of a folder: what they are given is escaped, and a missing value an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text("utf-8")),
        autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


@functools.cache
def _templates() -> Environment:
    found = open_templates(resources.files(__package__) / "templates")
    found.filters |= {
        "zip": zip,
        "plain_number": _plain_number,
        "runs_of_groups": _runs_of_groups,
        "minute": show_minute,
    }
    return found


def show_minute(time: str) -> str:
    """A time of a record, in UTC, as people read it."""
    return f"{time[:16].replace('T', ' ')} UTC" if "T" in time else time


def _plain_number(value: Value) -> float | None:
    """What a column is sorted by."""
    found = value.value if isinstance(value, Interval) else value
    return None if isinstance(found, str) else found


def _runs_of_groups(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """The headings above the columns, and how many columns each spans."""
    runs = [(name, len(list(run))) for name, run in groupby(columns, key=lambda column: column.group)]
    return [{"name": name, "n": n} for name, n in runs]


def _asset(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _fingerprint(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
