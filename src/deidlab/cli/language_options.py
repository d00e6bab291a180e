"""The options that say in which language notes are, and which of its rules run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

Language = Annotated[
    str | None,
    typer.Option(
        metavar="CODE",
        help="The language of the notes: its rules find, and names, places and dates are masked by it "
        "[default: the model's, or what the labels tell, else English].",
    ),
]
WithoutRule = Annotated[
    list[str] | None,
    typer.Option(
        "--without-rule",
        metavar="NAME",
        help="Switch a rule off; repeatable. `deidlab detect --list-rules` names them.",
    ),
]
ListRules = Annotated[
    bool,
    typer.Option("--list-rules", help="List the rules of the --language (or model's), and stop."),
]


def check_language(code: str | None) -> str:
    """The code, empty where none was given; an unknown one is a usage error."""
    from deidlab import languages

    if code is not None and code not in languages.known():
        raise typer.BadParameter(f"--language is one of {', '.join(languages.known())}")
    return code or ""


def check_rules(names: Sequence[str] | None, *codes: str) -> None:
    """Rules to switch off: one that none of the languages has is a usage error."""
    if not names:
        return
    from deidlab import languages

    known = dict.fromkeys(rule.name for code in codes for rule in languages.of(code).rules)
    if not set(names) <= set(known):
        raise typer.BadParameter(f"--without-rule is one of {', '.join(known)} here")


def print_rules(code: str, as_json: bool = False) -> None:
    """Every rule of a language, with one line of what it finds."""
    from deidlab import languages
    from deidlab.cli.output import print_json

    rules = languages.of(code).rules
    if as_json:
        print_json([{"rule": rule.name, "finds": rule.about} for rule in rules])
        return
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        typer.echo(f"{rule.name:{width}}  {rule.about}")
