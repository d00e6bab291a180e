"""What each custom of MEDDOCAN is worth: how often the training notes keep it, and F1 with and without it.

    python benchmarks/meddocan_customs.py --data MEDDOCAN --model FOLDER [--out FILE.md]

MEDDOCAN is the folder with `train` and `dev` (or train.jsonl and dev.jsonl); FOLDER a model that has not seen
`dev`, such as `runs/es/choose-int8` of the Spanish recipe.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "recipes" / "es"))

from build import find_parts

from deidlab.conventions.meddocan import redraw as meddocan
from deidlab.detect.model import TaggingModel, load_model
from deidlab.evaluate.pairing import pair_documents
from deidlab.evaluate.score import ScoreSettings, score_systems
from deidlab.types import Document, Span

THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
EXACT, OTHERWISE, UNMARKED = "as the rule says", "otherwise", "not at all"


def count_customs(notes: Sequence[Document]) -> dict[str, Counter[str]]:
    """How people marked what the rules would add: just so, otherwise, or not."""
    counts: dict[str, Counter[str]] = {}
    for note in notes:
        marked = {(span.start, span.end, span.label) for span in note.spans}
        for label, start, end in (*meddocan.by_rule(note.text), *meddocan.given_again(note.text, note.spans)):
            touched = any(span.start < end and start < span.end for span in note.spans)
            how = EXACT if (start, end, label) in marked else OTHERWISE if touched else UNMARKED
            counts.setdefault(label, Counter())[how] += 1
    return counts


def strict(notes: Sequence[Document], found: Iterable[Sequence[Span]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of whole spans with their labels."""
    pairs = pair_documents(
        notes, [replace(note, spans=tuple(spans)) for note, spans in zip(notes, found, strict=True)]
    ).pairs
    counts = score_systems({"model": pairs}, ScoreSettings())[0].figures.summary.entities["strict"].micro
    return counts.precision or 0.0, counts.recall or 0.0, counts.f1 or 0.0


def measure(model: TaggingModel, notes: Sequence[Document]) -> list[str]:
    decoded = list(model.find_spans(notes))
    redrawn = [meddocan.follow_corpus(note.text, spans) for note, spans in zip(notes, decoded, strict=True)]
    rows = []
    for threshold in THRESHOLDS:
        sure = [
            [[span for span in spans if (span.score or 0.0) >= threshold] for spans in either]
            for either in (decoded, redrawn)
        ]
        before, after = (strict(notes, either) for either in sure)
        rows.append(f"| {threshold:g} | {before[2]:.4f} | {after[0]:.4f} | {after[1]:.4f} | {after[2]:.4f} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    said = parser.parse_args()
    train, dev = find_parts(said.data)
    model = load_model(said.model)
    model.facts = replace(model.facts, conventions="")
    made = f"{datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}"
    lines = [
        "# The customs of MEDDOCAN",
        "",
        f"`benchmarks/meddocan_customs.py`, {made}.",
        "",
        f"How people marked, in the {len(train)} training notes, what the rules would add:",
        "",
        f"| label | {EXACT} | {OTHERWISE} | {UNMARKED} |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {label} | {counts[EXACT]} | {counts[OTHERWISE]} | {counts[UNMARKED]} |"
        for label, counts in sorted(count_customs(train).items())
    ]
    lines += [
        "",
        f"Strict, {len(dev)} development notes, a model of the training notes alone, in int8:",
        "",
        "| threshold | F1 as decoded | precision redrawn | recall redrawn | F1 redrawn |",
        "|---:|---:|---:|---:|---:|",
        *measure(model, dev),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if said.out:
        said.out.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
