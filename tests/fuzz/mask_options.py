"""The options of `deidlab mask`, drawn at random, with the files that they name."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from tests.containers import DERIVED
from tests.fuzz.builders import Built, spans_of
from tests.fuzz.case import Case
from tests.fuzz.structures import Note, known_rows

KEY = "0123456789abcdef0123456789abcdef"
POLICIES = ("i2b2", "safe-harbor", "gdpr", "phipa", "limited-dataset")
STYLES = ("tag", "tag", "redact", "surrogate", "surrogate")


def write_key(case: Case) -> Path:
    path = case.room.private / "site.key"
    path.write_text(KEY)
    path.chmod(0o600)
    return path


def style_and_policy(case: Case, policies: Sequence[str] = POLICIES) -> list[str]:
    style, policy = case.random.choice(STYLES), case.random.choice(policies)
    case.tell(style, policy)
    options = ["--style", style, "--policy", policy]
    if policy == "safe-harbor":
        # A run must come again byte for byte after a kill, and from its key file.
        options += DERIVED
    if style == "redact" and case.chance(0.3):
        options += ["--redact-mark", "[...]"]
    return options


def small_options(case: Case, built: Built) -> list[str]:
    """What changes how a run reads, writes and speaks."""
    options = [*built.options]
    if case.chance(0.3):
        options += ["--from", built.format]
    if case.chance(0.25):
        options += ["--ids", "keep"]
        case.flags.add("ids-kept")
    if built.kept and case.chance(0.4):
        options += ["--keep-column", built.kept[0]]
    for share, more in ((0.2, "--json"), (0.3, "-q"), (0.1, "--day-first"), (0.1, "--overwrite")):
        options += [more] if case.chance(share) else []
    if case.chance(0.1):
        options += ["--threshold", str(case.random.choice((0.05, 0.5, 0.9)))]
    if case.chance(0.1):
        options += ["--patient-from", case.random.choice((r"^(.*)-", r"(.+)", r"-(\d)$"))]
    if case.chance(0.2):
        options += ["--failures", str(case.room.out / "failures.jsonl")]
    if case.chance(0.05):
        options += [
            "--encoding",
            case.random.choice(("latin-1", "utf-8", "utf-16", "ascii", "no-such-encoding")),
        ]
        case.flags.add("mangled")
    case.tell(*(each for each in options if each.startswith("-") and not each.endswith("-column")))
    return options


def lists(case: Case, notes: Sequence[Note]) -> list[str]:
    """The deny and allow lists and the table of known identifiers, with terms that no note has as well."""
    private, words = case.room.private, case.words
    denied = [word for note in notes for word in note.denied]
    (private / "deny.txt").write_text(
        "\n".join([*denied, words.plant("term"), "# " + words.plant("term")]) + "\n"
    )
    options = ["--deny", str(private / "deny.txt")]
    if case.chance(0.3):
        (private / "allow.txt").write_text(f"{words.plant('term')}\npenicillin\n")
        options += ["--allow", str(private / "allow.txt")]
    rows = known_rows(notes)
    if rows:
        options += ["--known", str(_known_table(case, rows))]
    case.tell("lists")
    return options


def _known_table(case: Case, rows: list[tuple[str, str]]) -> Path:
    other = case.words.plant("term")
    if case.chance(0.5):
        path = case.room.private / "known.csv"
        with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as stream:
            writer = csv.writer(stream)
            writer.writerow(["patient", "name", other])
            writer.writerows([patient, word, case.words.plant("term")] for patient, word in rows)
        return path
    path = case.room.private / "known.jsonl"
    lines = (json.dumps({"patient": patient, "name": word, other: other}) for patient, word in rows)
    path.write_text("\n".join(lines) + "\n")
    return path


def spans_file(case: Case, notes: Sequence[Note]) -> Path:
    """The notes with their marks, as another file than the source."""
    path = case.room.private / "spans.jsonl"
    with path.open("w") as stream:
        for note in notes:
            stream.write(json.dumps({"id": note.id, "text": note.text, "spans": spans_of(note)}) + "\n")
    return path
