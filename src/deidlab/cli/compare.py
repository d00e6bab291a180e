"""`deidlab compare NOTES --system … --out DIR`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.intervals import IntervalOptions
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import ReadingOptions
from deidlab.cli.output import print_json, tell, tell_written
from deidlab.systems.members import SystemOptions, read_maps

if TYPE_CHECKING:
    from deidlab.systems.comparing import Comparison
    from deidlab.systems.judging import CompareSettings
    from deidlab.systems.specification import SystemSpec

# What fits a terminal; the labels, every place and every test are in the folder.
_PRINTED = (
    "verdict", "failures", "labels-not-compared", "long-notes", "robustness-recall", "robustness-precision",
    "names-worst", "speed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedOptions(SystemOptions):
    """Which systems, and how they are asked."""

    GROUP: ClassVar[str] = "Systems"

    ensemble: str = option(
        "", help="Add a row in which all answer as one, as they would mask.", metavar="union|vote|mean"
    )
    cores: int = option(1, help="Cores that each system may use; 0 is all.", min=0)


@dataclass(frozen=True, slots=True)
class JudgingOptions:
    """How the systems are judged."""

    GROUP: ClassVar[str] = "How to judge"

    labels: str = option("i2b2-groups", help="The label set that labels are compared in.", metavar="SET")
    robustness: bool = option(
        False,
        help="Also on the notes in lower case, in upper case, with scanning noise and with wrapped lines.",
    )  # fmt: skip
    fairness: bool = option(False, help="Also recall of names by origin, with the gold's own names swapped.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """All that `deidlab compare` is told."""

    GROUP: ClassVar[str] = COMMON

    notes: Path = argument(metavar="NOTES", help="Notes with gold spans, in any format.")
    out: Path = option(help="The folder for the report: HTML, Markdown, LaTeX, CSV, JSON.")
    show_text: bool = option(False, help="Quote the notes where systems went wrong, in the report.")
    systems: ComparedOptions
    judging: JudgingOptions
    intervals: IntervalOptions
    reading: ReadingOptions
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def compare(options: CompareOptions) -> None:
    """Which detector works on these notes: ours and other people's, measured alike.

    A system that fails on a note is failed for that note, and the rest goes on.

    Example: deidlab compare notes/ --system embedded:en --system presidio --out compare/
    """
    from deidlab.corpus import read_corpus
    from deidlab.corpus.files import refuse_existing
    from deidlab.errors import UsageError
    from deidlab.report.study.files import report_to_json, write_report
    from deidlab.report.tables import print_table
    from deidlab.systems.comparing import best_by_recall
    from deidlab.systems.comparing import compare as run_comparison
    from deidlab.systems.specification import read_specs

    specs = read_specs(options.systems.system, options.systems.python)
    if not specs:
        raise UsageError("say what to compare with --system KIND:ARGUMENT, once for each system")
    settings, answering = _settings(options, [each.name for each in specs]), options.answer
    refuse_existing(options.out, options.overwriting.overwrite)
    documents = list(read_corpus(options.notes, options.reading.format, options.reading.files))
    comparison = run_comparison(documents, specs, settings, lambda said: tell(said, answering.silent))
    shown, typed = (_commands(comparison, specs, options.systems, whole) for whole in (False, True))
    report = _report(comparison, options.notes.name, options.show_text, shown)
    written = write_report(report, options.out, ("html", "markdown", "latex", "csv", "json"))
    if answering.as_json:
        print_json(report_to_json(report))
    elif not answering.quiet:
        for table in report.tables:
            if table.key in _PRINTED:
                print_table(table)
    for line in report.missing:
        tell(line)
    best = best_by_recall(comparison)[0].name
    tell(f"to mask with {best}, which leaves least visible: {typed[best]}", answering.silent)
    tell_written(written[:1], answering.silent)


def _settings(options: CompareOptions, names: list[str]) -> CompareSettings:
    from deidlab.detect import HOW
    from deidlab.errors import UnknownNameError
    from deidlab.evaluate.score import ScoreSettings
    from deidlab.labels import load_label_set
    from deidlab.systems.judging import CompareSettings
    from deidlab.systems.process import Limits

    systems, judging = options.systems, options.judging
    if systems.ensemble and systems.ensemble not in HOW:
        raise UnknownNameError("ensemble", systems.ensemble, HOW)
    load_label_set(judging.labels)
    return CompareSettings(
        scoring=ScoreSettings(resample=options.intervals.settings()),
        target=judging.labels,
        maps=read_maps(systems.map, names),
        limits=Limits(systems.start_timeout, systems.timeout, systems.cores),
        hosts=systems.allow_host,
        ensemble=systems.ensemble,
        robustness=judging.robustness,
        fairness=judging.fairness,
    )


def _commands(
    comparison: Comparison, specs: Sequence[SystemSpec], options: SystemOptions, whole: bool
) -> dict[str, str]:
    """What masks with each system, and with all that started as one."""
    from deidlab.systems.judging import ENSEMBLE
    from deidlab.systems.telling import mask_command

    there = [each for each in specs if each.name not in comparison.absent]
    how = comparison.settings.ensemble
    commands = {each.name: mask_command([each], how, options, whole) for each in there}
    return {ENSEMBLE: mask_command(there, how, options, whole)} | commands


def _report(comparison: Comparison, name: str, show_text: bool, commands: Mapping[str, str]) -> Any:
    import datetime
    import os
    import platform

    import deidlab
    from deidlab.report.compare.report import build_compare_report

    settings = comparison.settings
    provenance = {
        "machine": {
            "date": str(datetime.date.today()),
            "system": platform.platform(),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "cores of a system": settings.limits.cores or "all",
            "load before": round(os.getloadavg()[0], 2),
        },
        "deidlab": deidlab.__version__,
        "labels": settings.target,
        "resamples": settings.scoring.resample.n_resamples,
        "systems": {
            each.name: {
                "kind": each.kind,
                "scheme": each.naming.scheme,
                "versions": dict(each.facts.versions),
            }
            for each in comparison.results
        },
    }
    return build_compare_report(comparison, f"Systems compared on {name}", provenance, show_text, commands)
