"""`deidlab audit OUT --report FILE`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deidlab.cli.corpus.options import Overwrite
from deidlab.cli.mask_options import KeyFile
from deidlab.cli.output import AsJson, Quiet, print_json, tell, tell_written

if TYPE_CHECKING:
    from deidlab.report.audit.record import RunRecord


Second = Annotated[
    str | None,
    typer.Option(
        metavar="en|es|FOLDER",
        help="A model to look again with [default: the rules; at 0.05 where they had a part].",
    ),
]
Sample = Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw N notes for people to read.")]
Verdicts = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The sheet for --sample: written first, read once people filled it in "
        "[default: the report's name with -sample.csv].",
    ),
]


def audit(
    output: Annotated[
        str, typer.Argument(metavar="OUT", help="What `deidlab mask` wrote: a file, a folder, a table's URL.")
    ],
    report: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="The page to write (.html, with its .json beside it), or only .json."
        ),
    ],
    gold: Annotated[
        Path | None, typer.Option(metavar="CORPUS", help="The source with people's annotations: count leaks.")
    ] = None,
    key_file: KeyFile = None,
    second: Second = None,
    sample: Sample = None,
    seed: Annotated[int, typer.Option(help="Which sample is drawn.")] = 0,
    verdicts: Verdicts = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Report on a masking run: what was replaced, how surely, what is left, and how much leaks.

    The page holds no PHI: pseudonyms, counts and offsets. Against gold it needs the run's key file (the gold
    has real ids). With --sample it writes a sheet of notes to read; once people filled it in, the same
    command turns it into a bound on the share of notes with a leak.

    Example: deidlab audit masked --gold notes/ --key-file site.key --report audit.html
    """
    from deidlab.cli.mask_places import is_database
    from deidlab.corpus.database_url import target_place
    from deidlab.corpus.files import refuse_existing, refuse_overlap
    from deidlab.report.audit.record import read_record

    if sample is None and verdicts is not None:
        raise typer.BadParameter("--verdicts needs the --sample that drew it")
    if sample is not None and verdicts is None:
        verdicts = report.with_name(f"{report.stem}-sample.csv")
    if report.suffix not in (".html", ".json"):
        raise typer.BadParameter("--report must end in .html or .json")
    for path in {report, report.with_suffix(".json")}:
        refuse_existing(path, overwrite)
    refuse_overlap((report, report.with_suffix(".json"), verdicts), (gold, key_file))
    record = read_record(target_place(output) if is_database(output) else Path(output))
    answer = {
        "run": dict(record.facts),
        "second": _second_look(record, second),
        "gold": None if gold is None else _against_gold(record, gold, key_file),
        "sample": _sample(record, sample, seed, verdicts, quiet or as_json),
    }
    written = _write(answer, report, overwrite)
    if as_json:
        print_json(answer)
    else:
        _tell(answer, quiet)
    tell_written(written, quiet or as_json)


def _second_look(record: RunRecord, second: str | None) -> dict[str, Any]:
    from deidlab import languages
    from deidlab.detect import load_detector
    from deidlab.report.audit.second import choose_second, find_again

    model, rules, threshold, said = choose_second(dict(record.settings), second)
    language = languages.of(str(record.settings.get("language", ""))).code
    return find_again(record, load_detector(model, rules, threshold=threshold, language=language), said)


def _write(answer: dict[str, Any], report: Path, overwrite: bool) -> list[Path]:
    """The page and its figures, or the figures alone; which files that made."""
    from deidlab.corpus.files import complete_file
    from deidlab.report.audit.page import audit_to_html

    pages = {report.with_suffix(".json"): json.dumps(answer, ensure_ascii=False, indent=1) + "\n"}
    if report.suffix == ".html":
        pages = {report: audit_to_html(answer), **pages}
    for path, page in pages.items():
        with complete_file(path, overwrite) as partial:
            partial.write_text(page, "utf-8")
    return list(pages)


def _against_gold(record: RunRecord, gold: Path, key_file: Path | None) -> dict[str, Any]:
    from deidlab.corpus import ReadSettings, read_corpus
    from deidlab.report.audit.gold import score_gold

    columns = record.settings["columns"]
    reading = ReadSettings("utf-8", columns["text"], columns["id"], columns["patient"])
    return score_gold(record, read_corpus(gold, None, reading), _names(record, key_file))


def _names(record: RunRecord, key_file: Path | None) -> Callable[[str], str]:
    """How real ids become those of the output."""
    from deidlab.errors import ConfigError
    from deidlab.mask import Masker, MaskSettings, read_key

    if record.settings["ids"] == "keep":
        return str
    if key_file is None:
        raise ConfigError("--gold needs --key-file: the gold has real ids, and the output pseudonyms")
    masker = Masker(MaskSettings(key=read_key(key_file).key))
    return lambda name: masker.pseudonym("document", name)


def _sample(
    record: RunRecord, n: int | None, seed: int, verdicts: Path | None, quiet: bool
) -> dict[str, Any] | None:
    from deidlab.corpus.files import complete_file
    from deidlab.report.audit.sample import draw_sample, read_verdicts, write_sheet

    if n is None or verdicts is None:
        return None
    drawn = draw_sample(record, n, seed)
    if not verdicts.exists():
        with complete_file(verdicts) as path:
            write_sheet(record, drawn, path)
        tell(f"wrote {verdicts}: {len(drawn)} notes to read; fill in 'leaks', then run this again", quiet)
    return {**read_verdicts(verdicts, drawn), "seed": seed}


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
