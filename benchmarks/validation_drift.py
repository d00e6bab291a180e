"""How often drift is told where there is none, and how much of other notes it takes to be told.

    python benchmarks/validation_drift.py --out benchmarks/results/validation_drift.md

Made notes, whole patients drawn by chance: so many were validated, and as many come later. Among the later
ones a share is other notes: shorter ones that end after the first lines, as when a note type is added.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

from deidlab.make import make_notes
from deidlab.report.validation.profile import KINDS, build_profile, compare_profiles
from deidlab.report.validation.strata import ALL, Seen, see_words
from deidlab.types import Document

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)
N_NOTES, _LINES = 300, 6


def see(document: Document, first_lines: bool, chooser: random.Random) -> Seen:
    """A note as a run would be counted; the certainty is made up, and alike for all."""
    text = "\n".join(document.text.split("\n")[:_LINES]) if first_lines else document.text
    spans = [span for span in document.spans if span.end <= len(text)]
    n_words, words = see_words(text, [(span.start, span.end) for span in spans])
    scores = tuple(chooser.betavariate(9, 1) for _ in spans)
    labels = Counter(span.label for span in spans)
    return Seen(document.id, document.patient, ALL, n_words, labels, scores, words, b"")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=100)
    given = parser.parse_args()
    chooser = random.Random(20261119)
    patients: dict[str, list[tuple[Seen, Seen]]] = defaultdict(list)
    for note in make_notes(given.notes, seed=5):
        patients[note.patient].append((see(note, False, chooser), see(note, True, chooser)))
    lines = [
        f"# Drift of {N_NOTES} later notes from {N_NOTES} validated ones, {given.repeats} draws a row",
        "",
        "| of other kind | told | by certainty | by labels | by words | by length |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for share in SHARES:
        told: Counter[str] = Counter()
        for _ in range(given.repeats):
            told.update(compare(patients, share, chooser))
        cells = [f"{told[kind] / given.repeats:.0%}" for kind in ("any", *KINDS)]
        lines.append(f"| {share:.0%} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", "utf-8")


def compare(patients: dict[str, list[tuple[Seen, Seen]]], share: float, chooser: random.Random) -> set[str]:
    """In what the later notes were told to have drifted, and 'any' if in anything."""
    order = chooser.sample(sorted(patients), len(patients))
    notes = [pair for name in order for pair in patients[name]]
    before = build_profile([pair[0] for pair in notes[:N_NOTES]], {ALL: ALL})
    later = [pair[chooser.random() < share] for pair in notes[N_NOTES : 2 * N_NOTES]]
    found = {each.kind for each in compare_profiles(before, build_profile(later, {ALL: ALL})) if each.drifted}
    return found | ({"any"} if found else set())


if __name__ == "__main__":
    main()
