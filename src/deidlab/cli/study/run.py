"""`deidlab study run`: train, select and test, from the start or from where it was cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.cli.study import options as opt

if TYPE_CHECKING:
    from deidlab.study.engines import FarOptions
    from deidlab.study.records import StudyRecords

Processes = Annotated[
    int,
    typer.Option(
        min=0,
        help="Runs side by side; 0 is the file's number, or else one a GPU, or one; on Ray, all that fit.",
    ),
]
Retry = Annotated[bool, typer.Option("--retry", help="Try the runs that failed again.")]
AcceptFailures = Annotated[
    bool, typer.Option("--accept-failures", help="Select and test although runs failed; they stay out.")
]
StopAfter = Annotated[
    str, typer.Option(help="'selection' trains and selects, and leaves the test notes shut.")
]
Engine = Annotated[str, typer.Option(help="'local' runs on this machine, 'ray' on a Ray cluster.")]
Address = Annotated[
    str | None,
    typer.Option(
        help="With --engine ray: 'auto' or HOST:PORT of a Ray that runs; left out, one is started here."
    ),
]
GpusPerRun = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        help="With --engine ray: how much of a GPU a run takes, such as 0.5; one where there are GPUs.",
        show_default=False,
    ),
]
CpusPerRun = Annotated[
    float, typer.Option(min=0.0, help="With --engine ray: CPU cores, and threads, that a run takes.")
]
Tries = Annotated[
    int,
    typer.Option(
        min=0, help="Times a run is tried whose worker dies; 0 is once on this machine, three times on Ray."
    ),
]


def run(
    study: opt.Study,
    out: opt.Out = None,
    corpus: opt.Corpus = None,
    set: opt.Set = None,
    price: opt.Price = None,
    processes: Processes = 0,
    device: opt.Device = "auto",
    retry: Retry = False,
    accept_failures: AcceptFailures = False,
    stop_after: StopAfter = "",
    engine: Engine = "local",
    address: Address = None,
    gpus_per_run: GpusPerRun = None,
    cpus_per_run: CpusPerRun = 1.0,
    tries: Tries = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train every setting of every model, select by validation F1, and test the selected.

    Safe to stop at any moment, Ctrl-C or worse: the same command goes on where it was. A run that fails is
    recorded and the others go on; the study then waits with its selection for `--retry` or
    `--accept-failures`. Test notes are opened only once the selection is written; `access.jsonl` in the
    study's folder lists every reading.

    `--engine ray` sends runs to the nodes of a Ray cluster, which must all see the study's folder and its
    notes under the same paths. Records, numbers and going on are the same, and the engine may change between.
    """
    from deidlab.cli.study.watching import Watcher
    from deidlab.errors import UnknownNameError
    from deidlab.study.running import RunOptions, run_study

    if stop_after not in ("", "selection"):
        raise UnknownNameError("stage to stop after", stop_after, ("selection",))
    spec = opt.open_spec(study, set, corpus, price)
    folder = out or opt.default_folder(study)
    far = _choose_engine(engine, address, gpus_per_run, cpus_per_run)
    options = RunOptions(device, processes, retry, accept_failures, stop_after, tries, far)
    with Watcher(spec, quiet) as watcher:
        try:
            records = run_study(spec, folder, options, watcher.show)
        except KeyboardInterrupt:
            watcher.stop()
            again = f"deidlab study run {study} --out {folder}" + (" --engine ray" if far else "")
            tell(f"deidlab: interrupted; go on with `{again}`")
            raise typer.Exit(130) from None
    _answer(records, folder, as_json, quiet)
    if any(not each.is_done for each in records.completions):
        raise typer.Exit(3)


def _choose_engine(engine: str, address: str | None, gpus: float | None, cpus: float) -> FarOptions | None:
    from deidlab.errors import UnknownNameError, UsageError

    if engine not in ("local", "ray"):
        raise UnknownNameError("engine", engine, ("local", "ray"))
    if engine == "local":
        if address is not None or gpus is not None:
            raise UsageError("--address and --gpus-per-run are for --engine ray")
        return None
    from deidlab.study.engines import FarOptions

    return FarOptions(address, cpus, gpus)


def _answer(records: StudyRecords, folder: Path, as_json: bool, quiet: bool) -> None:
    failed = [each for each in records.completions if not each.is_done]
    if as_json:
        print_json(_as_dict(records, folder))
        return
    from deidlab.report.tables import print_table

    print_table(_to_table(records))
    for each in failed:
        tell(f"failed: {each.run}: {each.error}")
    if failed:
        waits = "" if records.selection else "; nothing is selected before --retry or --accept-failures"
        tell(f"{len(failed)} of {len(records.completions)} runs failed{waits}", quiet)
    tell(f"{folder}: `deidlab study report {folder}` makes its tables", quiet)


def _as_dict(records: StudyRecords, folder: Path) -> dict[str, Any]:
    selection = records.selection
    return {
        "study": str(folder),
        "runs": len(records.completions),
        "failed": {each.run: each.error for each in records.completions if not each.is_done},
        "gpu_seconds": sum(each.gpu_seconds for each in records.completions),
        "seconds": sum(each.seconds for each in records.completions),
        "selected": {name: choice.run for name, choice in selection.choices.items()} if selection else {},
        "tests": {
            each.name: {part: scores["f1"] for part, scores in each.scores.items()} for each in records.tests
        },
    }


def _to_table(records: StudyRecords) -> Any:
    from deidlab.report.tables import Table

    tests = {each.name: each for each in records.tests}
    selection = records.selection
    rows = []
    for name, choice in (selection.choices if selection else {}).items():
        rows.append((name, choice.run, f"{choice.f1:.4f}", *_scores(tests.get(name))))
    for each in records.tests:
        if each.kind != "model":
            what = each.kind if each.scores else each.note or each.kind
            rows.append((each.name, what, _part(each, "validation"), *_scores(each)))
    columns = ("model", "run", "validation F1", "test F1", "precision", "recall", "accuracy")
    note = "words, micro over PHI labels; the run was selected on the validation notes"
    return Table(f"Study {records.study.name}", columns, tuple(rows), 2, note)


def _part(test: Any, part: str) -> str:
    scores = test.scores.get(part) if test is not None else None
    return "–" if not scores or scores["f1"] is None else f"{scores['f1']:.4f}"


def _scores(test: Any) -> tuple[str, ...]:
    scores = test.scores.get("test") if test is not None else None
    keys = ("f1", "precision", "recall", "accuracy")
    if not scores:
        return ("–",) * len(keys)
    return tuple("–" if scores[key] is None else f"{scores[key]:.4f}" for key in keys)
