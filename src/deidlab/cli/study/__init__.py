"""`deidlab study …`: plan a comparison of models, run it, and report on it."""

import typer

from deidlab.cli.study.plan import plan
from deidlab.cli.study.report import report
from deidlab.cli.study.run import run

study_app = typer.Typer(
    help="Compare models and settings on one corpus: a TOML file in, tables out.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
for command in (plan, run, report):
    study_app.command(command.__name__)(command)
