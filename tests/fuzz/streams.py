"""Cases of `deidlab mask -`: standard input in, standard output or a file out."""

from __future__ import annotations

from tests.fuzz.builders import Site, build_jsonl, encode
from tests.fuzz.case import Case
from tests.fuzz.mask_options import lists, style_and_policy, write_key
from tests.fuzz.running import run_command
from tests.fuzz.structures import Wanted, make_notes


def mask_stream(case: Case) -> None:
    """One note of plain text, or several as JSON lines."""
    case.flags |= {"mask", "to-stdout"}
    notes = make_notes(case.random, case.words, Wanted(("denied", "known", "plain")))
    lines = case.chance(0.5)
    built = build_jsonl(notes, Site(case.room.private, case.random, case.words))
    data = built.path.read_bytes() if lines else encode(notes[0].text)
    case.tell("jsonl" if lines else "txt")
    data = _spoil(case, data)
    command: list[object] = [
        "mask",
        "-",
        "--rules",
        "only",
        "--key-file",
        write_key(case),
        *style_and_policy(case),
        *lists(case, notes),
    ]
    command += ["--from", "jsonl"] if lines else []
    command += ["--ids", "keep"] if case.chance(0.2) else []
    case.flags |= {"ids-kept"} if "keep" in command else set()
    to_file = case.chance(0.3)
    command += ["--out", case.room.out / "masked" if to_file else "-"]
    full = "/dev/full" if case.chance(0.1) else None
    outcome = run_command(case.room, command, data, full)
    case.judge("mask -" + (" > /dev/full" if full else ""), outcome)
    case.judge_files()
    if lines and not to_file and not full and "mangled" not in case.flags:
        written, listed = outcome.out.count(b"\n"), outcome.err.count(b"failed: note ")
        if outcome.status in (0, 3) and written + listed != len(notes):
            case.breach("each note is masked or listed", f"mask -: {written} and {listed} of {len(notes)}")


def _spoil(case: Case, data: bytes) -> bytes:
    if case.chance(0.6):
        return data
    case.flags.add("mangled")
    case.tell("spoilt input")
    place = case.random.randrange(len(data) + 1)
    bad = case.random.choice((b"\xff", b"\0", b"\n", b'"', b"\xed\xa0\x80", b"[" * 100_000, b""))
    return data[:place] + bad + (data[place:] if case.chance(0.7) else b"")
