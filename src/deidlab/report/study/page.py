"""A study's report in, one web page out that needs nothing else.

The page may load nothing from anywhere: its content policy names the fingerprints of its own style and
script and forbids the rest. All of it works without the script, but for sorting and searching.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from importlib import resources

from deidlab.evaluate.resample import Interval
from deidlab.report.cells import Column, DataTable, Value
from deidlab.report.study.parts import Picture, Section, StudyReport
from deidlab.report.svg import svg_to_inline

_SEARCHED = 12
_FOLDED = 30
_NARROW = 28


def report_to_html(report: StudyReport, drawings: Mapping[str, str]) -> str:
    """The page; `drawings` holds each picture as SVG, under its key."""
    style, script = _asset("study.css"), _asset("study.js")
    sections = [_section(section, drawings) for section in report.sections]
    sections.append(_provenance(report))
    policy = (
        f"default-src 'none'; style-src '{_fingerprint(style)}'; script-src '{_fingerprint(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(report.title)}</title>\n<style>{style}</style>\n</head>\n"
    )
    body = (
        '<body>\n<a class="skip" href="#content">Skip to the report</a>\n<div class="frame">\n'
        f'{_contents(report)}\n<main id="content">\n{_opening(report)}\n'
        + "\n".join(sections)
        + "\n<footer>No word of a note is on this page. Figures are of this study alone; they are evidence "
        "for whoever decides, not a claim of compliance.</footer>\n</main>\n</div>\n"
    )
    return f"{head}{body}<script>{script}</script>\n</body>\n</html>\n"


def _asset(name: str) -> str:
    return (resources.files("deidlab") / "data" / "report" / name).read_text("utf-8")


def _fingerprint(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _contents(report: StudyReport) -> str:
    items = [(section.key, section.title) for section in report.sections]
    items.append(("provenance", "Settings and provenance"))
    links = "".join(f'<li><a href="#part-{key}">{escape(title)}</a></li>' for key, title in items)
    button = '<button type="button" class="theme" hidden>Light or dark</button>'
    return f'<nav aria-label="Contents"><ol>{links}</ol>{button}</nav>'


def _opening(report: StudyReport) -> str:
    cards = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}"
        + (f" <small>{escape(more)}</small>" if more else "")
        + "</dd></div>"
        for name, value, more in report.cards
    )
    missing = ""
    if report.missing:
        lines = "".join(f"<li>{escape(line)}</li>" for line in report.missing)
        missing = f'<div class="missing" role="note"><h2>Not in this report</h2><ul>{lines}</ul></div>'
    return (
        f'<header><h1>{escape(report.title)}</h1><p class="said">{escape(report.said)}</p>'
        f'<dl class="cards">{cards}</dl>{missing}</header>'
    )


def _section(section: Section, drawings: Mapping[str, str]) -> str:
    said = f'<p class="said">{escape(section.said)}</p>' if section.said else ""
    tables = "\n".join(_table(table) for table in section.tables)
    pictures = "\n".join(_picture(picture, drawings[picture.key]) for picture in section.pictures)
    return (
        f'<section id="part-{section.key}" aria-labelledby="part-{section.key}-h">\n'
        f'<h2 id="part-{section.key}-h">{escape(section.title)}</h2>{said}\n{pictures}\n{tables}\n</section>'
    )


def _picture(picture: Picture, svg: str) -> str:
    drawn = svg_to_inline(svg, picture.key, picture.title, picture.caption)
    caption = f"<figcaption><b>{escape(picture.title)}.</b> {escape(picture.caption)}</figcaption>"
    return f"<figure>{drawn}{caption}</figure>"


def _table(table: DataTable) -> str:
    heads = "".join(
        f'<th scope="col"{"" if column.is_text else " class=n"}><button type="button">{escape(column.title)}'
        "</button></th>"
        for column in table.columns
    )
    rows = "\n".join(
        _row(table.columns, row, shown, index in table.marked)
        for index, (row, shown) in enumerate(zip(table.rows, table.text_rows(), strict=True))
    )
    name = escape(table.title, quote=True)
    drawn = (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{name}"><table>'
        f'<caption class="unseen">{escape(table.title)}</caption><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )
    if len(table.rows) > _SEARCHED:
        drawn = (
            f'<label class="find">Find rows <input type="search" placeholder="a name, a type, a value …">'
            f'<output aria-live="polite"></output></label>{drawn}'
        )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    if len(table.rows) > _FOLDED:
        summary = f"{escape(table.title)} ({len(table.rows):,} rows)"
        drawn = f"<details><summary>{summary}</summary>{drawn}{note}</details>"
        return f'<div class="block" id="{table.key}">{drawn}</div>'
    return f'<div class="block" id="{table.key}"><h3>{escape(table.title)}</h3>{drawn}{note}</div>'


def _row(columns: tuple[Column, ...], row: tuple[Value, ...], shown: tuple[str, ...], best: bool) -> str:
    cells = [f'<th scope="row">{escape(shown[0])}</th>']
    for column, value, text in zip(columns[1:], row[1:], shown[1:], strict=True):
        if column.is_text:
            wide = ' class="t"' if len(text) > _NARROW else ""
            cells.append(f"<td{wide}>{escape(text)}</td>")
            continue
        raw = value.value if isinstance(value, Interval) else value
        mark = "" if raw is None or isinstance(raw, str) else f' data-value="{raw}"'
        cells.append(f'<td class="n"{mark}>{escape(text)}</td>')
    return f"<tr{' class=best' if best else ''}>{''.join(cells)}</tr>"


def _provenance(report: StudyReport) -> str:
    blocks = []
    for name, value in report.provenance.items():
        text = escape(json.dumps(value, ensure_ascii=False, indent=2, default=str))
        blocks.append(f'<details><summary>{escape(name)}</summary><pre tabindex="0">{text}</pre></details>')
    return (
        '<section id="part-provenance" aria-labelledby="part-provenance-h">\n'
        '<h2 id="part-provenance-h">Settings and provenance</h2>'
        '<p class="said">What this report rests on, as the records have it.</p>\n'
        + "\n".join(blocks)
        + "\n</section>"
    )
