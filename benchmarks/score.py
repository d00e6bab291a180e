"""Seconds to score 1,000 notes of 600 words with every measure: ours beside seqeval doing its one.

Ours starts from documents with text and spans: words are cut, and all measures counted, with 2,000
bootstrap resamples, the list of leaks and the confusion of types. seqeval (strict, IOB2) starts from tags
that are already made, so its time holds no cutting of words. Both must give the same strict F1. The last
line is the whole command, from JSON lines on disk to JSON, in a process of its own.

    python benchmarks/score.py [--notes 1000] [--words 600] [--rounds 5] [--out benchmarks/results/score.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from seqeval.metrics import f1_score
from seqeval.scheme import IOB2

from deidlab.encode.tags import tags_to_spans
from deidlab.evaluate.pairing import pair_documents
from deidlab.evaluate.privacy import list_slips
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.labels import load_label_set
from deidlab.types import Document

Notes = tuple[list[Document], list[Document], list[list[str]], list[list[str]]]
LABELS = load_label_set("i2b2-2014").labels
PHI_SPANS = 12  # with the lengths below, some 22 PHI words a note, as in the i2b2 2014 corpus


def make_notes(n_notes: int, n_words: int) -> Notes:
    chance = random.Random(2014)
    golds, systems, gold_tags, system_tags = [], [], [], []
    for number in range(n_notes):
        sizes = [chance.randint(1, 9) for _ in range(n_words)]
        text = " ".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=size)) for size in sizes)
        words, place = [], 0
        for size in sizes:
            words.append((place, place + size))
            place += size + 1
        gold = ["O"] * n_words
        for start in chance.sample(range(0, n_words - 4, 4), PHI_SPANS):
            write_span(gold, start, chance.randint(1, 3), chance.choice(LABELS))
        system = spoil(gold, chance)
        gold_tags.append(gold)
        system_tags.append(system)
        golds.append(Document(f"n{number:05}", text=text, spans=tags_to_spans(words, gold)))
        systems.append(Document(f"n{number:05}", text=text, spans=tags_to_spans(words, system)))
    return golds, systems, gold_tags, system_tags


def write_span(tags: list[str], start: int, size: int, label: str) -> None:
    tags[start : start + size] = [f"B-{label}", *[f"I-{label}"] * (size - 1)]


def spoil(gold: list[str], chance: random.Random) -> list[str]:
    """The gold as a fallible system would tag it: some spans missed, some relabelled, a few made up."""
    system = list(gold)
    for place, tag in enumerate(gold):
        if tag.startswith("B-") and chance.random() < 0.08:
            size = 1
            while place + size < len(gold) and gold[place + size].startswith("I-"):
                size += 1
            if chance.random() < 0.5:
                system[place : place + size] = ["O"] * size
            else:
                write_span(system, place, size, chance.choice(LABELS))
    for place in chance.sample(range(3, len(gold), 4), 1):
        if system[place] == "O":
            system[place] = f"B-{chance.choice(LABELS)}"
    return system


def ours(golds: list[Document], systems: list[Document]) -> SystemScore:
    pairs = pair_documents(golds, systems).pairs
    (score,) = score_systems({"system": pairs}, ScoreSettings())
    list_slips(score.tally)
    return score


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def whole_command(golds: list[Document], systems: list[Document]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder) / "gold.jsonl", Path(folder) / "system.jsonl"
        for path, documents in zip(paths, (golds, systems), strict=True):
            path.write_text("".join(to_line(document) for document in documents), "utf-8")
        command = [sys.executable, "-m", "deidlab", "score", *map(str, paths), "--json"]
        return seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def to_line(document: Document) -> str:
    spans = [{"start": span.start, "end": span.end, "label": span.label} for span in document.spans]
    return json.dumps({"id": document.id, "text": document.text, "spans": spans}) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--words", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "score.md")
    said = parser.parse_args()
    golds, systems, gold_tags, system_tags = make_notes(said.notes, said.words)
    mine = ours(golds, systems).figures.summary.entities["strict"].micro.f1
    theirs = f1_score(gold_tags, system_tags, mode="strict", scheme=IOB2)
    times = [
        (
            seconds(lambda: ours(golds, systems)),
            seconds(lambda: f1_score(gold_tags, system_tags, mode="strict", scheme=IOB2)),
        )
        for _ in range(said.rounds)
    ]
    all_measures, one_measure = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(two / one for one, two in times)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    settings = (
        f"{datetime.date.today()}, {machine}. {said.notes:,} made notes of {said.words} words, "
        f"{PHI_SPANS} spans a note; median of {said.rounds} rounds, by turns. Strict F1: ours {mine:.6f}, "
        f"seqeval {theirs:.6f}."
    )
    lines = [
        "# Scoring, every measure",
        "",
        settings,
        "",
        "| | seconds |",
        "| --- | ---: |",
        f"| deidlab: all measures, 2,000 resamples, leaks, confusion | {all_measures:.2f} |",
        f"| seqeval: strict F1 alone, from tags | {one_measure:.2f} |",
        f"| ratio, seqeval to deidlab | {ratio:.2f} |",
        f"| `deidlab score … --json`, the whole command | {whole_command(golds, systems):.2f} |",
        "",
        "Made by `python benchmarks/score.py`.",
    ]
    page = "\n".join(lines) + "\n"
    print(page)
    said.out.parent.mkdir(parents=True, exist_ok=True)
    said.out.write_text(page, "utf-8")
    if abs(mine - theirs) > 1e-9:
        sys.exit("ours and seqeval disagree")


if __name__ == "__main__":
    main()
