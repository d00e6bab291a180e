"""Two outputs of `deidlab detect` over the same notes: the share of words that both mask, or neither.

    deidlab detect NOTES --device cuda --out there.jsonl      (on a machine with a GPU)
    deidlab detect NOTES --device cpu --out here.jsonl        (on any)
    PYTHONPATH=src python benchmarks/words_alike.py here.jsonl there.jsonl [--out FILE.json]

Prints counts of words and notes, and the places of notes with words apart, never their text.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deidlab.corpus import read_corpus
from deidlab.types import Document
from rebuilt import hidden


def compare(one: Sequence[Document], other: Sequence[Document]) -> dict[str, Any]:
    n_words, apart = 0, {}
    for place, (first, second) in enumerate(zip(one, other, strict=True), 1):
        if first.text != second.text:
            raise SystemExit(f"note {place} is another one there")
        differ = hidden(first.text, first.spans) != hidden(second.text, second.spans)
        n_words += len(differ)
        if differ.any():
            apart[place] = int(differ.sum())
    n_apart = sum(apart.values())
    return {
        "notes": len(one),
        "words": n_words,
        "words_apart": n_apart,
        "alike": 1 - n_apart / n_words,
        "words_apart_by_note": apart,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    found = compare(list(read_corpus(asked.one)), list(read_corpus(asked.other)))
    told = json.dumps(found)
    print(told)
    if asked.out:
        asked.out.write_text(f"{told}\n", "utf-8")


if __name__ == "__main__":
    main()
