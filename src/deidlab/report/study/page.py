"""A study's report in, one web page out that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping

from deidlab.report.pages import render_page
from deidlab.report.study.parts import StudyReport
from deidlab.report.svg import svg_to_inline


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
        provenance={
            name: json.dumps(value, ensure_ascii=False, indent=2, default=str)
            for name, value in report.provenance.items()
        },
    )
