"""`deidlab utility NOTES --out DIR`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.declaring import without
from deidlab.cli.options.finding import check_finding
from deidlab.cli.options.intervals import IntervalOptions
from deidlab.cli.options.masking import KeyOption
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import ReadingOptions
from deidlab.cli.output import print_json, tell, tell_written
from deidlab.pipeline.settings import Finding

if TYPE_CHECKING:
    from deidlab.utility.measuring import UtilitySettings
    from deidlab.utility.sampling import Judged

_SHEET = "A sheet for people to read"


@dataclass(frozen=True, slots=True)
class MeasuredOptions:
    """What is measured."""

    GROUP: ClassVar[str] = "What to measure"

    style: tuple[str, ...] = option(
        help="A style to measure; may be given several times [default: redact, tag, surrogate].",
        default=(), metavar="STYLE",
    )  # fmt: skip
    policy: str = option("i2b2", metavar="NAME|FILE", help="What is masked, as for `mask`.")
    task: str = option(
        "",
        metavar="COLUMN",
        help="A column of the notes with a label that a small classifier learns to tell.",
    )
    left: float = option(
        0.1, min=0.01, max=0.5, help="The share of mentions that the attack leaves in plain sight."
    )
    sample: int | None = option(
        None, min=1, metavar="N", help="Draw N items for people to judge the rule by.", group=_SHEET
    )
    sheet: Path | None = option(
        None, metavar="FILE", group=_SHEET,
        help="The private sheet for --sample, which quotes the notes: written first, read once "
        "people filled it in.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityOptions:
    """All that `deidlab utility` is told."""

    GROUP: ClassVar[str] = COMMON

    notes: Path = argument(metavar="NOTES", help="Notes in any format; gold spans are for the attack.")
    out: Path = option(help="The folder for the report: HTML, Markdown, LaTeX, CSV, JSON.")
    measured: MeasuredOptions
    finding: Annotated[Finding, without("labels")]
    key: KeyOption
    intervals: IntervalOptions
    reading: ReadingOptions
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def utility(options: UtilityOptions) -> None:
    """What masking costs: figures kept, what can still be learned, what an attack tells.

    The notes are masked in memory in each style; nothing masked is written.

    Example: deidlab utility notes/ --task diagnosis --out utility/
    """
    from deidlab.corpus import read_corpus
    from deidlab.corpus.files import refuse_existing
    from deidlab.pipeline.loading import load_finding
    from deidlab.report.study.files import report_to_json, write_report
    from deidlab.report.tables import print_table
    from deidlab.report.utility.report import build_utility_report
    from deidlab.utility.measuring import measure_utility

    answering = options.answer
    check_finding(options.finding)
    _check_places(options)
    settings = _settings(options)
    refuse_existing(options.out, options.overwriting.overwrite)
    documents = list(read_corpus(options.notes, options.reading.format, options.reading.files))
    found = measure_utility(
        documents, load_finding(options.finding), settings, lambda said: tell(said, answering.silent)
    )
    judged = _sheet(options, documents, found.masked)
    provenance = _provenance(options, settings)
    title = f"What masking costs on {options.notes.name}"
    report = build_utility_report(found, title, settings.resample, provenance, judged)
    written = write_report(report, options.out, ("html", "markdown", "latex", "csv", "json"))
    if answering.as_json:
        print_json(report_to_json(report))
    elif not answering.quiet:
        for table in report.tables:
            print_table(table)
    for line in report.missing:
        tell(f"not in the report: {line}", answering.silent)
    tell_written([path for path in written if path.suffix == ".html"], answering.silent)


def _check_places(options: UtilityOptions) -> None:
    from deidlab.corpus.files import refuse_overlap
    from deidlab.errors import UsageError

    measured = options.measured
    if (measured.sample is None) != (measured.sheet is None):
        raise UsageError(
            "--sample N and --sheet FILE go together: how many items, and where they are written"
        )
    refuse_overlap((options.out, measured.sheet), (options.notes, options.key.key_file))


def _settings(options: UtilityOptions) -> UtilitySettings:
    from deidlab import languages
    from deidlab.cli.mask_secrets import find_key
    from deidlab.mask import MaskSettings, load_policy
    from deidlab.utility.measuring import STYLES, UtilitySettings

    language = options.finding.find_language()
    key, _ = find_key(options.key.key_file, True)
    masking = MaskSettings(
        load_policy(options.measured.policy), key=key, language=language,
        day_first=languages.of(language).day_first,
    )  # fmt: skip
    styles = tuple(dict.fromkeys(options.measured.style)) or STYLES
    for style in styles:
        MaskSettings(masking.policy, style, key)
    return UtilitySettings(
        masking, styles, options.measured.task, options.measured.left, options.intervals.settings()
    )


def _sheet(options: UtilityOptions, documents: Any, masked: Any) -> Judged | None:
    from deidlab.corpus.files import complete_file
    from deidlab.files import private_files
    from deidlab.utility.sampling import draw_sheet, read_sheet

    n, sheet = options.measured.sample, options.measured.sheet
    if n is None or sheet is None:
        return None
    if not sheet.exists():
        with private_files(), complete_file(sheet) as path:
            path.write_text(draw_sheet(documents, masked, n, options.intervals.seed), "utf-8")
        tell(
            f"wrote {sheet}, which quotes the notes: fill in 'wrong', then run this again",
            options.answer.silent,
        )
    return read_sheet(sheet)


def _provenance(options: UtilityOptions, settings: UtilitySettings) -> dict[str, Any]:
    import deidlab
    from deidlab.pipeline.run.identity import shown_systems

    return {
        "deidlab": deidlab.__version__,
        "model": None if (model := options.finding.own_model) is None else Path(model).name,
        "systems": ", ".join(shown_systems(options.finding)) or None,
        "rules": options.finding.rules,
        "policy": Path(options.measured.policy).name,
        "language": settings.masking.language,
        "left in plain sight": settings.left,
        "resamples": settings.resample.n_resamples,
        "unit": settings.resample.unit,
        "seed": settings.resample.seed,
    }
