"""`deidlab dossier new|add|approve`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import QuietOption
from deidlab.cli.output import tell

if TYPE_CHECKING:
    from deidlab.report.dossier.chain import Hand
    from deidlab.report.dossier.evidence import Kind

_EVIDENCE = "Evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOptions:
    """Which dossier, who adds to it, and what signs for them."""

    GROUP: ClassVar[str] = COMMON

    folder: Path = argument(metavar="FOLDER", help="The dossier.")
    sign_with: Path = option(
        metavar="FILE",
        envvar="DEIDLAB_SIGNING_KEY",
        help="The key file that signs; `deidlab key new` writes one. Not the one that masks.",
    )
    operator: str = option(
        "",
        metavar="NAME",
        envvar="DEIDLAB_OPERATOR",
        help="Who does this, for the record [default: the account's name].",
    )
    answer: QuietOption

    def hand(self) -> Hand:
        from deidlab.pipeline.run.provenance import name_account
        from deidlab.report.dossier.chain import Hand
        from deidlab.report.dossier.signing import read_signer

        signer = read_signer(self.sign_with)
        if signer.warning:
            # Told even to those who asked for quiet: a secret is at stake.
            tell(f"warning: {signer.warning}")
        return Hand(self.operator or name_account(), signer)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOptions(HandOptions):
    title: str = option("De-identification dossier", metavar="TEXT", help="What the page is called.")


@takes_options
def new(options: NewOptions) -> None:
    """Open a dossier: a folder with a page and a signed chain of entries.

    Example: deidlab dossier new release-1 --title "Discharge letters, 2071" --sign-with signing.key
    """
    from deidlab.report.dossier.building import open_dossier

    hand = options.hand()
    open_dossier(options.folder, options.title, hand)
    tell(f"opened {options.folder}; signed by the key {hand.signer.public}", options.answer.quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOptions(HandOptions):
    run: tuple[str, ...] = option(
        (),
        metavar="OUT",
        help="What `deidlab mask` wrote: a file, a folder, or a table's URL. Repeatable.",
    )
    protocol: tuple[Path, ...] = option(
        (), metavar="FILE", help="A validation's protocol (JSON, TOML). Repeatable.", group=_EVIDENCE
    )
    result: tuple[Path, ...] = option(
        (), metavar="FILE", help="A validation's result (JSON, TOML). Repeatable.", group=_EVIDENCE
    )
    audit: tuple[Path, ...] = option(
        (), metavar="FILE", help="The .json of `deidlab audit`: residual risk. Repeatable.", group=_EVIDENCE
    )
    fairness: tuple[Path, ...] = option(
        (), metavar="FILE", help="Recall by group of people (JSON, TOML). Repeatable.", group=_EVIDENCE
    )
    utility: tuple[Path, ...] = option(
        (), metavar="FILE", help="What masking cost the notes (JSON, TOML). Repeatable.", group=_EVIDENCE
    )
    card: tuple[Path, ...] = option(
        (),
        metavar="FILE",
        help="The card of a model that does not come with DeidLab. Repeatable.",
        group=_EVIDENCE,
    )
    document: tuple[Path, ...] = option(
        (), metavar="FILE", help="Any other document: an assessment, a report. Repeatable.", group=_EVIDENCE
    )

    def runs(self) -> list[Path]:
        """Where the records of the runs stand."""
        from deidlab.cli.options.databases import is_database
        from deidlab.corpus.database_url import target_place

        return [target_place(each).stand_in if is_database(each) else Path(each) for each in self.run]

    def evidence(self) -> Iterator[tuple[Kind, Path]]:
        from deidlab.report.dossier.evidence import KINDS

        for name, kind in KINDS.items():
            yield from ((kind, path) for path in getattr(self, name))


@takes_options
def add(options: AddOptions) -> None:
    """Add masking runs and evidence that was given, an entry each, signed.

    Files are kept as they are, under names of the dossier's own, and nobody looks for PHI in them: give only
    what may be shown. An output that is not as its run wrote it is refused.

    Example: deidlab dossier add release-1 --run masked --audit audit.json --sign-with signing.key
    """
    from deidlab.errors import UsageError
    from deidlab.report.dossier.building import add_to

    evidence = list(options.evidence())
    if not options.run and not evidence:
        raise UsageError("say what to add, such as --run OUT or --result FILE")
    dossier = add_to(options.folder, options.runs(), evidence, options.hand())
    n_new, head = len(options.run) + len(evidence), dossier.entries[-1].digest()
    tell(
        f"added {n_new} to {options.folder}: {len(dossier.entries)} entries, head {head}",
        options.answer.quiet,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveOptions(HandOptions):
    name: str = option(metavar="NAME", help="Who approves.")
    role: str = option(metavar="TEXT", help="In which role, such as 'privacy officer'.")
    until: str = option(metavar="DATE", help="The last day on which the approval holds, such as 2072-03-31.")


@takes_options
def approve(options: ApproveOptions) -> None:
    """Approve all that is in a dossier by name, until a day.

    It is signed with the approver's own key file. What is added afterwards is not approved.

    Example: deidlab dossier approve release-1 --name "A. Roe" --role DPO --until 2072-03-31 --sign-with a.key
    """
    from deidlab.errors import UsageError
    from deidlab.report.dossier import building

    try:
        until = date.fromisoformat(options.until)
    except ValueError:
        raise UsageError("--until must be a date such as 2072-03-31") from None
    if until < date.today():
        raise UsageError("--until is a day that is over")
    if not options.name.strip() or not options.role.strip():
        raise UsageError("an approval needs a name and a role")
    dossier = building.approve(options.folder, (options.name, options.role), until, options.hand())
    head = dossier.entries[-1].digest()
    tell(
        f"approved {options.folder} until {until}: {len(dossier.entries)} entries, head {head}",
        options.answer.quiet,
    )
