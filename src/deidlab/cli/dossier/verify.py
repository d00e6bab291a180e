"""`deidlab dossier verify`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json, tell

if TYPE_CHECKING:
    from deidlab.report.dossier.verify import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """All that `dossier verify` takes."""

    GROUP: ClassVar[str] = COMMON

    folder: Path = argument(metavar="FOLDER", help="The dossier.")
    trust: tuple[str, ...] = option(
        (),
        metavar="KEY",
        help="A public key that may sign (`deidlab key public`), from another hand than the dossier. "
        "Repeatable.",
    )
    output: tuple[Path, ...] = option(
        (), metavar="OUT", help="What a run of it wrote: held against the digests. Repeatable."
    )
    without_approval: bool = option(False, help="Do not ask that somebody has approved it.")
    answer: AnswerOptions


@takes_options
def verify(options: VerifyOptions) -> None:
    """Check a dossier from its files alone, and name what was changed.

    Checked are the seal, the chain and its signatures, every file, and that an approval stands for the whole
    today. Whatever is missing, added, changed or expired is named, and the exit status is 1. Without --trust
    only whoever knows the keys can tell that no stranger signed it all anew.

    Example: deidlab dossier verify release-1 --trust KEY --output masked
    """
    from deidlab.report.dossier.verify import Asked, verify_dossier

    asked = Asked(date.today(), options.trust, options.output, not options.without_approval)
    verdict = verify_dossier(options.folder, asked)
    if options.answer.as_json:
        print_json({
            "intact": not verdict.problems, "problems": verdict.problems, "entries": len(verdict.entries),
            "head": verdict.entries[-1].digest() if verdict.entries else None, "keys": verdict.keys,
            "approvals": [asdict(each) for each in verdict.approvals],
        })  # fmt: skip
    else:
        _print(verdict, options)
    raise typer.Exit(1 if verdict.problems else 0)


def _print(verdict: Verdict, options: VerifyOptions) -> None:
    for problem in verdict.problems:
        typer.echo(problem)
    if verdict.problems:
        n = len(verdict.problems)
        tell(f"{options.folder}: {n} {'problem' if n == 1 else 'problems'}", options.answer.quiet)
        return
    head = verdict.entries[-1].digest()
    tell(
        f"{options.folder} is as it was signed: {len(verdict.entries)} entries, head {head}",
        options.answer.quiet,
    )
    for each in verdict.approvals:
        tell(f"approved by {each.name} ({each.role}) until {each.until}", options.answer.quiet)
    if not options.trust:
        for key in verdict.keys:
            tell(
                f"signed by {key}: compare it with the key that the signer gave you, or use --trust",
                options.answer.quiet,
            )
