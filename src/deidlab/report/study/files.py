"""A report in, its files out: Markdown, LaTeX, CSV, JSON, figures as PNG and SVG, and one web page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from deidlab.errors import UnknownNameError
from deidlab.files import write_appearing
from deidlab.report.figures import figure_to_svg, save_figure
from deidlab.report.latex import table_to_latex
from deidlab.report.study.latex import report_to_latex
from deidlab.report.study.page import report_to_html
from deidlab.report.study.parts import StudyReport
from deidlab.report.tables import table_to_csv, table_to_markdown, table_to_rows

FORMATS = ("html", "markdown", "latex", "csv", "json", "figures")
# These formats show pictures that lie beside them.
_WITH_PICTURES = frozenset({"markdown", "latex", "figures"})


def check_formats(names: Iterable[str]) -> tuple[str, ...]:
    """The formats asked for, all where none was; an unknown one is an error that names the nearest."""
    wanted = [part.strip().lower() for name in names for part in name.split(",") if part.strip()]
    for name in wanted:
        if name not in FORMATS:
            raise UnknownNameError("format", name, FORMATS)
    return tuple(dict.fromkeys(wanted)) or FORMATS


def with_pictures(formats: Iterable[str]) -> bool:
    """Whether figures have to be drawn for one of these formats."""
    return not {"html", *_WITH_PICTURES}.isdisjoint(formats)


def write_report(report: StudyReport, folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write the formats into a folder, and return the files in order; each appears only when complete."""
    written: list[Path] = []

    def put(name: str, text: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_appearing(path, text.encode(), path.with_name(f".{path.name}.partial"))
        written.append(path)

    drawings: dict[str, str] = {}
    for picture in report.pictures:
        if "html" in formats or _WITH_PICTURES.intersection(formats):
            figure = picture.draw()
            drawings[picture.key] = figure_to_svg(figure)
            if _WITH_PICTURES.intersection(formats):
                put(f"figures/{picture.key}.svg", drawings[picture.key])
                path = folder / "figures" / f"{picture.key}.png"
                save_figure(figure, path)
                written.append(path)
    if "html" in formats:
        put("index.html", report_to_html(report, drawings))
    if "markdown" in formats:
        put("report.md", report_to_markdown(report))
    if "json" in formats:
        put("report.json", json.dumps(report_to_json(report), ensure_ascii=False, indent=1) + "\n")
    if "latex" in formats:
        put("report.tex", report_to_latex(report))
    for table in report.tables:
        if "csv" in formats:
            put(f"tables/{table.key}.csv", table_to_csv(table))
        if "latex" in formats:
            put(f"tables/{table.key}.tex", table_to_latex(table))
    return written


def report_to_markdown(report: StudyReport) -> str:
    """The whole report, with links to its figures."""
    return "\n".join(_markdown(report)) + "\n"


def _markdown(report: StudyReport) -> Iterator[str]:
    yield f"# {report.title.replace('<', '&lt;')}\n\n{report.said}\n"
    yield "\n".join(f"- {name}: **{value}** {more}".rstrip() for name, value, more, _ in report.cards) + "\n"
    if report.missing:
        yield "## Not in this report\n\n" + "\n".join(f"- {line}" for line in report.missing) + "\n"
    for section in report.sections:
        yield f"## {section.title}\n" + (f"\n{section.said}\n" if section.said else "")
        for picture in section.pictures:
            caption = picture.caption.replace("[", "(").replace("]", ")")
            yield f"![{caption}](figures/{picture.key}.svg)\n\n*{picture.title}.* {picture.caption}\n"
        for table in section.tables:
            yield table_to_markdown(table, "###")
    yield "## Settings and provenance\n\n```json\n"
    yield json.dumps(report.provenance, ensure_ascii=False, indent=1, default=str) + "\n```"


def report_to_json(report: StudyReport) -> dict[str, Any]:
    """Every table with all its digits, under the keys that docs/study-report.md lists."""
    return {
        "name": report.name,
        "title": report.title,
        "summary": {name: f"{value} {more}".rstrip() for name, value, more, _ in report.cards},
        "missing": list(report.missing),
        "tables": {
            table.key: {"title": table.title, "note": table.note, "rows": table_to_rows(table)}
            for table in report.tables
        },
        "figures": {picture.key: picture.title for picture in report.pictures},
        "provenance": dict(report.provenance),
    }
