"""A page is a template and the values it shows: in the frame, with all that it is given escaped."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.report import pages
from deidlab.report.tables import Table, columns_of

TEMPLATE = (
    '{% extends "frame.html" %}{% import "parts.html" as parts %}'
    "{% block main %}<h1>{{ title }}</h1>{{ parts.grid(table, sorted=false) }}{% endblock %}"
)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for path in (Path(pages.__file__).parent / "templates").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "toy.html").write_text(TEMPLATE)
    monkeypatch.setattr(pages, "_templates", lambda: _with_filters(tmp_path))
    columns = columns_of(("ward", "Ward", "text"), ("notes", "Notes", "count"))
    table = Table("Wards", columns, (("<b>A</b>", 1200), ("B", 7)), "Made up.")
    return pages.render_page("toy.html", "Toys", with_script=False, table=table)


def _with_filters(folder: Path) -> object:
    templates = pages.open_templates(folder)
    templates.filters |= {
        "zip": zip,
        "plain_number": pages._plain_number,
        "runs_of_groups": pages._runs_of_groups,
    }
    return templates


def test_it_stands_in_the_frame_of_all_pages(page: str) -> None:
    assert page.lower().startswith("<!doctype html>")
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "<h1>Toys</h1>" in page


def test_what_it_is_given_is_escaped_and_shown_as_its_column_says(page: str) -> None:
    assert "&lt;b&gt;A&lt;/b&gt;" in page and "<b>A</b>" not in page
    assert "1,200" in page
