"""The options that `detect`, `mask` and their relatives share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from deidlab.errors import UsageError
from deidlab.languages import MODELLED

DASH = Path("-")
NOWHERE = Path()

Source = Annotated[
    Path,
    typer.Argument(
        metavar="SRC",
        help="A file, a folder read with its subfolders, or - for standard input.",
        show_default=False,
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DST",
        help="The file or folder to write, or - for standard output.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="|".join((*MODELLED, "FOLDER")),
        help="An embedded model, or the folder of an export or a run.",
    ),
]
Rules = Annotated[
    str,
    typer.Option(
        metavar="on|off|only", help="Rules and lists beside the model, not at all, or without a model."
    ),
]
Threshold = Annotated[
    float | None, typer.Option(min=0.0, max=1.0, help="How certain a span must be [default: the detector's].")
]
Ensemble = Annotated[
    str,
    typer.Option(
        metavar="union|vote|mean",
        help="How rules and model come together: all that either finds, only what both find, or the mean of "
        "their certainties.",
    ),
]
Calibration = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="How sure the detector is of real PHI, for a policy that wants a recall "
        "[default: calibration.json in the model's folder].",
    ),
]
Known = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="What is known of each patient (CSV, Parquet, JSONL): a column 'patient', then name, dob, mrn …",
    ),
]
Allow = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Terms of your site that are never PHI, one a line.")
]
Deny = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Terms of your site that always are, one a line.")
]
PatientFrom = Annotated[
    str | None,
    typer.Option(metavar="REGEX", help="Take the patient from a note's id: what the one group matches."),
]
Workers = Annotated[
    int,
    typer.Option(
        min=0,
        help="Worker processes; 0 is one for each core, on a Ray cluster as many as it has room for. They "
        "never change the result.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar="DEIDLAB_KEY_FILE",
        help="The secret that decides surrogates and pseudonyms; `deidlab key new` writes one.",
    ),
]
Style = Annotated[
    str,
    typer.Option(
        metavar="redact|tag|surrogate", help="Blocks, numbered tags, or invented names and shifted dates."
    ),
]
Policy = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE", help="safe-harbor, i2b2, limited-dataset, gdpr, phipa, or a TOML file."
    ),
]
RedactMark = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="With --style redact: this mark for every span, not blocks of its length."
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of the output [default: by DST's name, else the source's; brat for plain text].",
    ),
]
Labels = Annotated[
    str,
    typer.Option(
        metavar="SET|own",
        help="Label set of the answer; own: the model's (with --rules off at the threshold that suits its "
        "corpus's measure).",
    ),
]
WordScores = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write every word's PHI probability, for `deidlab score --scores`."),
]
NewCalibration = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="SRC has people's annotations: write how sure the detector is of them (`mask --calibration`).",
    ),
]
Spans = Annotated[
    Path | None,
    typer.Option(
        metavar="CORPUS", help="Mask these annotations (of the same notes, by id) and detect nothing."
    ),
]
KeepMap = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write the way back, encrypted with a passphrase, for `deidlab restore`."
    ),
]
Ids = Annotated[
    str,
    typer.Option(
        metavar="pseudonyms|keep", help="Pseudonyms for ids and file names, or leave them as they are."
    ),
]
KeepColumn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A column or field to keep as it is; all others are dropped. Repeatable."
    ),
]
KeepAnnotations = Annotated[
    bool,
    typer.Option(
        "--keep-annotations",
        help="Keep annotations of SRC that stand on text which was not replaced; they point at what is left.",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Write nothing: count, and say what a stricter threshold would add.")
]
Failures = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="List failed notes with their real ids and files (for you alone: mode 0600)."
    ),
]


DayFirst = Annotated[bool, typer.Option("--day-first", help="Read 3/4/2064 as the third of April.")]


def count_workers(asked: int) -> int:
    """That many, or as many as this process may use cores."""
    if asked:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_finding(rules: str, ensemble: str) -> None:
    check_choice("--rules", rules, ("on", "off", "only"))
    check_choice("--ensemble", ensemble, ("union", "vote", "mean"))


def check_choice(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{option}: unknown value '{value}'; known: {', '.join(known)}")
