"""`deidlab mask SRC --plan`: what a run will take, before it takes it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.output import print_json, tell
from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.cli.mask_request import MaskRequest
    from deidlab.corpus.format import Counted
    from deidlab.pipeline.plan.forecasting import Forecast
    from deidlab.pipeline.plan.measuring import Measured
    from deidlab.report.tables import Table


def run_plan(request: MaskRequest) -> None:
    """Measure, forecast, print."""
    from deidlab.corpus.format import Counted
    from deidlab.machine import n_cores
    from deidlab.pipeline.plan.counting import count_source
    from deidlab.pipeline.plan.forecasting import cluster, forecast, idle_machine, is_busy, this_machine
    from deidlab.pipeline.plan.measuring import FINDING, measure_sample

    if str(request.source.path) == "-":
        raise ConfigError("--plan needs a corpus to measure with: name a file instead of -")
    wanted, workers = request.options.planning, request.options.engine.count
    cores = wanted.cores or n_cores()
    many = wanted.nodes and cluster(wanted.nodes, cores, wanted.gpus, wanted.gpu_speed, wanted.price_per_hour)
    counted = count_source(request.source, wanted.sample)
    if wanted.notes is not None:
        counted = Counted(wanted.notes, True, counted.longer if counted else 1.0)
    if counted is None:
        raise ConfigError("how many notes there are only reading would tell: say --notes N")
    # The sample's codes are nobody's: no crosswalk is to keep them.
    settings = replace(request.settings()[0], crosswalk=None)
    tell(f"masking {wanted.sample} notes to measure with …", request.silent)
    out = request.out if request.out.name else Path("out.jsonl")
    measured = measure_sample(request.job(settings, out), wanted.sample)
    if many and not measured.stages[FINDING].worker:
        raise ConfigError("the sample is too small to tell what workers do: a few hundred notes are needed")
    price = None if many else wanted.price_per_hour
    here, idle = (make(measured, workers, price) for make in (this_machine, idle_machine))
    machines = (here, idle if is_busy(measured) else None, many)
    forecasts = [forecast(measured, counted.n_notes, each, counted.longer) for each in machines if each]
    said = assumptions(measured, counted, forecasts)
    if request.options.answer.as_json:
        answer = {"measured": asdict(measured), "notes": asdict(counted)}
        print_json({**answer, "forecasts": [each.as_dict() for each in forecasts], "assumptions": said})
        return
    from deidlab.report.tables import print_table

    print_table(to_table(forecasts, counted))
    for line in said:
        typer.echo(f"- {line}")


def to_table(forecasts: list[Forecast], counted: Counted) -> Table:
    from deidlab.report.tables import text_table

    columns = [_column(each) for each in forecasts]
    rows = tuple((name, *(column[name] for column in columns)) for name in columns[0])
    about = "" if counted.exact else "about "
    title = f"{about}{counted.n_notes:,} notes"
    return text_table(title, ("", *(each.machines.name for each in forecasts)), rows)


def _column(plan: Forecast) -> dict[str, str]:
    machines = plan.machines
    gpus = f", {machines.gpus} GPUs" if machines.gpus else ""
    times = {
        f"{stage}": f"{show_time(seconds)} ({plan.limits[stage]})" for stage, seconds in plan.seconds.items()
    }
    return {
        "machines": f"{machines.nodes} × {machines.cores} cores{gpus}",
        "workers": f"{machines.workers}",
        "starting": show_time(plan.start),
        **times,
        "in all": show_time(plan.total_seconds),
        "notes a second": f"{plan.n_notes / plan.total_seconds:,.0f}",
        "memory: this process": show_size(plan.driver_bytes),
        "memory: a worker": show_size(plan.worker_bytes),
        "memory: a machine's workers": show_size(plan.node_bytes),
        "disk: the unfinished run": show_size(plan.disk_bytes["state"] + plan.disk_bytes["parts"]),
        "disk: output and record": show_size(plan.disk_bytes["output"] + plan.disk_bytes["record"]),
        "cost": "–" if plan.cost is None else f"{plan.cost:,.2f}",
    }


def assumptions(measured: Measured, counted: Counted, forecasts: list[Forecast]) -> list[str]:
    """What the plan takes for granted, with its figures."""
    from deidlab.pipeline.plan.forecasting import EFFICIENCY, efficiency, is_busy, useful_workers
    from deidlab.pipeline.plan.measuring import FINDING, MASKING

    find, mask = measured.stages[FINDING], measured.stages[MASKING]
    shares = [f"{efficiency(measured, stage):.0%}" for stage in (FINDING, MASKING)]
    lines = [
        (
            f"measured: {measured.n_notes:,} notes of {measured.characters:,.0f} characters, the source's "
            f"first, with {measured.workers} workers on {measured.cores} cores"
        ),
        (
            f"a note takes {_ms(find.worker)} of a worker to find and {_ms(mask.worker)} to mask, and of "
            f"this process {_ms(find.driver)} and {_ms(mask.driver)}; the passes had "
            f"{' and '.join(shares)} of the cores"
        ),
        "time grows in line with the notes and their length; the disk keeps up",
    ]
    if find.worker:
        lines.append(
            f"one run keeps about {useful_workers(measured):,} workers busy: beyond that they wait for the "
            "process that reads; to use more, split the corpus by patient and run one command for each part"
        )
    if is_busy(measured):
        lines.append(
            f"this machine was busy before (load {measured.busy:.1f}) and is taken to stay so; idle, "
            f"{EFFICIENCY:.0%} of its cores would be had"
        )
    if abs(counted.longer - 1) >= 0.005:
        lines.append(f"by the size of the files notes are {counted.longer:.2f} times as long as the sample's")
    if not counted.exact:
        lines.append("the number of notes is what the size of the files lets one expect")
    if measured.n_failed:
        lines.append(f"{measured.n_failed:,} notes of the sample failed")
    clusters = [each for each in forecasts if each.machines.name == "the cluster"]
    if clusters:
        lines.append(
            f"the cluster's cores are as fast as these and {EFFICIENCY:.0%} of them are had, its network "
            "keeps up, and Ray costs this process no more than local workers do; all machines are paid for "
            "from start to end"
        )
    if any(each.machines.all_gpus for each in clusters):
        lines.append("--gpu-speed is taken as it was given: nothing was measured on a GPU")
    if any(each.machines.price_per_hour is not None for each in forecasts):
        lines.append("cost is hours times machines times the price, without storage or transfer")
    return lines


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms"


def show_time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"


def show_size(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
