"""What every command shares: progress on stderr, answers on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import typer

Item = TypeVar("Item")
PARTLY_DONE = 3
"""The exit status of a command that left something out, and listed it."""


def print_json(answer: object) -> None:
    """One JSON value on stdout."""
    typer.echo(json.dumps(answer, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def tell(message: str, quiet: bool = False) -> None:
    """A line for the person at the terminal, on stderr so that stdout stays the answer's."""
    if not quiet:
        typer.echo(message, err=True)


def tell_written(paths: Iterable[Path], quiet: bool = False) -> None:
    """Which files a command wrote."""
    for path in paths:
        tell(f"wrote {path}", quiet)


def check_report(path: Path, overwrite: bool) -> tuple[Path, Path]:
    """A page and its figures beside it, as they will be written; refused before any work."""
    from deidlab.corpus.files import refuse_existing

    if path.suffix not in (".html", ".json"):
        raise typer.BadParameter("--report must end in .html or .json")
    paths = (path, path.with_suffix(".json"))
    for each in dict.fromkeys(paths):
        refuse_existing(each, overwrite)
    return paths


def write_report(
    answer: dict[str, Any], path: Path, to_html: Callable[[dict[str, Any]], str], overwrite: bool
) -> list[Path]:
    """The page and its figures, or the figures alone; which files that made."""
    from deidlab.corpus.files import complete_file

    pages = {path.with_suffix(".json"): json.dumps(answer, ensure_ascii=False, indent=1) + "\n"}
    if path.suffix == ".html":
        pages = {path: to_html(answer), **pages}
    for place, page in pages.items():
        with complete_file(place, overwrite) as partial:
            partial.write_text(page, "utf-8")
    return list(pages)


def with_progress(
    items: Iterable[Item], what: str, total: int | None = None, quiet: bool = False
) -> Iterator[Item]:
    """The items as they are, with a bar on stderr while a person watches and none otherwise."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        for item in items:
            yield item
            progress.advance(task)
