"""`deidlab crosswalk new|check|rekey FILE`."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

import typer

from deidlab.cli.commands import LazyCommand, app_of
from deidlab.cli.options import argument, option, takes_options
from deidlab.cli.options.output import AnswerOptions, QuietOption
from deidlab.cli.output import print_json, tell

_HERE = "deidlab.cli.crosswalk"

crosswalk = app_of(
    "crosswalk",
    "Codes that are drawn at random, kept in a sealed file for later runs.",
    LazyCommand(_HERE, "new", "Write an empty crosswalk, sealed with a key file, that only you can read."),
    LazyCommand(_HERE, "check", "Whether a crosswalk is whole, and how many codes it keeps."),
    LazyCommand(_HERE, "rekey", "Seal a crosswalk with another key file; all codes stay."),
)


@dataclass(frozen=True, slots=True)
class SealedOptions:
    """A crosswalk, what seals it, and whose it is."""

    path: Path = argument(metavar="FILE", help="The crosswalk.")
    key_file: Path = option(
        MISSING, metavar="FILE", envvar="DEIDLAB_KEY_FILE", help="The key file that seals it."
    )
    project: str = option("", metavar="NAME", help="The project that it is for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCrosswalkOptions:
    sealed: SealedOptions
    answer: QuietOption


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCrosswalkOptions:
    sealed: SealedOptions
    answer: AnswerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RekeyOptions:
    sealed: SealedOptions
    new_key_file: Path = option(MISSING, metavar="FILE", help="The key file that is to seal it from now on.")
    answer: QuietOption


@takes_options
def new(options: NewCrosswalkOptions) -> None:
    """Write an empty crosswalk, sealed with a key file, that only you can read.

    Runs with it (`mask --crosswalk FILE`) draw codes, date offsets and the choice of names at random, and
    find again what earlier runs drew. An existing file is refused. Back it up after each run: without it
    nobody gets the same code again.

    Example: deidlab crosswalk new study.xwalk --key-file site.key --project study-12
    """
    from deidlab.mask.crosswalk import Crosswalk

    sealed = options.sealed
    Crosswalk.new(sealed.path, _key(sealed.key_file), sealed.project)
    tell(
        f"wrote {sealed.path} (mode 0600); keep it and its key file apart from the masked notes, and back up "
        "both",
        options.answer.quiet,
    )


@takes_options
def check(options: CheckCrosswalkOptions) -> None:
    """Whether a crosswalk is whole, and how many codes it keeps.

    One that was cut short, changed, sealed with another key or made for another project is refused.

    Example: deidlab crosswalk check study.xwalk --key-file site.key --project study-12
    """
    from deidlab.mask.crosswalk import Crosswalk

    sealed = options.sealed
    found = Crosswalk.open(sealed.path, _key(sealed.key_file), sealed.project)
    if found.warning:
        tell(f"warning: {found.warning}")
    counts = {kind: found.counts()[kind] for kind in ("patient", "document", "key")}
    if options.answer.as_json:
        print_json({"id": found.id, "project": found.project, "codes": counts})
        return
    kept = ", ".join(f"{n} of {kind}s" for kind, n in counts.items())
    typer.echo(f"{sealed.path} is whole: codes {kept}")


@takes_options
def rekey(options: RekeyOptions) -> None:
    """Seal a crosswalk with another key file; all codes stay.

    For when a key may be known to somebody: copies of before still open with the old one, so remove those.
    No run may be under way with it.

    Example: deidlab crosswalk rekey study.xwalk --key-file old.key --new-key-file new.key
    """
    from deidlab.mask.crosswalk import Crosswalk

    sealed = options.sealed
    found = Crosswalk.open(sealed.path, _key(sealed.key_file), sealed.project)
    found.rekey(_key(options.new_key_file))
    tell(f"{sealed.path} is sealed with {options.new_key_file} now", options.answer.quiet)


def _key(path: Path) -> bytes:
    from deidlab.mask.keys import read_key

    return read_key(path).key
