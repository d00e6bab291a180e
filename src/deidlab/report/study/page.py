"""A study's report in, one web page out that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deidlab.report.pages import render_page
from deidlab.report.study.parts import StudyReport
from deidlab.report.svg import svg_to_inline
from deidlab.report.tables import Table, text_table

_LINE = 80


def report_to_html(report: StudyReport, drawings: Mapping[str, str]) -> str:
    """The page; `drawings` holds each picture as SVG, under its key."""
    return render_page(
        "study.html",
        report.title,
        report=report,
        drawings={
            picture.key: svg_to_inline(drawings[picture.key], picture.key, picture.title, picture.caption)
            for picture in report.pictures
        },
        settings=_settings_table(report.provenance),
        provenance={
            name: json.dumps(value, ensure_ascii=False, indent=2, default=str)
            for name, value in report.provenance.items()
            if not _is_short(value)
        },
    )


def _settings_table(provenance: Mapping[str, Any]) -> Table:
    """What a line holds; what is longer is folded below it."""
    rows = [(name, value) for name, value in provenance.items() if _is_short(value)]
    return text_table("Settings", ("setting", "value"), rows, 2)


def _is_short(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= _LINE)
