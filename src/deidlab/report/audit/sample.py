"""A run's record in, a sample of notes for people to read out; their verdicts in, a bound on leaks out.

The sheet has one row a note: its pseudonym, where doubt was greatest (offsets in the masked text), and the
empty column `leaks`, where the reader puts how many identifiers are still to be seen (0 for none).
"""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, CorpusError
from deidlab.evaluate.privacy import upper_share
from deidlab.inputfile import open_input
from deidlab.report.audit.record import NoteFacts, RunRecord

COLUMNS = ("document", "masked_characters", "replacements", "look_first_at", "leaks", "comment")
_N_PLACES = 5


def draw_sample(record: RunRecord, n: int, seed: int) -> list[str]:
    """That many notes by chance, the same for the same run and seed; all of them where there are fewer."""
    names = sorted(record.notes)
    return sorted(random.Random(seed).sample(names, min(n, len(names))))


def write_sheet(record: RunRecord, sample: list[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name in sample:
            facts = record.notes[name]
            writer.writerow((name, facts.masked_characters, len(facts.spans), _doubtful(facts), "", ""))


def _doubtful(facts: NoteFacts) -> str:
    scored = [(span.score, place) for span, place in zip(facts.spans, facts.places, strict=True)]
    least = sorted((score, place) for score, place in scored if score is not None and score < 1.0)
    return " ".join(f"{start}-{end}" for _, (start, end) in least[:_N_PLACES])


def read_verdicts(path: Path, sample: list[str], confidence: float = 0.95) -> dict[str, Any]:
    """The bound that the verdicts allow: the highest believable share of notes with a leak."""
    verdicts = _read_sheet(path)
    strangers = sorted(set(verdicts) - set(sample))
    if strangers or len(verdicts) != len(sample):
        raise ConfigError(f"{path}: not the sheet of this sample; give the --sample and --seed that drew it")
    judged = {name: leaks for name, leaks in verdicts.items() if leaks is not None}
    leaking = sorted(name for name, leaks in judged.items() if leaks)
    return {
        "sampled": len(sample),
        "judged": len(judged),
        "leaking": len(leaking),
        "leaks": sum(leaks for leaks in judged.values()),
        "share": len(leaking) / len(judged) if judged else None,
        "upper": upper_share(len(leaking), len(judged), confidence),
        "confidence": confidence,
        "leaking_documents": leaking,
    }


def _read_sheet(path: Path) -> dict[str, int | None]:
    try:
        with io.TextIOWrapper(open_input(path), "utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (csv.Error, UnicodeDecodeError):
        raise CorpusError(f"{path}: not a CSV file in UTF-8") from None
    verdicts: dict[str, int | None] = {}
    for number, row in enumerate(rows, start=2):
        said = (row.get("leaks") or "").strip()
        if "document" not in row or (said and not said.isdecimal()):
            raise CorpusError(
                f"{path}, line {number}: 'leaks' must be a whole number, or empty if not judged yet"
            )
        verdicts[row["document"]] = int(said) if said else None
    return verdicts
