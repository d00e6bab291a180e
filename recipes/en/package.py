"""The English run in, the embedded English model with its card out.

    python recipes/en/package.py --run RUN [--notes tests/data/notes-en] [--base mtsamples.jsonl]

A smaller vocabulary (what made notes of another seed, the base and the lists of names and places use) is
tried, and kept where it finds no fewer words.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

from deidlab.corpus import read_corpus
from deidlab.make import make_notes
from deidlab.types import Document

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

import package as shared  # noqa: E402

BANKS = (
    "names.tsv",
    "us_places.tsv",
    "ca_places.tsv",
    "us_states.tsv",
    "countries.tsv",
    "professions_en.tsv",
    "stems_en.tsv",
)
N_MADE, SEED = 4_000, 77
WHERE = "40 hand-written invented notes, on which settings were chosen (development figures)."
FRESH = "20 notes of another writer whose errors nobody looked at and on which nothing was chosen."
ODD = "20 notes of that writer; the threshold was chosen on them too, and some rules were mended after them."


def texts_in_use(base: Path | None) -> list[str]:
    """What English notes are made of."""
    banks = resources.files("deidlab") / "data" / "banks"
    lists = resources.files("deidlab") / "data" / "detect"
    texts = [(banks / name).read_text("utf-8") for name in BANKS]
    texts += [file.read_text("utf-8") for file in lists.iterdir() if file.name.endswith(".txt")]
    texts += [note.text for lift in (True, False) for note in make_notes(N_MADE, SEED, lift=lift)]
    return texts + ([note.text for note in read_corpus(base)] if base else [])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--notes", type=Path, default=ROOT / "tests" / "data" / "notes-en")
    parser.add_argument("--fresh", type=Path, default=ROOT / "tests" / "data" / "notes-en-fresh")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--work", type=Path, default=Path("runs/en"))
    said = parser.parse_args()
    notes = list(read_corpus(said.notes))
    fresh = list(read_corpus(said.fresh))
    even, odd = ([note for note in fresh if int(note.id[1:3]) % 2 == rest] for rest in (0, 1))
    held_out = [*notes, *fresh]
    whole = shared.export_int8(said.run, said.work / "whole", held_out, language="en")
    smaller = shared.export_int8(
        said.run, said.work / "smaller", held_out, texts_in_use(said.base), language="en"
    )
    prunes, told = compare_vocabularies(said.run, said.work, smaller["vocabulary"], notes)
    export, record = (said.work / "smaller", smaller) if prunes else (said.work / "whole", whole)
    rows = (
        ("As masked", "Model and rules.", "on", notes, WHERE),
        ("As masked, unseen notes", "Model and rules.", "on", even, FRESH),
        ("As masked, further notes", "Model and rules.", "on", odd, ODD),
        ("Model alone", "`--rules off`.", "off", notes, WHERE),
        ("Rules alone", "`--rules only`.", "only", notes, WHERE),
    )
    measured = []
    for title, remark, how, part, where in rows:
        found = shared.detect(str(export), how, part)
        measured.append(shared.Measured(title, f"{remark} {where}", shared.measure(part, found)))
    story = shared.read_story(HERE / "card.toml")
    shared.install(export, replace(story, facts=(*story.facts, told)), measured, said.run, record)


def compare_vocabularies(
    run: Path, work: Path, sizes: tuple[int, int], notes: list[Document]
) -> tuple[bool, str]:
    """Whether the smaller vocabulary is as good on the notes, and what to tell of it and of int8."""
    folders = (run, work / "whole", work / "smaller")
    rows = [shared.measure(notes, shared.detect(str(each), "on", notes))["headline"] for each in folders]
    recalls = [row[r"\w+.recall"][0] for row in rows]
    f1 = [row["strict.f1"][0] for row in rows]
    prunes = recalls[2] >= recalls[1]
    shipped = "that" if prunes else "the whole vocabulary"
    told = (
        f"With rules, on the {len(notes)} notes: recall {recalls[0]:.4f} and strict F1 {f1[0]:.4f} in fp32, "
        f"{recalls[1]:.4f} and {f1[1]:.4f} in int8, {recalls[2]:.4f} and {f1[2]:.4f} in int8 with "
        f"{sizes[1]:,} of the {sizes[0]:,} pieces of the vocabulary. Shipped is {shipped}."
    )
    return prunes, told


if __name__ == "__main__":
    main()
