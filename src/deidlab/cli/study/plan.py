"""`deidlab study plan`: what a study will take, before it takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options import COMMON, option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import print_json, tell
from deidlab.cli.study.options import SpecOptions

if TYPE_CHECKING:
    from deidlab.report.tables import Table
    from deidlab.study.planning import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlanOptions:
    """All that `study plan` takes."""

    GROUP: ClassVar[str] = COMMON

    spec: SpecOptions
    device: str = option("auto", metavar="auto|cpu|cuda", help="The device that the study would run on.")
    time_steps: bool = option(
        True,
        "--time-steps/--no-time-steps",
        old=("--calibrate", "--no-calibrate"),
        help="Time a few training steps of each model on this machine.",
    )
    answer: AnswerOptions


@takes_options
def plan(options: StudyPlanOptions) -> None:
    """Say what a study will take: runs, epochs, steps, GPU hours, money, and what is shared.

    Hours come from the speed of runs that the study has completed, or else from a few training steps of each
    model, timed on this machine. Test notes are not opened.

    Example: deidlab study plan study.toml --corpus notes/
    """
    from deidlab.report.tables import print_table
    from deidlab.study.planning import plan_study

    spec = options.spec
    found = plan_study(spec.open(), spec.folder, options.device, options.time_steps)
    if options.answer.as_json:
        print_json(found.as_dict())
        return
    print_table(_to_table(found))
    for line in _lines(found):
        typer.echo(line)
    for note in found.notes:
        tell(f"note: {note}", options.answer.quiet)


def _to_table(plan: Plan) -> Table:
    from deidlab.report.tables import text_table

    rows: list[tuple[str, ...]] = [
        (
            each.model,
            str(each.runs),
            str(each.done),
            str(each.jobs),
            str(each.epochs),
            str(each.trained_epochs),
            _count(each.trained_steps),
            _count(each.pieces_per_second),
            _hours(each.hours),
        )
        for each in plan.models
    ]
    totals = [
        plan.total(key) for key in ("runs", "done", "jobs", "epochs", "trained_epochs", "trained_steps")
    ]
    rows.append(("all", *map(_count, totals), "", _hours(plan.hours)))
    columns = ("model", "runs", "done", "trainings", "epochs", "trained", "steps", "pieces/s", "hours")
    return text_table(f"Study {plan.name}", columns, tuple(rows))


def _lines(plan: Plan) -> list[str]:
    lines = []
    for each in plan.models:
        if each.shared:
            n_runs = sum(len(ids) for ids in each.shared)
            lines.append(f"{each.model}: {n_runs} runs share {len(each.shared)} trainings")
        if each.rungs:
            rungs = ", then ".join(f"{n} of up to {epochs} epochs" for n, epochs in each.rungs)
            lines.append(f"{each.model}: successive halving, {rungs}")
    if plan.hours is not None:
        what = "GPU hours" if plan.device == "gpu" else "hours on this CPU"
        money = (
            ""
            if plan.money is None
            else f", {plan.money:,.2f} {plan.currency} at {plan.price_per_hour:g} an hour"
        )
        lines.append(f"in all about {_hours(plan.hours)} {what}{money}")
        if plan.processes > 1:
            clock = _hours(plan.hours / plan.processes)
            lines.append(f"{plan.processes} runs go side by side: about {clock} hours on the clock")
    return lines


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _hours(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"
