"""`deidlab detect SRC --out DST`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.engine import EngineOptions
from deidlab.cli.options.finding import check_finding, print_rules
from deidlab.cli.options.output import OUTPUT, AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import NoteOptions
from deidlab.cli.output import PARTLY_DONE, print_json, tell
from deidlab.pipeline.settings import Finding

if TYPE_CHECKING:
    from deidlab.pipeline.detecting import DetectOutcome
    from deidlab.pipeline.jobs import DetectJob

_NOWHERE = Path()


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectOptions:
    """All that `detect` takes."""

    GROUP: ClassVar[str] = OUTPUT

    source: Path = argument(
        _NOWHERE,
        metavar="SRC",
        help="A file, a folder read with its subfolders, or - for standard input.",
        show_default=False,
    )
    out: Path = option(
        _NOWHERE,
        "--out",
        "-o",
        metavar="DST",
        help="The file or folder to write, or - for standard output.",
        show_default=False,
        group=COMMON,
    )
    to: str | None = option(
        None,
        metavar="FORMAT",
        help="Format of the output [default: by DST's name, else the source's; brat for plain text].",
        group=COMMON,
    )
    finding: Finding
    list_rules: bool = option(
        False, help="List the rules of the --language (or model's), and stop.", group=Finding.GROUP
    )
    reading: NoteOptions
    word_scores: Path | None = option(
        None, metavar="FILE", help="Write every word's PHI probability, for `deidlab score --scores`."
    )
    write_calibration: Path | None = option(
        None,
        old=("--calibration",),
        metavar="FILE",
        help="SRC has people's annotations: write how sure the detector is of them, for `mask`.",
    )
    overwriting: OverwriteOption
    answer: AnswerOptions
    engine: EngineOptions


@takes_options
def detect(options: DetectOptions) -> None:
    """Find PHI and write the notes with it marked; text, ids and fields stay as they are.

    A note that fails is left out and listed by its place in the source, and the exit status is 3. A run that
    was stopped goes on when the same command is given again.

    Example: deidlab detect notes/ --out found.jsonl --rules only
    """
    from deidlab.labels import load_label_set

    if options.finding.labels != "own":
        load_label_set(options.finding.labels)
    check_finding(options.finding)
    if options.list_rules:
        print_rules(options.finding.find_language(), options.answer.as_json)
        return
    _run(options)


def _run(options: DetectOptions) -> None:
    from deidlab.cli.mask_progress import KEPT, LOST, ending_well, watching
    from deidlab.cli.mask_stdout import DASH, print_notes
    from deidlab.cli.mask_warnings import known_warnings, tell_warnings
    from deidlab.pipeline.detecting import detect_corpus, write_files
    from deidlab.pipeline.io.opening import open_source

    job, answer = _make_job(options), options.answer
    opened = open_source(job.source)
    # Marked notes are notes: on their way to standard output they touch no file.
    write = partial(print_notes, stream=sys.stdout.buffer) if options.out == DASH else write_files(job)
    rest = LOST if DASH in (options.source, options.out) else KEPT
    with (
        options.engine.running() as execute,
        ending_well(options.out, rest),
        watching(opened, answer.silent) as watch,
    ):
        outcome = detect_corpus(replace(job, execute=execute), write, watch)
    sources = (source for _, source in outcome.found)
    tell_warnings(known_warnings(job.finding.known, sources, outcome.n_notes))
    _tell(outcome, options, str(job.to))


def _make_job(options: DetectOptions) -> DetectJob:
    """The work, once its places are checked."""
    from deidlab.pipeline.detecting import choose_format
    from deidlab.pipeline.io.opening import open_source
    from deidlab.pipeline.jobs import DetectJob

    if options.source == _NOWHERE:
        raise typer.BadParameter("say which notes to search: deidlab detect SRC --out DST")
    if options.out == _NOWHERE:
        raise typer.BadParameter("say where to write with --out DST")
    if options.write_calibration is not None and options.finding.together:
        raise typer.BadParameter("--write-calibration: each --system decides by itself, without a threshold")
    source = options.reading.source(options.source)
    open_source(source).check()
    return DetectJob(
        source=source,
        destination=options.out,
        finding=options.engine.settle_device(options.finding),
        to=choose_format(source, options.out, options.to),
        word_scores=options.word_scores,
        workers=options.engine.count,
        overwrite=options.overwriting.overwrite,
        calibration=options.write_calibration,
    )


def _tell(outcome: DetectOutcome, options: DetectOptions, format: str) -> None:
    quiet = options.answer.quiet
    if options.answer.as_json:
        print_json(_answer(outcome))
    else:
        spans = sum(outcome.found.values())
        tell(f"found {spans} spans in {outcome.n_notes} notes, written to {options.out}", quiet)
        for what, n in sorted((+outcome.losses).items()):
            tell(f"not held by {format}: {what} ({n})", quiet)
    for number, reason in sorted(outcome.failed):
        tell(f"left out: note {number}: {reason}")
    if outcome.failed:
        raise typer.Exit(PARTLY_DONE)


def _answer(outcome: DetectOutcome) -> dict[str, object]:
    return {
        "notes": outcome.n_notes,
        "found": [{"label": a, "source": b, "n": n} for (a, b), n in sorted(outcome.found.items())],
        "losses": dict(outcome.losses),
        "failures": [{"number": number, "reason": reason} for number, reason in sorted(outcome.failed)],
    }
