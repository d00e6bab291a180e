"""`deidlab params`: every tensor of every model, where its parameters sit, and what fits in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli import params_options as options
from deidlab.cli.output import AsJson, Quiet, tell, with_progress

if TYPE_CHECKING:
    from deidlab.zoo.params import TensorList

FORMATS = ("md", "json", "csv", "listing", "html")


def params(
    models: options.Models = None,
    head: options.Head = None,
    labels: options.Labels = None,
    format_: options.Format = None,
    as_json: AsJson = False,
    explain: options.Explain = False,
    everything: options.Everything = False,
    study: options.Study = False,
    list_names: options.ListNames = False,
    out: options.Out = None,
    figure: options.Figure = None,
    memory: options.Memory = None,
    batch: options.Batch = None,
    length: options.Length = None,
    precision: options.PrecisionName = None,
    optimizer: options.Optimizer = None,
    attention: options.Attention = None,
    quiet: Quiet = False,
) -> None:
    """What a model is made of: every tensor, pages, tables, a picture, and what fits in memory.

    **deidlab params roberta-base** prints its page, **--format json** the same for programs,
    **--memory 32GB** the largest batch that trains in it. Known names need no download and no torch.
    docs/params.md explains how to read a page and how memory is counted.
    """
    named = models or []
    chosen = _format(format_, as_json)
    plans = memory is not None or batch is not None
    how = {"--length": length, "--precision": precision, "--optimizer": optimizer, "--attention": attention}
    _check_mode(named, everything, study, list_names, explain, plans, chosen, figure)
    if not plans and any(value is not None for value in how.values()):
        given = ", ".join(name for name, value in how.items() if value is not None)
        raise typer.BadParameter(f"{given}: only with --memory or --batch")
    if figure is not None:
        from deidlab.report.figures import check_figure

        check_figure(figure)
    if list_names:
        _print_names(chosen, out, quiet)
    elif everything:
        _write_all(head, labels, chosen, out, quiet)
    elif study:
        _print_study(head, labels, chosen, figure, out, quiet)
    elif plans:
        setting = (512 if length is None else length, precision or "fp32", optimizer or "adamw", attention)
        _print_plans(named, head or "token", labels, (memory, batch), setting, chosen, out, quiet)
    else:
        _print_pages(named, head, labels, chosen, explain, figure, out, quiet)


def _format(asked: str | None, as_json: bool) -> str | None:
    from deidlab.errors import UnknownNameError

    if as_json and asked not in (None, "json"):
        raise typer.BadParameter(f"--json and --format {asked} ask for two answers")
    if asked is not None and asked not in FORMATS:
        raise UnknownNameError("format", asked, FORMATS)
    return "json" if as_json else asked


def _check_mode(
    models: list[str],
    everything: bool,
    study: bool,
    list_names: bool,
    explain: bool,
    plans: bool,
    chosen: str | None,
    figure: Path | None,
) -> None:
    """One answer at a time; an option that would change nothing is wrong usage."""
    wanted = {"MODEL": bool(models), "--all": everything, "--study": study, "--list": list_names}
    given = [name for name, is_wanted in wanted.items() if is_wanted]
    if not given:
        raise typer.BadParameter("name a model, or ask for --all, --study or --list")
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} ask for two answers: choose one")
    if plans and not models:
        raise typer.BadParameter(f"--memory and --batch need a MODEL, not {given[0]}")
    if explain and (not models or plans or chosen is not None):
        raise typer.BadParameter("--explain prints text for a MODEL: leave --format and --memory away")
    if figure is not None and (everything or list_names or plans or explain):
        raise typer.BadParameter("--figure goes with MODEL or --study alone")
    if chosen is not None and figure is not None:
        raise typer.BadParameter("--figure writes a picture: leave --format away")


def _print_pages(
    models: list[str],
    head: str | None,
    labels: int | None,
    chosen: str | None,
    explain: bool,
    figure: Path | None,
    out: Path | None,
    quiet: bool,
) -> None:
    lists = [_open(model, head, labels, quiet) for model in models]
    if figure is not None:
        _draw(lists, figure, out, quiet)
    elif explain:
        from deidlab.report.parameters.explain import tensors_to_explanation

        _deliver("\n".join(tensors_to_explanation(listed) for listed in lists), out, quiet)
    else:
        _deliver(_render(lists, chosen or "md"), out, quiet)


def _open(model: str, head: str | None, labels: int | None, quiet: bool) -> TensorList:
    from deidlab.zoo.params import DEFAULT_HEAD
    from deidlab.zoo.sources import open_tensors

    listed = open_tensors(model, head or DEFAULT_HEAD, labels)
    if listed.head == "stored":
        tell(
            f"{model}: transformers does not know this model; listed as its files store it, without a head",
            quiet,
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


def _draw(lists: list[TensorList], figure: Path, out: Path | None, quiet: bool) -> None:
    from deidlab.report.parameters.figure import write_parameter_figure

    if out is not None:
        raise typer.BadParameter("--figure names its own file: leave --out away")
    write_parameter_figure(lists, figure)
    tell(f"wrote {figure}", quiet)


def _write_all(
    head: str | None, labels: int | None, chosen: str | None, out: Path | None, quiet: bool
) -> None:
    from deidlab.report.parameters.listing import RANK_FILE, rank_to_markdown, tensors_to_markdown
    from deidlab.zoo.configs import known_models
    from deidlab.zoo.params import DEFAULT_HEAD
    from deidlab.zoo.shipped import load_tensors

    if out is None:
        raise typer.BadParameter("--all writes a folder: name it with --out")
    if chosen not in (None, "md"):
        raise typer.BadParameter(f"--all writes Markdown pages, not {chosen}")
    out.mkdir(parents=True, exist_ok=True)
    lists = []
    for model in with_progress(known_models(), "writing pages", len(known_models()), quiet):
        listed = load_tensors(model.name, head or DEFAULT_HEAD, labels)
        (out / f"{model.name}.md").write_text(tensors_to_markdown(listed), encoding="utf-8", newline="\n")
        lists.append(listed)
    (out / RANK_FILE).write_text(rank_to_markdown(lists), encoding="utf-8", newline="\n")
    tell(f"wrote {len(lists)} pages and {RANK_FILE} to {out}", quiet)


def _print_study(
    head: str | None,
    labels: int | None,
    chosen: str | None,
    figure: Path | None,
    out: Path | None,
    quiet: bool,
) -> None:
    from deidlab.report.parameters import study as study
    from deidlab.report.tables import table_to_csv
    from deidlab.zoo.study import STUDY_LABELS, STUDY_MODELS

    if head not in (None, "token") or labels not in (None, STUDY_LABELS):
        raise typer.BadParameter(
            f"the study trained token heads with {STUDY_LABELS} labels: leave --head and --labels away"
        )
    if figure is not None:
        _draw([study.study_tensors(model) for model in STUDY_MODELS], figure, out, quiet)
    elif chosen == "json":
        _deliver(_as_json(study.study_to_json()), out, quiet)
    elif chosen == "csv":
        _deliver(table_to_csv(study.study_table()), out, quiet)
        tell("CSV holds Table 1 alone; md and json hold the appendices, too", quiet)
    elif chosen in (None, "md"):
        _deliver(study.study_to_markdown(), out, quiet)
    else:
        raise typer.BadParameter(f"--study prints md, json or csv, not {chosen}")


def _print_plans(
    models: list[str],
    head: str,
    labels: int | None,
    limits: tuple[str | None, int | None],
    setting: tuple[int, str, str, str | None],
    chosen: str | None,
    out: Path | None,
    quiet: bool,
) -> None:
    from deidlab.report.parameters import memory as report
    from deidlab.report.tables import table_to_csv, table_to_markdown
    from deidlab.zoo.memory import parse_memory, plan_memory
    from deidlab.zoo.sources import open_sizes, open_tensors

    memory = None if limits[0] is None else parse_memory(limits[0])
    plans = [plan_memory(open_sizes(name), open_tensors(name, head, labels), *setting) for name in models]
    if chosen == "json":
        answers = [report.plan_to_json(plan, memory, limits[1]) for plan in plans]
        _deliver(_as_json(answers if len(answers) > 1 else answers[0]), out, quiet)
    elif chosen is None:
        _deliver("\n".join(report.plan_to_text(plan, memory, limits[1]) for plan in plans), out, quiet)
    elif chosen in ("md", "csv"):
        if memory is None:
            raise typer.BadParameter(f"--format {chosen} prints what fits: it needs --memory")
        table = report.plans_to_table(plans, memory)
        _deliver(table_to_csv(table) if chosen == "csv" else table_to_markdown(table), out, quiet)
    else:
        raise typer.BadParameter(f"--memory prints text, md, csv or json, not {chosen}")


def _print_names(chosen: str | None, out: Path | None, quiet: bool) -> None:
    from deidlab.report.parameters.names import names_table, names_to_json
    from deidlab.report.tables import print_table, table_to_csv, table_to_markdown

    if chosen == "json":
        _deliver(_as_json(names_to_json()), out, quiet)
    elif chosen == "csv":
        _deliver(table_to_csv(names_table()), out, quiet)
    elif chosen == "md" or (chosen is None and out is not None):
        _deliver(table_to_markdown(names_table()), out, quiet)
    elif chosen is None:
        print_table(names_table())
    else:
        raise typer.BadParameter(f"--list prints a table, md, csv or json, not {chosen}")


def _as_json(answer: object) -> str:
    import json

    return json.dumps(answer, ensure_ascii=False, indent=2) + "\n"


def _deliver(text: str, out: Path | None, quiet: bool) -> None:
    """To the terminal as it is, or into a file."""
    if out is None:
        typer.echo(text, nl=False)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8", newline="\n")
    tell(f"wrote {out}", quiet)
