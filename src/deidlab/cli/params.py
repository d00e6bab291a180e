"""`deidlab params`: every tensor of every model, where its parameters sit, and what fits in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options import takes_options
from deidlab.cli.output import tell, with_progress
from deidlab.cli.params_options import ParamsOptions

if TYPE_CHECKING:
    from deidlab.zoo.params import TensorList


@takes_options
def params(options: ParamsOptions) -> None:
    """What a model is made of: every tensor, pages, tables, a picture, and what fits in memory.

    **deidlab params roberta-base** prints its page, **--format json** the same for programs,
    **--memory 32GB** the largest batch that trains in it. Known names need no download and no torch.
    docs/params.md explains how to read a page and how memory is counted.

    Example: deidlab params roberta-base --memory 32GB
    """
    if options.figure is not None:
        from deidlab.report.figures import check_figure

        check_figure(options.figure)
    if options.list_names:
        _print_names(options)
    elif options.everything:
        _write_all(options)
    elif options.study:
        _print_study(options)
    elif options.memory.are_given:
        _print_plans(options)
    else:
        _print_pages(options)


def _print_pages(options: ParamsOptions) -> None:
    lists = [_open(model, options) for model in options.models]
    if options.figure is not None:
        _draw(lists, options.figure, options)
    elif options.explain:
        from deidlab.report.parameters.explain import tensors_to_explanation

        _deliver("\n".join(tensors_to_explanation(listed) for listed in lists), options)
    else:
        _deliver(_render(lists, options.chosen or "md"), options)


def _open(model: str, options: ParamsOptions) -> TensorList:
    from deidlab.zoo.params import DEFAULT_HEAD
    from deidlab.zoo.sources import open_tensors

    listed = open_tensors(model, options.head or DEFAULT_HEAD, options.labels)
    if listed.head == "stored":
        tell(
            f"{model}: transformers does not know this model; listed as its files store it, without a head",
            options.answer.quiet,
        )
    return listed


def _render(lists: list[TensorList], chosen: str) -> str:
    from deidlab.report.parameters import listing as page

    if chosen == "json":
        return page.tensors_to_json(lists)
    if chosen == "csv":
        return page.tensors_to_csv(lists)
    if chosen == "listing":
        return "\n".join(page.tensors_to_listing(listed) for listed in lists)
    if chosen == "html":
        from deidlab.report.parameters.page import tensors_to_html

        return tensors_to_html(lists)
    return "".join(page.tensors_to_markdown(listed) for listed in lists)


def _draw(lists: list[TensorList], figure: Path, options: ParamsOptions) -> None:
    from deidlab.report.parameters.figure import write_parameter_figure

    if options.out is not None:
        raise typer.BadParameter("--figure names its own file: leave --out away")
    write_parameter_figure(lists, figure)
    tell(f"wrote {figure}", options.answer.quiet)


def _write_all(options: ParamsOptions) -> None:
    from deidlab.report.parameters.listing import RANK_FILE, rank_to_markdown, tensors_to_markdown
    from deidlab.zoo.configs import known_models
    from deidlab.zoo.params import DEFAULT_HEAD
    from deidlab.zoo.shipped import load_tensors

    out, chosen, quiet = options.out, options.chosen, options.answer.quiet
    if out is None:
        raise typer.BadParameter("--all writes a folder: name it with --out")
    if chosen not in (None, "md"):
        raise typer.BadParameter(f"--all writes Markdown pages, not {chosen}")
    out.mkdir(parents=True, exist_ok=True)
    lists = []
    for model in with_progress(known_models(), "writing pages", len(known_models()), quiet):
        listed = load_tensors(model.name, options.head or DEFAULT_HEAD, options.labels)
        (out / f"{model.name}.md").write_text(tensors_to_markdown(listed), encoding="utf-8", newline="\n")
        lists.append(listed)
    (out / RANK_FILE).write_text(rank_to_markdown(lists), encoding="utf-8", newline="\n")
    tell(f"wrote {len(lists)} pages and {RANK_FILE} to {out}", quiet)


def _print_study(options: ParamsOptions) -> None:
    from deidlab.report.parameters import study as study
    from deidlab.report.tables import table_to_csv
    from deidlab.zoo.study import STUDY_LABELS, STUDY_MODELS

    chosen, labels = options.chosen, options.labels
    if options.head not in (None, "token") or labels not in (None, STUDY_LABELS):
        raise typer.BadParameter(
            f"the study trained token heads with {STUDY_LABELS} labels: leave --head and --labels away"
        )
    if options.figure is not None:
        _draw([study.study_tensors(model) for model in STUDY_MODELS], options.figure, options)
    elif chosen == "json":
        _deliver(_as_json(study.study_to_json()), options)
    elif chosen == "csv":
        _deliver(table_to_csv(study.study_table()), options)
        tell("CSV holds Table 1 alone; md and json hold the appendices, too", options.answer.quiet)
    elif chosen in (None, "md"):
        _deliver(study.study_to_markdown(), options)
    else:
        raise typer.BadParameter(f"--study prints md, json or csv, not {chosen}")


def _print_plans(options: ParamsOptions) -> None:
    from deidlab.report.parameters import memory as report
    from deidlab.report.tables import table_to_csv, table_to_markdown
    from deidlab.zoo.memory import parse_memory, plan_memory
    from deidlab.zoo.sources import open_sizes, open_tensors

    asked, chosen = options.memory, options.chosen
    memory = None if asked.memory is None else parse_memory(asked.memory)
    head, length = options.head or "token", 512 if asked.length is None else asked.length
    setting = (length, asked.precision or "fp32", asked.optimizer or "adamw", asked.attention)
    plans = [
        plan_memory(open_sizes(name), open_tensors(name, head, options.labels), *setting)
        for name in options.models
    ]
    if chosen == "json":
        answers = [report.plan_to_json(plan, memory, asked.batch) for plan in plans]
        _deliver(_as_json(answers if len(answers) > 1 else answers[0]), options)
    elif chosen is None:
        _deliver("\n".join(report.plan_to_text(plan, memory, asked.batch) for plan in plans), options)
    elif chosen in ("md", "csv"):
        if memory is None:
            raise typer.BadParameter(f"--format {chosen} prints what fits: it needs --memory")
        table = report.plans_to_table(plans, memory)
        _deliver(table_to_csv(table) if chosen == "csv" else table_to_markdown(table), options)
    else:
        raise typer.BadParameter(f"--memory prints text, md, csv or json, not {chosen}")


def _print_names(options: ParamsOptions) -> None:
    from deidlab.report.parameters.names import names_table, names_to_json
    from deidlab.report.tables import print_table, table_to_csv, table_to_markdown

    chosen = options.chosen
    if chosen == "json":
        _deliver(_as_json(names_to_json()), options)
    elif chosen == "csv":
        _deliver(table_to_csv(names_table()), options)
    elif chosen == "md" or (chosen is None and options.out is not None):
        _deliver(table_to_markdown(names_table()), options)
    elif chosen is None:
        print_table(names_table())
    else:
        raise typer.BadParameter(f"--list prints a table, md, csv or json, not {chosen}")


def _as_json(answer: object) -> str:
    import json

    return json.dumps(answer, ensure_ascii=False, indent=2) + "\n"


def _deliver(text: str, options: ParamsOptions) -> None:
    """To the terminal as it is, or into a file."""
    out = options.out
    if out is None:
        typer.echo(text, nl=False)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8", newline="\n")
    tell(f"wrote {out}", options.answer.quiet)
