"""Notes and their masked copies in, a private sheet of items for a person to judge out; their verdicts in,
how often the rule is wrong out.

The sheet quotes the notes. Its rows are the same for the same notes and seed; `wrong` is empty until
somebody puts 1 there, where the rule took for a clinical figure what is none, or is mistaken on whether it
is kept, or 0.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deidlab.errors import ConfigError, CorpusError
from deidlab.evaluate.privacy import upper_share
from deidlab.inputfile import open_input
from deidlab.types import Document, MaskedDocument
from deidlab.utility.clinical import find_items

_AROUND = 60
_OWN = ("note", "kind", "start", "end", "item", "around")
_WRONG = "wrong"
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Judged:
    """Of those that were judged: in how many the rule was wrong, and the highest share that this leaves
    believable."""

    sampled: int
    judged: int
    wrong: int
    share: float | None
    upper: float | None
    confidence: float = _CONFIDENCE


def draw_sheet(
    documents: Sequence[Document], masked: Mapping[str, Sequence[MaskedDocument]], n: int, seed: int
) -> str:
    """The sheet as CSV: items drawn by chance over all notes, and whether each style keeps them by the
    rule."""
    places = [(row, item) for row, document in enumerate(documents) for item in find_items(document.text)]
    drawn = sorted(
        random.Random(seed).sample(places, min(n, len(places))), key=lambda pair: (pair[0], pair[1].start)
    )
    after = {style: _said_in(notes, {row for row, _ in drawn}) for style, notes in masked.items()}
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow((*_OWN, *(f"kept_{style}" for style in masked), _WRONG))
    for row, item in drawn:
        document = documents[row]
        around = document.text[max(0, item.start - _AROUND) : item.end + _AROUND]
        kept = (int((item.kind, item.said) in said[row]) for said in after.values())
        own = (document.id, item.kind, item.start, item.end, document.text[item.start : item.end], around)
        writer.writerow((*own, *kept, ""))
    return sheet.getvalue()


def read_sheet(path: Path) -> Judged:
    """What was said of the rows; those without a verdict are not judged yet."""
    try:
        with io.TextIOWrapper(open_input(path), "utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (csv.Error, UnicodeDecodeError):
        raise CorpusError(f"{path}: not a CSV file in UTF-8") from None
    if not rows or _WRONG not in rows[0]:
        raise ConfigError(f"{path}: not a sheet of items; give another --sheet, and one is written there")
    said = [(row.get(_WRONG) or "").strip() for row in rows]
    if strange := next((line for line, each in enumerate(said, 2) if each not in ("", "0", "1")), None):
        raise CorpusError(f"{path}: item {strange - 1}: 'wrong' is 1, 0, or empty where nobody judged yet")
    judged, wrong = len(said) - said.count(""), said.count("1")
    share = wrong / judged if judged else None
    return Judged(len(said), judged, wrong, share, upper_share(wrong, judged, _CONFIDENCE))


def _said_in(notes: Sequence[MaskedDocument], rows: set[int]) -> dict[int, set[tuple[str, str]]]:
    return {row: {(item.kind, item.said) for item in find_items(notes[row].text)} for row in rows}
