"""`deidlab policy list|show|check`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import option, takes_options, without
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json

if TYPE_CHECKING:
    from deidlab.mask import Policy

_HERE = "deidlab.cli.policy"
_Json = Annotated[AnswerOptions, without("quiet")]

policy = app_of(
    "policy",
    "What happens to each kind of PHI: see a policy with examples, and check your own.",
    LazyCommand(_HERE, "list", "The policies that are shipped, a line each.", there="list_policies"),
    LazyCommand(_HERE, "show", "What a policy does to each label, with examples and clauses."),
    LazyCommand(_HERE, "check", "Whether a policy file of your own is sound, and where it leaves more."),
)


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """How a policy is shown."""

    style: str = option("tag", help="The style of the examples.", choices=("redact", "tag", "surrogate"))
    markdown: bool = option(False, "--markdown", help="Print a Markdown table, for a protocol or a file.")


@takes_options
def list_policies(answer: _Json) -> None:
    """The policies that are shipped, a line each.

    Example: deidlab policy list
    """
    from deidlab.mask import known_policies, load_policy
    from deidlab.report.policies import policies_table
    from deidlab.report.tables import print_table

    policies = [load_policy(name) for name in known_policies()]
    if answer.as_json:
        print_json([{"name": each.name, "description": each.description} for each in policies])
    else:
        print_table(policies_table(policies))


@takes_options
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help="A shipped policy, or a TOML file.", show_default=False)
    ],
    how: ShowOptions,
    answer: _Json,
) -> None:
    """What a policy does to each label, with examples and clauses.

    The examples are invented, and were masked by the policy itself. The clauses are cited as evidence for
    whoever decides; they are no legal advice.

    Example: deidlab policy show safe-harbor
    """
    from deidlab.mask import load_policy
    from deidlab.report.policies import policy_table, policy_to_json
    from deidlab.report.tables import print_table, table_to_markdown

    found, style = load_policy(name), how.style
    if answer.as_json:
        print_json(policy_to_json(found, style))
    elif how.markdown:
        typer.echo(table_to_markdown(policy_table(found, style)), nl=False)
    else:
        print_table(policy_table(found, style))


@takes_options
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file.", show_default=False)],
    answer: _Json,
) -> None:
    """Whether a policy file of your own is sound, and where it leaves more.

    What is wrong with the file is one line, and the exit status 1. Else it says which labels have rows of
    their own and of which the file leaves more than the policy that it starts from (`like`), or, without
    one, than masking all.

    Example: deidlab policy check our-policy.toml
    """
    from deidlab.mask import load_policy, read_policy
    from deidlab.report.policies import loosened
    from deidlab.tomlfile import read_table

    table = read_table(file)
    own: Policy = load_policy(str(file))
    parent = (
        load_policy(str(table["like"]), file.parent)
        if "like" in table
        else read_policy({"name": "masking all"})
    )
    more = loosened(own, parent)
    labels = sorted(table.get("types", {}))
    if answer.as_json:
        print_json({"name": own.name, "like": table.get("like"), "labels": labels, "leaves_more": more})
        return
    typer.echo(f"policy {own.name} is sound: {len(labels)} labels of its own, all others as in {parent.name}")
    typer.echo(
        f"it leaves more than {parent.name} of: {', '.join(more)}" if more else "it leaves nothing more"
    )
