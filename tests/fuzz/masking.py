"""Cases of `deidlab mask` over files, and of what follows a run: going on, `audit`, `restore`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fuzz import faults, machine
from tests.fuzz.builders import BUILDERS, ONE_NOTE_A_FILE, WITHOUT_SPANS, Built, Site
from tests.fuzz.case import Case
from tests.fuzz.counting import count_written
from tests.fuzz.mask_options import POLICIES, lists, small_options, spans_file, style_and_policy, write_key
from tests.fuzz.running import Outcome, run_and_die, run_command
from tests.fuzz.structures import Note, Wanted, make_notes

FORMATS = (
    "i2b2",
    "i2b2-2006",
    "brat",
    "inline",
    "conll",
    "jsonl",
    "jsonl",
    "csv",
    "csv",
    "parquet",
    "txt",
    "physionet",
)
SUFFIX = {"i2b2-2006": ".xml", "conll": ".conll", "jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet"}
WHOLE_FILES = ("csv", "conll", "i2b2-2006", "physionet")
DONE = (0, 3)


def mask_files(case: Case) -> None:
    """A corpus of some format, perhaps spoilt, masked on a machine that perhaps fails."""
    case.flags.add("mask")
    given = case.chance(0.4)
    format = case.random.choice(FORMATS)
    notes, built, count = make_corpus(
        case, format, ("marked", "plain") if given else ("denied", "known", "plain")
    )
    options = style_and_policy(case, POLICIES[:4] if "relabelled" in case.flags else POLICIES)
    options += small_options(case, built)
    count = None if "--encoding" in options else count
    if given:
        beside = format in WITHOUT_SPANS or (format == "jsonl" and case.chance(0.3))
        options += ["--spans", str(spans_file(case, notes) if beside else built.path)]
        case.tell("given spans")
    else:
        options += lists(case, notes)
    command = [
        "mask",
        built.path,
        "--rules",
        "only",
        "--key-file",
        write_key(case),
        "--workers",
        "1",
        *options,
    ]
    if case.chance(0.06):
        _dry_run(case, command, count)
    elif case.chance(0.05):
        _to_stdout(case, command)
    else:
        _mask_and_follow(case, command, built, count)


def make_corpus(case: Case, format: str, kinds: tuple[str, ...]) -> tuple[list[Note], Built, int | None]:
    """Notes on disk, and how many there are, where that can be said."""
    wanted = Wanted(
        kinds,
        format in ONE_NOTE_A_FILE,
        # CoNLL has words with blanks between them: of one that is broken inside, nobody knows that it was one.
        folds=format != "conll",
        strange_labels=format not in WITHOUT_SPANS,
    )
    notes = make_notes(case.random, case.words, wanted)
    case.tell(format)
    count: int | None = len(notes)
    spoil = case.random.choice(("note", "note", "file", "file", "twice", "none", "none"))
    if spoil == "note":
        fault = faults.choose(faults.NOTE_FAULTS, format, case.random)
        fault.do(case.random.choice(notes), case.random, case.words)
        count = _mind(case, fault, count)
    elif spoil == "twice" and format not in ONE_NOTE_A_FILE:
        notes.append(notes[0])
        count = len(notes)
        case.tell("the same note twice")
    built = BUILDERS[format](notes, Site(case.room.source, case.random, case.words))
    if spoil == "file":
        fault = faults.choose(faults.FILE_FAULTS, format, case.random)
        fault.do(built, case.random, case.words)
        count = _mind(case, fault, count)
    return notes, built, count


def _mind(case: Case, fault: faults.Fault, count: int | None) -> int | None:
    case.tell(fault.name)
    if fault.mangles:
        case.flags.add("mangled")
    if fault.relabels:
        case.flags.add("relabelled")
    lost = fault.loses_count or (fault.spreads and case.did[1] in WHOLE_FILES)
    return None if lost else count


def destination(case: Case, format: str) -> Path:
    return case.room.out / f"masked{SUFFIX.get(format, '')}"


def _dry_run(case: Case, command: Sequence[object], count: int | None) -> None:
    case.tell("dry run")
    outcome = run_command(case.room, [*command, "--dry-run", "--json"])
    case.judge("mask --dry-run", outcome)
    if outcome.status == 0 and count is not None and _json(outcome.out).get("notes") != count:
        case.breach("every note is counted", "mask --dry-run")
    case.judge_files()


def _to_stdout(case: Case, command: Sequence[object]) -> None:
    case.tell("to stdout")
    case.flags.add("to-stdout")
    plain = [each for each in command if each != "--json"]
    full = "/dev/full" if case.chance(0.3) else None
    outcome = run_command(case.room, [*plain, "--out", "-"], stdout=full)
    case.judge("mask --out -" + (" > /dev/full" if full else ""), outcome)
    case.judge_files()


def _mask_and_follow(case: Case, command: list[object], built: Built, count: int | None) -> None:
    out = destination(case, built.format)
    command += ["--out", out]
    with_map = case.chance(0.04)
    if with_map:
        command += ["--keep-map", case.room.out / "run.map"]
        case.tell("map")
    before = case.room.source_state()
    outcome = _first_run(case, command)
    if outcome.status not in DONE and "going on" in case.did and out.exists():
        # Stopped when all was done and only its own folder was left to remove.
        outcome = replace(outcome, status=0)
    elif outcome.status not in DONE and "going on" in case.did:
        count = _change_source(case, built, count)
        before = case.room.source_state()
        outcome = run_command(case.room, command)
        case.judge("mask again", outcome)
        if b"with other settings" in outcome.err:
            case.breach("a run that was stopped goes on", "mask again")
    if case.room.source_state() != before:
        case.breach("the source stays as it is", "mask")
    case.judge_files()
    judge_counts(case, outcome, out, built.format, count)
    if outcome.status in DONE and out.exists():
        _audit(case, out, built)
        _restore(case, out, built, with_map)


def _change_source(case: Case, built: Built, count: int | None) -> int | None:
    """Between a kill and going on, a note is perhaps added: it is masked too, or the run refuses."""
    if built.format != "jsonl" or not case.chance(0.3):
        return count
    case.tell("a note more")
    with built.path.open("a") as stream:
        stream.write('{"id": "one more", "text": "Nothing new."}\n')
    return None if count is None else count + 1


def _first_run(case: Case, command: list[object]) -> Outcome:
    """The run itself, with something wrong with the machine in one case of six."""
    if case.chance(0.84):
        outcome = run_command(case.room, command)
        case.judge("mask", outcome)
        return outcome
    trouble = case.random.choice(machine.TROUBLES)
    nth = case.random.randint(1, 25)
    case.tell(f"{trouble} at change {nth}" if trouble != "quota" else "quota", "going on")
    if trouble == "killed":
        outcome = run_and_die(case.room, command, machine.breaking(nth, machine.kill))
    else:
        outcome = run_command(case.room, command, fault=machine.trouble(trouble, nth, case.random))
    case.judge("mask", outcome)
    case.judge_files()
    return outcome


def judge_counts(case: Case, outcome: Outcome, out: Path, format: str, count: int | None) -> None:
    """Each note is written once, or listed; a run that failed has written nothing."""
    path = out.with_name(f"{out.name}.deidlab") / "record.json"
    if outcome.status not in DONE:
        if out.exists() and outcome.status >= 0:
            case.breach("a run that failed has no output", "mask")
        return
    if not path.exists():
        case.breach("a run has a record", "mask")
        return
    record = _json(path.read_bytes())
    masked, failed = record.get("masked"), record.get("failed")
    written = count_written(out, format)
    if written != masked:
        case.breach("what the record says is written", f"mask: {written} of {masked} notes")
    if failed != len(record.get("failures", ())) or record.get("notes") != masked + failed:
        case.breach("each note is masked or listed", "record.json")
    if count is not None and masked + failed != count:
        case.breach(
            "each note of the source is masked or listed", f"record.json: {masked} and {failed} of {count}"
        )
    if "going on" not in case.did and (outcome.status == 3) != bool(failed):
        case.breach("the exit status is 3 where notes failed", f"mask: {outcome.status}, {failed} failed")


def _json(data: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        found = json.loads(data)
        return found if isinstance(found, dict) else {}
    return {}


def _audit(case: Case, out: Path, built: Built) -> None:
    if not case.chance(0.25):
        return
    command: list[object] = ["audit", out, "--report", case.room.out / "audit.html"]
    if case.chance(0.5):
        case.flags.add("gold")
        command += ["--gold", built.path, "--key-file", case.room.private / "site.key"]
    if case.chance(0.3):
        command += ["--sample", "2"]
    if case.chance(0.3):
        command.append("--json")
    outcome = run_command(case.room, command)
    case.tell("audit")
    case.judge("audit", outcome)
    case.judge_files()


def _restore(case: Case, out: Path, built: Built, with_map: bool) -> None:
    if not with_map:
        return
    case.flags.add("restored")
    back = case.room.out / f"restored{SUFFIX.get(built.format, '')}"
    if case.chance(0.3):
        spoilt = case.room.out / "run.map"
        data = bytearray(spoilt.read_bytes())
        data[case.random.randrange(len(data))] ^= 1
        spoilt.write_bytes(data)
        case.tell("damaged map")
    outcome = run_command(
        case.room, ["restore", out, "--map", case.room.out / "run.map", "--out", back, *built.options]
    )
    case.judge("restore", outcome)
    case.judge_files()
