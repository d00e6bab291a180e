"""`deidlab audit OUT --report FILE`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.masking import CrosswalkOption, with_crosswalk
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.output import check_report, print_json, tell, tell_written, write_report

if TYPE_CHECKING:
    from deidlab.corpus import ReadSettings
    from deidlab.detect import Detector
    from deidlab.report.audit.record import RunRecord

_SAMPLE = "A sample for people to read"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """All that `audit` takes."""

    GROUP: ClassVar[str] = COMMON

    output: str = argument(
        metavar="OUT", help="What `deidlab mask` wrote: a file, a folder, or a table's URL."
    )
    report: Path = option(
        metavar="FILE", help="The page to write (.html, with its .json beside it), or only .json."
    )
    gold: Path | None = option(
        None, metavar="CORPUS", help="The source with people's annotations: count leaks."
    )
    key: CrosswalkOption
    second: str | None = option(
        None,
        metavar="en|es|FOLDER",
        help="A model to look again with [default: the rules; at 0.05 where they had a part].",
    )
    sample: int | None = option(
        None, min=1, metavar="N", help="Draw N notes for people to read and judge.", group=_SAMPLE
    )
    seed: int = option(0, help="Seed of the sample.", group=_SAMPLE)
    verdicts: Path | None = option(
        None,
        metavar="FILE",
        help="The sheet for --sample: written first, read once people filled it in "
        "[default: the report's name with -sample.csv].",
        group=_SAMPLE,
    )
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def audit(options: AuditOptions) -> None:
    """Report on a masking run: what was replaced, how surely, what is left, and how much leaks.

    The page holds no PHI: pseudonyms, counts and offsets. Against gold it needs the run's key file (the gold
    has real ids). With --sample it writes a sheet of notes to read; once people filled it in, the same
    command turns it into a bound on the share of notes with a leak.

    Example: deidlab audit masked --gold notes/ --key-file site.key --report audit.html
    """
    from deidlab.cli.options.databases import is_database
    from deidlab.corpus.database_url import target_place
    from deidlab.report.audit.page import audit_to_html
    from deidlab.report.audit.record import read_record

    verdicts = _find_sheet(options)
    _check_places(options, verdicts)
    output, answering = options.output, options.answer
    record = read_record(target_place(output) if is_database(output) else Path(output))
    gold = options.gold
    answer = {
        "run": dict(record.facts),
        "second": _second_look(record, options.second),
        "gold": None if gold is None else _against_gold(record, gold, options.key),
        "sample": _sample(record, options, verdicts),
    }
    written = write_report(answer, options.report, audit_to_html, options.overwriting.overwrite)
    if answering.as_json:
        print_json(answer)
    else:
        _tell(answer, answering.quiet)
    tell_written(written, answering.silent)


def _find_sheet(options: AuditOptions) -> Path | None:
    """Where the sheet of the sample stands; None without a sample."""
    if options.sample is None and options.verdicts is not None:
        raise typer.BadParameter("--verdicts needs the --sample that drew it")
    if options.sample is None or options.verdicts is not None:
        return options.verdicts
    return options.report.with_name(f"{options.report.stem}-sample.csv")


def _check_places(options: AuditOptions, verdicts: Path | None) -> None:
    """Refuse before the work what would fail after it, or write over what is read."""
    from deidlab.corpus.files import refuse_overlap

    paths = check_report(options.report, options.overwriting.overwrite)
    refuse_overlap((*paths, verdicts), (options.gold, options.key.key_file))


def _second_look(record: RunRecord, second: str | None) -> dict[str, Any]:
    from deidlab.report.audit.second import find_again

    detector, said = load_second(record, second)
    return find_again(record, detector, said)


def load_second(record: RunRecord, second: str | None) -> tuple[Detector, str]:
    """The detector that looks again at a run, and what is said of it."""
    from deidlab import languages
    from deidlab.detect import DetectorSettings
    from deidlab.report.audit.second import choose_second
    from deidlab.systems.masking import load_detector

    model, rules, threshold, said = choose_second(dict(record.settings), second)
    language = languages.of(str(record.settings.get("language", ""))).code
    settings = DetectorSettings(rules, threshold=threshold, language=language)
    return load_detector(model, settings), said


def _against_gold(record: RunRecord, gold: Path, key: CrosswalkOption) -> dict[str, Any]:
    from functools import partial

    from deidlab.corpus import read_corpus
    from deidlab.report.audit.gold import score_gold
    from deidlab.report.audit.record import find_record
    from deidlab.report.audit.search import search_files

    read = partial(read_corpus, gold, None, reading_of(record))
    scored = score_gold(record, read(), names_of(record, key, "--gold"))
    if not isinstance(record.output, Path):
        return scored
    places = (record.output, find_record(record.output))
    return scored | {"search": search_files(read, places, scored["left_by_policy"])}


def reading_of(record: RunRecord) -> ReadSettings:
    """How the source of the run was read."""
    from deidlab.corpus import ReadSettings

    columns = record.settings["columns"]
    return ReadSettings("utf-8", (columns["text"],), columns["id"], columns["patient"])


def names_of(record: RunRecord, key: CrosswalkOption, needed: str) -> Callable[[str], str]:
    """How real ids become those of the output."""
    from deidlab.errors import ConfigError
    from deidlab.mask import Masker, MaskSettings, read_key
    from deidlab.mask.codes import RANDOM

    if record.settings["ids"] == "keep":
        return str
    if key.key_file is None:
        raise ConfigError(f"{needed} needs --key-file: it has real ids, and the output pseudonyms")
    crosswalk, wanted = key.open_crosswalk(), record.settings.get("crosswalk")
    if record.settings.get("codes") == RANDOM and wanted is None:
        raise ConfigError(f"{needed}: the codes of this run were drawn at random and not kept (--crosswalk)")
    if wanted != (crosswalk and crosswalk.id):
        raise ConfigError(f"{needed} needs the crosswalk of the run (--crosswalk), and no other")
    masker = Masker(with_crosswalk(MaskSettings(key=read_key(key.key_file).key), crosswalk))
    return lambda name: masker.pseudonym("document", name)


def _sample(record: RunRecord, options: AuditOptions, verdicts: Path | None) -> dict[str, Any] | None:
    from deidlab.corpus.files import complete_file
    from deidlab.report.audit.sample import draw_sample, read_verdicts, write_sheet

    if options.sample is None or verdicts is None:
        return None
    drawn = draw_sample(record, options.sample, options.seed)
    if not verdicts.exists():
        with complete_file(verdicts) as path:
            write_sheet(record, drawn, path)
        said = f"wrote {verdicts}: {len(drawn)} notes to read; fill in 'leaks', then run this again"
        tell(said, options.answer.silent)
    return {**read_verdicts(verdicts, drawn), "seed": options.seed}


def _tell(answer: dict[str, Any], quiet: bool) -> None:
    from deidlab.report.audit.page import describe_annotations

    run, second, gold, sample = answer["run"], answer["second"], answer["gold"], answer["sample"]
    replaced = sum(row["n"] for row in run["replaced"])
    tell(f"{run['masked']} notes masked, {run['failed']} failed, {replaced} replacements", quiet)
    if said := describe_annotations(run):
        tell(f"warning: {said}")
    tell(
        f"a second look found {second['found']} more in {second['in_notes']} notes (looked with "
        f"{second['detector']})",
        quiet,
    )
    if gold is not None:
        leaking = gold["leaking_documents"]
        tell(
            f"against gold: {gold['leaked_words']} of {gold['words']} PHI words leaked, in {leaking['n']} of "
            f"{leaking['of']} notes{_bound(leaking, gold['confidence'])}",
            quiet,
        )
    if gold is not None and (search := gold.get("search")) and search["found"]:
        where = len({row["file"] for row in search["places"]})
        tell(
            f"originals of the gold can be read {search['found']} times, in {where} of "
            f"{search['files']} files",
            quiet,
        )
    if sample is not None and sample["judged"]:
        tell(
            f"read by people: {sample['leaking']} of {sample['judged']} notes leak (at most "
            f"{sample['upper']:.1%} of notes, {sample['confidence']:.0%} sure)",
            quiet,
        )


def _bound(leaking: dict[str, Any], confidence: float) -> str:
    """How high the share of leaking notes may be; of no note at all nothing can be said."""
    if leaking["upper"] is None:
        return ""
    return f" (at most {leaking['upper']:.1%} of notes, {confidence:.0%} sure)"
