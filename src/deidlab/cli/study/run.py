"""`deidlab study run`: train, select and test, from the start or from where it was cut off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli.options import option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.output import PARTLY_DONE, print_json, tell
from deidlab.cli.study.options import SpecOptions
from deidlab.errors import UnknownNameError, UsageError
from deidlab.study.run_options import ClusterOptions, RunOptions

if TYPE_CHECKING:
    from deidlab.study.records import StudyRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """All that `study run` takes."""

    spec: SpecOptions
    how: RunOptions
    engine: str = option(
        "local",
        metavar="local|ray",
        help="'local' runs on this machine, 'ray' on a Ray cluster.",
        group=ClusterOptions.GROUP,
    )
    cluster: ClusterOptions
    answer: AnswerOptions

    def __post_init__(self) -> None:
        if self.engine not in ("local", "ray"):
            raise UnknownNameError("engine", self.engine, ("local", "ray"))
        far = self.cluster
        if self.engine == "local" and (far.address is not None or far.gpus is not None):
            raise UsageError("--address and --gpus-per-run are for --engine ray")
        if self.how.stop_after not in ("", "selection"):
            raise UnknownNameError("stage to stop after", self.how.stop_after, ("selection",))


@takes_options
def run(options: StudyOptions) -> None:
    """Train every setting of every model, select by validation F1, and test the selected.

    Safe to stop at any moment, Ctrl-C or worse: the same command goes on where it was. A run that fails is
    recorded and the others go on; the study then waits with its selection for `--retry` or
    `--accept-failures`. Test notes are opened only once the selection is written; `access.jsonl` in the
    study's folder lists every reading.

    `--engine ray` sends runs to the nodes of a Ray cluster, which must all see the study's folder and its
    notes under the same paths. Records, numbers and going on are the same, and the engine may change between.

    Example: deidlab study run study.toml --corpus notes/ --out study
    """
    from deidlab.cli.study.watching import Watcher
    from deidlab.study.running import run_study

    is_ray, folder, quiet = options.engine == "ray", options.spec.folder, options.answer.quiet
    how = replace(options.how, cluster=options.cluster) if is_ray else options.how
    spec = options.spec.open()
    with Watcher(spec, quiet) as watcher:
        try:
            records = run_study(spec, folder, how, watcher.show)
        except KeyboardInterrupt:
            watcher.stop()
            ray = " --engine ray" if is_ray else ""
            again = f"deidlab study run {options.spec.study} --out {folder}{ray}"
            tell(f"deidlab: interrupted; go on with `{again}`")
            raise typer.Exit(130) from None
    _answer(records, folder, options.answer.as_json, quiet)
    if any(not each.is_done for each in records.completions):
        raise typer.Exit(PARTLY_DONE)


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
    from deidlab.report.tables import text_table

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
    return text_table(f"Study {records.study.name}", columns, tuple(rows), 2, note)


def _part(test: Any, part: str) -> str:
    scores = test.scores.get(part) if test is not None else None
    return "–" if not scores or scores["f1"] is None else f"{scores['f1']:.4f}"


def _scores(test: Any) -> tuple[str, ...]:
    scores = test.scores.get("test") if test is not None else None
    keys = ("f1", "precision", "recall", "accuracy")
    if not scores:
        return ("–",) * len(keys)
    return tuple("–" if scores[key] is None else f"{scores[key]:.4f}" for key in keys)
