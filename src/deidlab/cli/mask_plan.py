"""`deidlab mask SRC --plan`: what a run will take, before it takes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.output import print_json, tell
from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.cli.mask_asked import Asked
    from deidlab.corpus.format import Counted
    from deidlab.pipeline.plan.forecasting import Forecast
    from deidlab.pipeline.plan.measuring import Measured
    from deidlab.report.tables import Table

Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Write nothing: mask a sample, and say what time, memory, disk and money the whole will take.",
    ),
]
Sample = Annotated[int, typer.Option(min=1, metavar="N", help="With --plan: the notes to measure with.")]
Notes = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="With --plan: for so many notes [default: as many as SRC has]."),
]
Nodes = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="With --plan: also on a cluster of N machines.")
]
Cores = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="With --plan: cores of each machine [default: as many as here]."),
]
Gpus = Annotated[int, typer.Option(min=0, metavar="N", help="With --plan: GPUs of each machine.")]
GpuSpeed = Annotated[
    float | None,
    typer.Option(
        min=0.001, metavar="X", help="With --plan --gpus: notes a second that one GPU of yours finds PHI in."
    ),
]
Price = Annotated[
    float | None, typer.Option(min=0.0, metavar="X", help="With --plan: what a machine costs an hour.")
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the plan is to be about."""

    sample: int = 1000
    notes: int | None = None
    nodes: int | None = None
    cores: int | None = None
    gpus: int = 0
    gpu_speed: float | None = None
    price: float | None = None

    def __post_init__(self) -> None:
        if self.nodes is None and (self.cores or self.gpus or self.gpu_speed):
            raise typer.BadParameter("--cores, --gpus and --gpu-speed describe the machines of --nodes N")
        if self.gpu_speed and not self.gpus:
            raise typer.BadParameter("--gpu-speed is of the --gpus N")


def run_plan(asked: Asked, wanted: Wanted) -> None:
    """Measure, forecast, print."""
    from deidlab.corpus.format import Counted
    from deidlab.pipeline.masking import MaskJob
    from deidlab.pipeline.plan.counting import count_source
    from deidlab.pipeline.plan.forecasting import cluster, forecast, idle_machine, is_busy, this_machine
    from deidlab.pipeline.plan.measuring import FINDING, available_cores, measure_sample

    if str(asked.source.path) == "-":
        raise ConfigError("--plan needs a corpus to measure with: name a file instead of -")
    cores = wanted.cores or available_cores()
    many = wanted.nodes and cluster(wanted.nodes, cores, wanted.gpus, wanted.gpu_speed, wanted.price)
    settings, _ = asked.settings()
    counted = count_source(asked.source, wanted.sample)
    if wanted.notes is not None:
        counted = Counted(wanted.notes, True, counted.longer if counted else 1.0)
    if counted is None:
        raise ConfigError("how many notes there are only reading would tell: say --notes N")
    tell(f"masking {wanted.sample} notes to measure with …", asked.silent)
    out = asked.out if asked.out.name else Path("out.jsonl")
    job = MaskJob(
        asked.source, out, asked.finding, settings, asked.writing, asked.spans, workers=asked.workers,
        sink=asked.sink,
    )  # fmt: skip
    measured = measure_sample(job, wanted.sample)
    if many and not measured.stages[FINDING].worker:
        raise ConfigError("the sample is too small to tell what workers do: a few hundred notes are needed")
    price = None if many else wanted.price
    here, idle = (make(measured, asked.workers, price) for make in (this_machine, idle_machine))
    machines = (here, idle if is_busy(measured) else None, many)
    forecasts = [forecast(measured, counted.n_notes, each, counted.longer) for each in machines if each]
    said = assumptions(measured, counted, forecasts)
    if asked.as_json:
        answer = {"measured": asdict(measured), "notes": asdict(counted)}
        print_json({**answer, "forecasts": [each.as_dict() for each in forecasts], "assumptions": said})
        return
    from deidlab.report.tables import print_table

    print_table(to_table(forecasts, counted))
    for line in said:
        typer.echo(f"- {line}")


def to_table(forecasts: list[Forecast], counted: Counted) -> Table:
    from deidlab.report.tables import Table

    columns = [_column(each) for each in forecasts]
    rows = tuple((name, *(column[name] for column in columns)) for name in columns[0])
    about = "" if counted.exact else "about "
    title = f"{about}{counted.n_notes:,} notes"
    return Table(title, ("", *(each.machines.name for each in forecasts)), rows)


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
            "process that reads; to use more, split the corpus by patient and run one command a part"
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
