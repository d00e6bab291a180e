"""The price of each veto: words lost and false words saved, on hand-written notes and on lines without PHI.

    python benchmarks/vetoes.py --out benchmarks/results/vetoes.md

Label-blind words as in `benchmarks/english.py`; embedded English model, rules of the notes' language.
Each veto is measured alone against none at all, and all together. Notes to judge by are not read here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from deidlab.corpus import read_corpus
from deidlab.detect import Detector, DetectorSettings, load_detector
from deidlab.detect.answers import Answer, ask_model
from deidlab.detect.vetoes import VETOES, Veto
from deidlab.types import Document
from english import count_note, ratio

DATA = Path("tests/data")
Keep = Callable[[str], bool]
SETS: tuple[tuple[str, str, str, Keep], ...] = (
    ("notes-en", "en", "notes-en", lambda note: True),
    ("notes-en-fresh, odd", "en", "notes-en-fresh", lambda note: int(note[1:3]) % 2 == 1),
    ("notes-es-fresh", "es", "notes-es-fresh", lambda note: True),
)


class Answered:
    """A model that was asked once: what it says does not depend on vetoes."""

    language, own_threshold = "en", None

    def __init__(self, detector: Detector, documents: Sequence[Document]) -> None:
        assert detector.model is not None
        self.tags = detector.model.tags
        answers = ask_model(detector.model, documents)
        self._answers = {document.text: answer for document, answer in zip(documents, answers, strict=True)}

    def predict(self, documents: Sequence[Document]) -> list[Answer]:
        return [self._answers.get(document.text, ((), ())) for document in documents]


def count(documents: Sequence[Document], detector: Detector, vetoes: tuple[Veto, ...]) -> tuple[int, ...]:
    """Words found, missed and falsely masked, and notes without a missed word."""
    found = missed = false = clean = 0
    for document, detection in zip(
        documents, replace(detector, vetoes=vetoes).detect(documents, with_words=False), strict=True
    ):
        totals = count_note(document, detection.spans)[2]
        found, missed, false = found + totals[0], missed + totals[1], false + totals[2]
        clean += totals[1] == 0
    return found, missed, false, clean


def read_probe() -> list[Document]:
    lines = (DATA / "probe-en.tsv").read_text("utf-8").splitlines()
    return [Document(id=str(i), text=line.split("\t", 1)[1]) for i, line in enumerate(lines) if line.strip()]


def touched(documents: Sequence[Document], detector: Detector, vetoes: tuple[Veto, ...]) -> int:
    detections = replace(detector, vetoes=vetoes).detect(documents, with_words=False)
    return sum(bool(detection.spans) for detection in detections)


def rows() -> list[str]:
    prepared = []
    for name, language, folder, keep in SETS:
        documents = [note for note in read_corpus(DATA / folder, "inline") if keep(note.id)]
        detector = load_detector("en", DetectorSettings(language=language))
        prepared.append((name, documents, replace(detector, model=Answered(detector, documents))))
    probe, detector = read_probe(), load_detector("en")
    detector = replace(detector, model=Answered(detector, probe))
    heads = " | ".join(f"{name}: lost | saved" for name, _, _ in prepared)
    lines = [f"| veto | {heads} | probe: lines no longer touched |", "|---|" + "---:|" * 7]
    bare = [count(documents, each, ()) for _, documents, each in prepared]
    untouched = touched(probe, detector, ())
    for label, vetoes in (*((veto.name, (veto,)) for veto in VETOES), ("all", VETOES)):
        cells = []
        for (_, documents, each), before in zip(prepared, bare, strict=True):
            after = count(documents, each, vetoes)
            cells += [str(after[1] - before[1]), str(before[2] - after[2])]
        lines.append(f"| {label} | {' | '.join(cells)} | {untouched - touched(probe, detector, vetoes)} |")
    lines += [
        "",
        "| notes | vetoes | recall | precision | notes without a missed word |",
        "|---|---|---:|---:|---:|",
    ]
    for (name, documents, each), before in zip(prepared, bare, strict=True):
        for said, (found, missed, false, clean) in (
            ("none", before),
            ("all", count(documents, each, VETOES)),
        ):
            figures = f"{ratio(found, missed):.4f} | {ratio(found, false):.4f} | {clean / len(documents):.3f}"
            lines.append(f"| {name} | {said} | {figures} |")
    n_touched = touched(probe, detector, VETOES)
    lines += [
        "",
        f"Lines of the probe touched: {untouched} without vetoes, {n_touched} with all, of {len(probe)}.",
    ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    head = ["# What vetoes cost and bring", "", "`python benchmarks/vetoes.py`; development notes only.", ""]
    text = "\n".join([*head, *rows()]) + "\n"
    print(text)
    if arguments.out:
        arguments.out.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
