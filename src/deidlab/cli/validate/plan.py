"""`deidlab validate plan OUT --protocol FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json, tell

if TYPE_CHECKING:
    from deidlab.report.validation.drawing import PlanSettings
    from deidlab.report.validation.protocol import Protocol, Wanted

_READING = "Reading"
# One leak among so many times what the bound allows is planned for, where nothing else is said.
_EXPECTED = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOptions:
    """What is to be shown."""

    GROUP: ClassVar[str] = "What is to be shown"

    bound: float | None = option(
        None,
        metavar="SHARE",
        help="At most this share of all notes has a leak, such as 0.01.",
        group=COMMON,
    )
    words: float | None = option(None, metavar="N", help="At most so many leaked words per thousand words.")
    stratum_bound: float | None = option(
        None, metavar="SHARE", help="At most this share of the notes of each stratum has a leak."
    )
    confidence: float = option(0.95, help="How sure that is to be.")
    expect: float | None = option(
        None, metavar="SHARE", help="The share of notes expected to leak [default: a tenth of the bound]."
    )
    most_words: int = option(
        20, min=1, help="How many leaked words one note counts at most in the bound on words."
    )

    def wanted(self) -> Wanted:
        from deidlab.errors import UsageError
        from deidlab.report.validation.protocol import Wanted

        for name, value, most in (
            ("--bound", self.bound, 1.0),
            ("--stratum-bound", self.stratum_bound, 1.0),
            ("--words", self.words, 1000.0),
        ):
            if value is not None and not 0 < value < most:
                raise UsageError(f"{name} must lie between 0 and {most:g}")
        if not 0.5 <= self.confidence < 1:
            raise UsageError("--confidence must lie between 0.5 and 1")
        return Wanted(self.confidence, self.bound, self.words, self.stratum_bound, self.most_words)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatePlanOptions:
    """All that `validate plan` takes."""

    GROUP: ClassVar[str] = _READING

    output: str = argument(
        metavar="OUT", help="What `deidlab mask` wrote: a file, a folder, or a table's URL."
    )
    protocol: Path = option(
        metavar="FILE", help="The protocol to write (.json); it is not changed afterwards.", group=COMMON
    )
    bounds: BoundOptions
    by: tuple[str, ...] = option(
        (),
        metavar="certainty|language|column:NAME",
        help="Read each kind of note in its part: by the detector's certainty, by language, or by a column "
        "that the masked notes have. Repeatable.",
    )
    readers: int = option(1, min=1, max=2, help="How many people read each note.")
    looks: bool = option(
        True, "--looks/--one-look", help="Look at the bound at any time, or once at the end with fewer notes."
    )
    words_per_minute: int = option(150, min=1, help="How fast people read, for the cost in hours.")
    seed: int = option(0, help="Seed of the sample.")
    answer: AnswerOptions

    def settings(self) -> PlanSettings:
        from deidlab.report.validation.drawing import PlanSettings

        bounds = [each for each in (self.bounds.bound, self.bounds.stratum_bound) if each is not None]
        expect = self.bounds.expect
        if expect is None:
            expect = _EXPECTED * min(bounds, default=0.0)
        return PlanSettings(expect, self.readers, self.looks, self.words_per_minute, self.by, self.seed)


@takes_options
def plan(options: ValidatePlanOptions) -> None:
    """Lay down the wanted bound: how many notes of each kind to read, and when to stop.

    The protocol is sealed by a digest before the first note is read. Each later step checks it, and refuses
    a protocol that was changed. It holds counts and digests, no id and no text.

    Example: deidlab validate plan masked --bound 0.01 --readers 2 --protocol protocol.json
    """
    from deidlab.cli.validate.opening import open_run
    from deidlab.report.validation.drawing import plan_validation
    from deidlab.report.validation.protocol import refuse_written, write_protocol

    wanted, settings = options.bounds.wanted(), options.settings()
    refuse_written(options.protocol)
    protocol = plan_validation(open_run(options.output), wanted, settings)
    digest = write_protocol(protocol, options.protocol)
    if options.answer.as_json:
        print_json(protocol.to_json())
    else:
        _show(protocol)
    tell(f"wrote {options.protocol}; its seal is {digest}", options.answer.silent)


def _show(protocol: Protocol) -> None:
    from deidlab.report.tables import print_table
    from deidlab.report.validation.tables import plan_table, say_wanted

    typer.echo(f"to show: {say_wanted(protocol.to_json()['wanted'])}")
    print_table(plan_table(protocol))
    hours = sum(each.hours for each in protocol.strata)
    who = "two readers" if protocol.readers == 2 else "one reader"
    typer.echo(
        f"to read: {protocol.planned:,} of {protocol.run['notes']:,} notes by {who}, "
        f"about {hours:,.1f} hours in all"
    )
    typer.echo(str(protocol.facts["stopping"]))
