"""A report in, a LaTeX document out that takes its tables from `tables/` and its pictures from `figures/`."""

from __future__ import annotations

from deidlab.report.latex import bare_title, escape_latex
from deidlab.report.study.parts import Section, StudyReport


def report_to_latex(report: StudyReport) -> str:
    """The whole report as a document; its tables are \\input from `tables/`, its figures from `figures/`."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{textcomp}",
        r"\usepackage{booktabs,graphicx,longtable}",
        r"\usepackage[margin=2cm]{geometry}",
        rf"\title{{{escape_latex(report.title)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        escape_latex(report.said),
        "",
    ]
    if report.missing:
        lines += [r"\paragraph{Not in this report}", r"\begin{itemize}"]
        lines += [rf"\item {escape_latex(line)}" for line in report.missing]
        lines += [r"\end{itemize}", ""]
    for section in report.sections:
        lines += _section(section)
    return "\n".join([*lines, r"\end{document}", ""])


def _section(section: Section) -> list[str]:
    lines = [rf"\section{{{escape_latex(section.title)}}}", escape_latex(section.said), ""]
    lines += [rf"\input{{tables/{table.key}.tex}}" for table in section.tables]
    for picture in section.pictures:
        lines += [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\textwidth]{{figures/{picture.key}.png}}",
            rf"\caption{{{escape_latex(f'{bare_title(picture.title)}. {picture.caption}')}}}",
            rf"\label{{fig:{picture.key}}}",
            r"\end{figure}",
        ]
    return [*lines, r"\clearpage", ""]
