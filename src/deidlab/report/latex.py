"""A table in, LaTeX out, to \\input into a paper.

Only booktabs, graphicx and longtable are needed, and any engine; everything that is text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deidlab.report.tables import Table

# Longer tables may break over pages; shorter ones float and are made to fit the width.
_LONG = 40
_MARKS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "—": "---",
    "…": r"\ldots{}", "×": r"$\times$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "→": r"$\rightarrow$",
    "−": r"$-$", "·": r"$\cdot$", "Δ": r"$\Delta$", "€": r"\texteuro{}", "’": "'", "“": "``", "”": "''",
    "\n": " ",
}  # fmt: skip
_NUMBERED = re.compile(r"^(?:Table|Figure) \d+: ")


def escape_latex(text: str) -> str:
    """The text as LaTeX prints it; a control character becomes a blank."""
    return "".join(_MARKS.get(mark, mark if mark.isprintable() else " ") for mark in text)


def bare_title(title: str) -> str:
    """The title without a number of its own: LaTeX numbers tables and figures itself."""
    return _NUMBERED.sub("", title)


def table_to_latex(table: Table) -> str:
    """One table, with its caption above and its note below."""
    marks = "".join("l" if column.is_text else "r" for column in table.columns)
    head = " & ".join(escape_latex(column.heading) for column in table.columns) + r" \\"
    rows = [_row(cells, index in table.marked) for index, cells in enumerate(table.text_rows())]
    build = _long if len(rows) > _LONG else _float
    return "\n".join(build(table, marks, head, rows)) + "\n"


def _row(cells: Sequence[str], marked: bool) -> str:
    shown = [escape_latex(cell) for cell in cells]
    return " & ".join(rf"\textbf{{{cell}}}" if marked and cell else cell for cell in shown) + r" \\"


def _float(table: Table, marks: str, head: str, rows: Sequence[str]) -> list[str]:
    wide = len(table.columns) > 5
    lines = [r"\begin{table}[htbp]", r"\centering", *_caption(table), r"\small"]
    lines += [r"\resizebox{\textwidth}{!}{%"] if wide else []
    lines += [rf"\begin{{tabular}}{{{marks}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    lines += [r"\end{tabular}" + ("}" if wide else "")]
    lines += [r"\par\smallskip", rf"\footnotesize {escape_latex(table.note)}"] if table.note else []
    return [*lines, r"\end{table}"]


def _long(table: Table, marks: str, head: str, rows: Sequence[str]) -> list[str]:
    lines = [r"{\footnotesize", rf"\begin{{longtable}}{{{marks}}}"]
    lines += [" ".join(_caption(table)) + r" \\", r"\toprule", head, r"\midrule", r"\endfirsthead"]
    lines += [r"\toprule", head, r"\midrule", r"\endhead", *rows, r"\bottomrule", r"\end{longtable}"]
    return [*lines, *([escape_latex(table.note), r"\par"] if table.note else []), "}"]


def _caption(table: Table) -> list[str]:
    return [rf"\caption{{{escape_latex(bare_title(table.title))}}}", rf"\label{{tab:{table.key}}}"]
