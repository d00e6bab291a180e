"""How surely and how fast a note's text tells its language: `python benchmarks/language_telling.py`.

Prints a table for benchmarks/results/language_telling.md: hand-written English and Spanish notes, and made
ones of all languages, among which a third are forms, tables and scraps of a line.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from deidlab import languages
from deidlab.corpus import read_corpus
from deidlab.make.notes import make_notes
from deidlab.make.spoken import make_spoken_notes
from deidlab.types import Document

DATA = Path(__file__).parents[1] / "tests" / "data"
ALL = languages.JOINT.join(languages.SHIPPED)
N_MADE, SEED, ROUNDS = 2000, 4711, 5


def note_sets() -> Iterator[tuple[str, str, list[Document]]]:
    yield "tests/data/notes-en", "en", list(read_corpus(DATA / "notes-en", "inline"))
    yield "tests/data/notes-es-fresh", "es", list(read_corpus(DATA / "notes-es-fresh", "inline"))
    yield f"made, {N_MADE}", "en", list(make_notes(N_MADE, SEED))
    for code in languages.SHIPPED[1:]:
        notes = languages.find(code).notes
        assert notes is not None
        yield f"made, {N_MADE}", code, list(make_spoken_notes(code, notes(), N_MADE, SEED, 0))


def main() -> None:
    columns = ("notes", "language", "told right", "told wrong", "several left, the right one among them",
               "ruled out wrongly", "microseconds a note")  # fmt: skip
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, code, notes in note_sets():
        told = [languages.in_note(ALL, note.text).code.split(languages.JOINT) for note in notes]
        right = sum(each == [code] for each in told)
        wrong = sum(len(each) == 1 and each != [code] for each in told)
        several = sum(len(each) > 1 and code in each for each in told)
        began = time.process_time()
        for _ in range(ROUNDS):
            for note in notes:
                languages.in_note(ALL, note.text)
        took = (time.process_time() - began) / ROUNDS / len(notes)
        shares = (
            f"{100 * n / len(notes):.1f}%"
            for n in (right, wrong, several, len(notes) - right - wrong - several)
        )
        print(f"| {name} | {code} | {' | '.join(shares)} | {1e6 * took:.0f} |")


if __name__ == "__main__":
    main()
