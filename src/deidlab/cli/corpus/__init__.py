"""`deidlab corpus …`: read, convert, check, count, cut, join and make corpora."""

import typer

from deidlab.cli.corpus.check import check
from deidlab.cli.corpus.convert import convert
from deidlab.cli.corpus.make import make
from deidlab.cli.corpus.merge import merge
from deidlab.cli.corpus.split import split
from deidlab.cli.corpus.stats import stats

corpus_app = typer.Typer(
    help="Read, convert, check, count, split, merge and make annotated corpora.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
for command in (convert, check, stats, split, merge, make):
    corpus_app.command(command.__name__)(command)
