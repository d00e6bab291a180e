"""Cases of the commands whose output is for their user alone: the corpus commands, `detect`, `score`, `review`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import machine
from tests.fuzz.builders import Built
from tests.fuzz.case import Case
from tests.fuzz.counting import count_written
from tests.fuzz.mask_options import lists
from tests.fuzz.masking import FORMATS, SUFFIX, make_corpus
from tests.fuzz.running import Outcome, run_command

TARGETS = ("i2b2", "i2b2-2006", "brat", "inline", "conll", "conll-bilou", "jsonl", "csv", "parquet", "txt")


def local_command(case: Case) -> None:
    """One of the commands, over a corpus that is perhaps spoilt."""
    case.flags.add("local")
    format = case.random.choice(FORMATS)
    notes, built, count = make_corpus(case, format, ("denied", "known", "marked", "plain"))
    do = case.random.choice((_check, _convert, _stats, _split, _merge, _detect, _score, _review))
    case.tell(do.__name__.strip("_"))
    options = [*built.options, *(["--from", built.format] if case.chance(0.3) else [])]
    options += ["--json"] if case.chance(0.3) else []
    options += ["-q"] if case.chance(0.2) else []
    if do is _detect:
        options += lists(case, notes)
    before = case.room.source_state()
    do(case, built, options, count)
    if case.room.source_state() != before:
        case.breach("the source stays as it is", case.did[-1])
    case.judge_files()


def _run(case: Case, *command: object) -> Outcome:
    """The command, perhaps on a machine that fails."""
    fault = None
    if case.chance(0.05):
        nth = case.random.randint(1, 6)
        fault = machine.trouble(case.random.choice(("full disk", "interrupt")), nth, case.random)
        case.tell(f"trouble at change {nth}")
    outcome = run_command(case.room, command, fault=fault)
    case.judge(" ".join(str(each) for each in command[:2] if isinstance(each, str)), outcome)
    return outcome


def _keep_going(case: Case) -> list[str]:
    return ["--keep-going"] if case.chance(0.7) else []


def _check(case: Case, built: Built, options: list[str], count: int | None) -> None:
    outcome = _run(case, "corpus", "check", built.path, *options)
    if outcome.status not in (0, 1, 2, 130, -1):
        case.breach("check exits with 0 or 1", "corpus check")


def _convert(case: Case, built: Built, options: list[str], count: int | None) -> None:
    to = case.random.choice(TARGETS)
    out = case.room.out / f"marked{SUFFIX.get(to, '')}"
    case.tell(f"to {to}")
    going = _keep_going(case)
    outcome = _run(case, "corpus", "convert", built.path, out, "--to", to, *options, *going)
    _judge_written(case, outcome, out, to, count)


def _judge_written(case: Case, outcome: Outcome, out: Path, format: str, count: int | None) -> None:
    """Each document is written or told of."""
    if outcome.status not in (0, 3):
        if out.exists() and outcome.status >= 0:
            case.breach("a command that failed has no output", case.did[-1])
        return
    format = "conll" if format == "conll-bilou" else format
    written, listed = count_written(out, format), outcome.err.count(b"left out: ")
    if count is not None and written + listed != count:
        case.breach("each document is written or told of", f"{written} and {listed} of {count}")
    if (outcome.status == 3) != bool(listed):
        case.breach("the exit status is 3 where documents were left out", case.did[-1])


def _stats(case: Case, built: Built, options: list[str], count: int | None) -> None:
    chart = ["--chart", case.room.out / "table.svg"] if case.chance(0.1) else []
    tables = ["--markdown", case.room.out / "table.md", "--csv", case.room.out / "table.csv", *chart]
    _run(case, "corpus", "stats", built.path, *options, *tables, *_keep_going(case))


def _split(case: Case, built: Built, options: list[str], count: int | None) -> None:
    manifest = case.room.out / "table.json"
    _run(
        case,
        "corpus",
        "split",
        built.path,
        "--out",
        manifest,
        "--ratios",
        "50:50",
        *options,
        *_keep_going(case),
    )
    if manifest.exists():
        if case.chance(0.3):
            data = manifest.read_bytes()
            manifest.write_bytes(data[: case.random.randrange(len(data))])
            case.tell("truncated manifest")
        _run(case, "corpus", "check", built.path, "--split", manifest, *options)


def _merge(case: Case, built: Built, options: list[str], count: int | None) -> None:
    said = [each for each in options if each in ("--json", "-q")]
    unmapped = case.random.choice(("error", "keep", "drop"))
    out = case.room.out / "marked.jsonl"
    _run(
        case,
        "corpus",
        "merge",
        f"a={built.path}",
        "--out",
        out,
        "--unmapped",
        unmapped,
        *said,
        *_keep_going(case),
    )


def _detect(case: Case, built: Built, options: list[str], count: int | None) -> None:
    to = case.random.choice(("jsonl", "brat", "csv", "i2b2"))
    out = case.room.out / f"marked{SUFFIX.get(to, '')}"
    more = ["--word-scores", case.room.out / "words.jsonl"] if case.chance(0.3) else []
    command = [
        "detect",
        built.path,
        "--out",
        out,
        "--to",
        to,
        "--rules",
        "only",
        "--workers",
        "1",
        *more,
        *options,
    ]
    _judge_written(case, _run(case, *command), out, to, count)


def _score(case: Case, built: Built, options: list[str], count: int | None) -> None:
    """The corpus against what the rules find in it."""
    found = case.room.out / "marked.jsonl"
    columns = [each for each in built.options if each]
    if _run(
        case, "detect", built.path, "--out", found, "--to", "jsonl", "--rules", "only", *columns
    ).status not in (0, 3):
        return
    plain = [each for each in options if each not in built.options and each not in ("--from", built.format)]
    more: Sequence[object] = (
        ["--leaks", case.room.out / "table.csv", "--markdown", case.room.out / "table.md"]
        if case.chance(0.5)
        else []
    )
    system = found if built.options else built.path
    _run(case, "score", system, found, "--resamples", "0", "--missing", "skip", *plain, *more)


def _review(case: Case, built: Built, options: list[str], count: int | None) -> None:
    store = case.room.out / "marked.review"
    plain = [each for each in options if each != "--json"]
    command = ["review", built.path, "--store", store, "--rules", "only", "--workers", "1"]
    _run(case, *command, "--load-only", *plain)
    if not store.exists():
        return
    ask_review(case, store)
    to = case.random.choice(("jsonl", "i2b2", "brat", "inline", "csv"))
    out = case.room.out / f"marked-again{SUFFIX.get(to, '')}"
    _run(case, *command, "--export", out, "--to", to, "--part", "all", *options)
    _run(case, *command, "--agreement", *options)


def ask_review(case: Case, store: Path) -> None:
    """The routes of the review page, with bodies that are perhaps wrong."""
    from tests.fuzz.service import REVIEW_ASKS, ask_page

    for method, path, body in case.random.sample(REVIEW_ASKS, 4):
        ask_page(case, store, method, path, body(case))
