"""`deidlab corpus …`: read, check, count, cut and join corpora."""

import typer

corpus_app = typer.Typer(
    help="Read, convert, check, count, split and merge annotated corpora.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
