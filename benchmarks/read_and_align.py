"""Documents per second for reading i2b2 XML and aligning words with BIO tags: ours beside a plain lxml loop.

The plain loop does the same work the way one writes it first: parse with lxml, check the quoted text, cut
words with a regular expression, cut them again at span edges, and tag them. Both run over the same files, by
turns, so that a noisy machine disturbs both alike; the ratio is what counts.

    python benchmarks/read_and_align.py [--corpus FOLDER_OF_XML] [--copies 25] [--rounds 7]
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lxml import etree

from deidlab.corpus import read_corpus, write_corpus
from deidlab.encode.tags import spans_to_tags
from deidlab.types import Document

NOTES = Path(__file__).parents[1] / "tests" / "data" / "notes-en"
Aligned = list[tuple[Sequence[tuple[int, int]], Sequence[str]]]


def ours(folder: Path) -> Aligned:
    tagged = (spans_to_tags(document) for document in read_corpus(folder, "i2b2"))
    return [(each.words, each.tags) for each in tagged]


def plain_loop(folder: Path) -> Aligned:
    aligned = []
    for path in sorted(folder.glob("*.xml")):
        root = etree.parse(path).getroot()
        text = root.findtext("TEXT")
        spans = []
        for tag in root.find("TAGS"):
            start, end = int(tag.get("start")), int(tag.get("end"))
            if " ".join(tag.get("text").split()) != " ".join(text[start:end].split()):
                raise ValueError("text does not match")
            spans.append((start, end, tag.get("TYPE")))
        spans.sort()
        aligned.append(plain_align(text, spans))
    return aligned


def plain_align(text: str, spans: list[tuple[int, int, str]]) -> tuple[list[tuple[int, int]], list[str]]:
    edges = {edge for start, end, _ in spans for edge in (start, end)}
    words = []
    for match in re.finditer(r"[^\W\d_]+|\d+|\S", text):
        start = match.start()
        for position in range(start + 1, match.end()):
            if position in edges:
                words.append((start, position))
                start = position
        words.append((start, match.end()))
    tags = []
    index = 0
    for word_start, word_end in words:
        while index < len(spans) and spans[index][1] <= word_start:
            index += 1
        if index < len(spans) and spans[index][0] <= word_start and word_end <= spans[index][1]:
            begin = word_start == spans[index][0]
            tags.append(("B-" if begin else "I-") + spans[index][2])
        else:
            tags.append("O")
    return words, tags


def make_corpus(folder: Path, copies: int) -> None:
    notes = list(read_corpus(NOTES))
    many = (
        Document(f"{note.id}-{copy}", text=note.text, spans=note.spans)
        for copy in range(copies)
        for note in notes
    )
    write_corpus(many, folder, "i2b2", overwrite=True)


def seconds(work: Callable[[Path], Aligned], folder: Path) -> float:
    started = time.perf_counter()
    work(folder)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--corpus", type=Path, help="a folder of i2b2 XML [default: copies of the sample notes]"
    )
    parser.add_argument("--copies", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=7)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = said.corpus or Path(made) / "xml"
        if said.corpus is None:
            make_corpus(folder, said.copies)
        first, second = ours(folder), plain_loop(folder)
        same = sum([*map(list, a)] == [*map(list, b)] for a, b in zip(first, second, strict=True))
        times = [(seconds(ours, folder), seconds(plain_loop, folder)) for _ in range(said.rounds)]
    n = len(first)
    mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(b / a for a, b in times)
    n_words = sum(len(words) for words, _ in first) / n
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}  {machine}")
    print(f"{n} notes, {n_words:.0f} words a note, median of {said.rounds} rounds")
    print(f"same words and tags from both: {same} of {n}")
    print(f"deidlab            {n / mine:8.0f} documents/s")
    print(f"plain lxml loop    {n / theirs:8.0f} documents/s")
    print(f"ratio              {ratio:8.2f}")


if __name__ == "__main__":
    main()
