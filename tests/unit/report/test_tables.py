"""One table, in every form that it can be shown in."""

from __future__ import annotations

import re

import pytest

from deidlab.evaluate.intervals import Interval
from deidlab.report.latex import table_to_latex
from deidlab.report.pages import Card, render_page
from deidlab.report.parameters.page import tensors_to_html
from deidlab.report.tables import (
    Table,
    columns_of,
    print_table,
    show_value,
    table_to_csv,
    table_to_markdown,
    table_to_rows,
    text_table,
)
from deidlab.zoo.shipped import load_tensors

TABLE = Table(
    "Two & more",
    columns_of(
        ("name", "Name", "text"), ("f1", "F1", "ratio", "Test"), ("ends", "from–to", "ends", "Test"),
        ("gap", "Gap", "signed"),
    ),
    (("<a>", Interval(0.5, 0.25, 0.75), Interval(0.5, 0.25, 0.75), -0.125), ("b", None, Interval(None), None)),
    "A note.", "two", frozenset({0}),
)  # fmt: skip


def page_of(table: Table) -> str:
    class Model:
        name, head, cards, blocks, tiles, arithmetic, total = "m", "h", (Card("n", "1"),), (), (), "", 1
        tensors = table

    return render_page("parameters.html", "t", models=[Model], area={"width": 1, "height": 1}, dark=set())


def test_text_forms_agree_and_programs_get_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert table_to_markdown(TABLE) == (
        "## Two & more\n\n| Name | Test F1 | Test from–to | Gap |\n| --- | ---: | ---: | ---: |\n"
        "| <a> | 0.5000 (0.2500–0.7500) | 0.2500–0.7500 | -0.1250 |\n| b | – | – | – |\n\nA note.\n"
    )
    print_table(TABLE)
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("Two & more", "Test F1", "0.5000 (0.2500–0.7500)", "A note."))
    assert table_to_csv(TABLE).splitlines()[:2] == [
        "name,f1,f1_low,f1_high,ends,ends_low,ends_high,gap",
        "<a>,0.5,0.25,0.75,0.5,0.25,0.75,-0.125",
    ]
    assert table_to_rows(TABLE)[0]["f1"] == {"value": 0.5, "low": 0.25, "high": 0.75}
    assert r"\textbf{\textless{}a\textgreater{}}" in table_to_latex(TABLE)


def test_a_page_escapes_groups_headings_and_sorts_by_the_number() -> None:
    page = page_of(TABLE)
    assert "Two &amp; more" in page and "&lt;a&gt;" in page and "<a>" not in page
    assert '<th scope="colgroup" colspan="2">Test</th>' in page
    assert '<span class="unseen">Test </span>F1' in page
    assert 'data-value="-0.125">-0.1250' in page
    assert '<tr class="best">' in page and 'class="scroll" role="region" tabindex="0"' in page


def test_text_columns_are_left_as_far_as_the_first_number() -> None:
    table = text_table("T", ("a", "b", "c"), [("x", "y", "1")], 2)
    assert "| --- | --- | ---: |" in table_to_markdown(table)
    assert table_to_csv(table) == "a,b,c\nx,y,1\n"
    late = Table("T", columns_of(("a", "A", "text"), ("n", "N"), ("b", "B", "text")), (("x", 1.0, "y"),))
    assert "| --- | ---: | ---: |" in table_to_markdown(late)


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a row has 1 cells, not 2"):
        text_table("T", ("a", "b"), [("x",)])


def test_whole_numbers_are_never_shortened() -> None:
    assert show_value(12_345_678, "plain") == "12345678"


def test_pages_carry_a_policy_that_fits_them_and_nothing_inline() -> None:
    page = tensors_to_html([load_tensors("bert-base", "token", 41)])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None and policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page)
