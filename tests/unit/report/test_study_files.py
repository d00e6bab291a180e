"""The report's files: each format by itself, and all of them alike."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deidlab.errors import UnknownNameError
from deidlab.evaluate.intervals import Interval
from deidlab.report.latex import escape_latex, table_to_latex
from deidlab.report.study.files import FORMATS, check_formats, write_report
from deidlab.report.study.parts import StudyReport
from deidlab.report.tables import Table, columns_of, show_value, table_to_csv, table_to_rows
from tests.unit.report.study_folder import PARTS


class Page(HTMLParser):
    """What a page holds: tags with their attributes, and whether they close in order."""

    VOID = frozenset({"meta", "input", "br", "image"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html(report_files: Path) -> str:
    return (report_files / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_every_format_is_written(report_files: Path, study_report: StudyReport) -> None:
    for name in ("index.html", "report.md", "report.json", "report.tex"):
        assert (report_files / name).stat().st_size > 1000
    keys = {table.key for table in study_report.tables}
    assert {path.stem for path in (report_files / "tables").glob("*.csv")} == keys
    assert {path.stem for path in (report_files / "tables").glob("*.tex")} == keys
    for suffix, magic in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        files = list((report_files / "figures").glob(f"*.{suffix}"))
        assert {path.stem for path in files} == {picture.key for picture in study_report.pictures}
        assert all(path.read_bytes().startswith(magic) for path in files)
    assert "figure-3" in {picture.key for picture in study_report.pictures}
    assert not list(report_files.rglob("*.partial"))


def test_the_page_is_whole_and_has_every_table(page: Page, study_report: StudyReport) -> None:
    assert page.open == []
    ids = Counter(attrs["id"] for _, attrs in page.tags if "id" in attrs)
    assert max(ids.values()) == 1
    assert {table.key for table in study_report.tables} <= set(ids)
    n_rows = sum(len(table.rows) for table in study_report.tables)
    n_grouped = sum(any(column.group for column in table.columns) for table in study_report.tables)
    assert n_grouped == 2
    assert sum(tag == "tr" for tag, _ in page.tags) == n_rows + len(study_report.tables) + n_grouped
    targets = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert targets and all(target and target.startswith("#") and target[1:] in ids for target in targets)


def test_the_page_allows_nothing_but_itself(html: str, page: Page) -> None:
    policy = next(
        attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None and policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert not re.search(r"https?://|//[a-z]+\.|@import|javascript:", html)
    for tag, attrs in page.tags:
        assert "style" not in attrs and not any(name.startswith("on") for name in attrs), tag
        assert tag not in ("link", "iframe", "object", "img")
        if "href" in attrs:
            assert str(attrs["href"]).startswith(("#", "data:image/png"))


def test_the_page_can_be_read_without_eyes(page: Page, study_report: StudyReport) -> None:
    tags = page.tags
    assert next(attrs for tag, attrs in tags if tag == "html")["lang"] == "en"
    drawings = [attrs for tag, attrs in tags if tag == "svg"]
    assert len(drawings) == len(study_report.pictures)
    ids = {attrs.get("id") for _, attrs in tags}
    for attrs in drawings:
        assert attrs["role"] == "img"
        assert set(str(attrs["aria-labelledby"]).split()) <= ids
    for tag, attrs in tags:
        if tag == "th":
            assert attrs["scope"] in ("col", "colgroup", "row")
        if attrs.get("class") == "scroll":
            assert attrs["tabindex"] == "0" and attrs["aria-label"]
    assert sum(tag == "caption" for tag, _ in tags) == len(study_report.tables)
    assert [tag for tag, _ in tags if tag in ("h1", "main", "nav")] == ["nav", "main", "h1"]


def test_titles_are_escaped_everywhere(html: str, report_files: Path) -> None:
    assert "A small study &amp; its &lt;report&gt;" in html
    assert "<report>" not in html
    assert (
        r"A small study \& its \textless{}report\textgreater{}" in (report_files / "report.tex").read_text()
    )


def test_no_word_of_a_note_is_in_any_file(report_files: Path) -> None:
    said = {word for notes in PARTS.values() for note in notes for word in note.text.split() if len(word) > 7}
    said -= {"pain"}
    assert "hypertension." in said
    for path in report_files.rglob("*"):
        if path.suffix in (".html", ".md", ".json", ".tex", ".csv", ".svg"):
            text = path.read_text("utf-8")
            assert not [word for word in said if word in text], path.name


def test_csv_and_json_hold_the_same_numbers(report_files: Path, study_report: StudyReport) -> None:
    tables = json.loads((report_files / "report.json").read_text())["tables"]
    for table in study_report.tables:
        read = list(csv.DictReader(io.StringIO((report_files / "tables" / f"{table.key}.csv").read_text())))
        assert len(read) == len(tables[table.key]["rows"])
        for one, two in zip(read, tables[table.key]["rows"], strict=True):
            for key, value in two.items():
                number = value["value"] if isinstance(value, dict) else value
                if isinstance(number, float):
                    assert float(one[key]) == number
                if isinstance(value, dict) and value["low"] is not None:
                    assert float(one[f"{key}_low"]) == value["low"]


def test_markdown_links_to_figures_that_are_there(report_files: Path, study_report: StudyReport) -> None:
    text = (report_files / "report.md").read_text("utf-8")
    links = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert len(links) == len(study_report.pictures)
    assert all((report_files / link).is_file() for link in links)
    for table in study_report.tables:
        assert f"### {table.title}\n" in text


def test_latex_is_balanced_and_escaped(report_files: Path, study_report: StudyReport) -> None:
    whole = (report_files / "report.tex").read_text()
    inputs = re.findall(r"\\input\{(.+?)\}", whole)
    assert inputs == [f"tables/{table.key}.tex" for table in study_report.tables]
    for path in [report_files / "report.tex", *(report_files / name for name in inputs)]:
        text = path.read_text("utf-8")
        begun, ended = (Counter(re.findall(rf"\\{word}\{{(\w+)\}}", text)) for word in ("begin", "end"))
        assert begun == ended, path.name
        bare = re.sub(r"\\[\\&%$#_{}]", "", text)
        assert bare.count("{") == bare.count("}"), path.name
        assert bare.count("$") % 2 == 0
        assert "#" not in bare and not re.search(
            r"(?<!\\)_(?![^{]*\})", re.sub(r"\\(label|input|includegraphics)\S*", "", bare)
        )
    for table in study_report.tables:
        text = (report_files / "tables" / f"{table.key}.tex").read_text()
        (marks,) = re.findall(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", text)
        assert len(marks) == len(table.columns)
        body = [line for line in text.splitlines() if line.endswith(r" \\") and "caption" not in line]
        assert all(len(re.findall(r"(?<!\\)&", line)) == len(marks) - 1 for line in body)
        assert r"\toprule" in text and r"\bottomrule" in text


def test_latex_marks_are_all_escaped() -> None:
    assert escape_latex("50% of R&D_#1 {~^} \\ <b> – …") == (
        r"50\% of R\&D\_\#1 \{\textasciitilde{}\textasciicircum{}\} \textbackslash{} \textless{}b\textgreater{} -- \ldots{}"
    )


def test_a_long_latex_table_breaks_over_pages() -> None:
    table = Table("T", columns_of(("a", "A", "text")), tuple((str(i),) for i in range(60)))
    assert r"\begin{longtable}{l}" in table_to_latex(table)
    assert table_to_latex(table).count(r"\midrule") == 2


def test_the_same_report_gives_the_same_bytes(
    study_report: StudyReport, report_files: Path, tmp_path: Path
) -> None:
    write_report(study_report, tmp_path, ("html", "json", "csv"))
    for path in tmp_path.rglob("*.*"):
        assert path.read_bytes() == (report_files / path.relative_to(tmp_path)).read_bytes()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("html", {"index.html"}),
        ("json", {"report.json"}),
        ("csv", {"tables"}),
        ("latex", {"report.tex", "tables", "figures"}),
        ("markdown", {"report.md", "figures"}),
        ("figures", {"figures"}),
    ],
)
def test_only_what_was_asked_for_is_written(
    study_report: StudyReport, tmp_path: Path, wanted: str, expected: set[str]
) -> None:
    write_report(study_report, tmp_path, (wanted,))
    assert {path.name for path in tmp_path.iterdir()} == expected


def test_formats_are_checked() -> None:
    assert check_formats([]) == FORMATS
    assert check_formats(["html,csv", "html"]) == ("html", "csv")
    with pytest.raises(UnknownNameError, match="did you mean html"):
        check_formats(["htm"])


def test_cells_print_as_people_expect() -> None:
    assert show_value(Interval(0.5, 0.4, 0.6), "ratio") == "0.5000 (0.4000–0.6000)"
    assert show_value(Interval(-0.01, -0.02, 0.03), "signed") == "-0.0100 (-0.0200 to +0.0300)"
    assert show_value(None, "count") == show_value(Interval(None), "ratio") == "–"
    assert [show_value(value, "p") for value in (0.0004, 0.5)] == ["< 0.001", "0.500"]
    assert [show_value(value, "seconds") for value in (9.96, 150.0, 36_000.0)] == [
        "10.0 s",
        "2.5 min",
        "10.0 h",
    ]
    assert [show_value(value, "plain") for value in (1e-5, 0.0001, 0.025, 1e-9, 3)] == [
        "0.00001",
        "0.0001",
        "0.025",
        "1e-09",
        "3",
    ]
    assert show_value(1234567, "count") == "1,234,567"
    assert show_value(True, "flag") == "yes"


def test_a_csv_cell_is_no_formula() -> None:
    table = Table(
        "T",
        columns_of(("a", "A", "text"), ("b", "B")),
        (("=cmd()", 0.5), ("x", Interval(1.0, 0.5, 1.0))),
    )
    assert table_to_csv(table) == "a,b,b_low,b_high\n'=cmd(),0.5,,\nx,1.0,0.5,1.0\n"
    assert table_to_rows(table)[1]["b"] == {"value": 1.0, "low": 0.5, "high": 1.0}
