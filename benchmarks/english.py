"""Development figures of English detection: label-blind word recall and precision on hand-written notes.

    python benchmarks/english.py ../shared/data/notes-en --model all=RUN --model grammar=FOUND.json.gz

A word is a run of `\\w`; it is found only if all its gold characters are covered, and a covered word without
gold counts against precision. A model is a run or an exported model, or what `recipes/en/predict.py` wrote.
Intervals (95%) come from drawing notes again, 2,000 times. `--errors` lists what was missed, with its text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from deidlab.corpus import read_corpus
from deidlab.detect import DetectorSettings
from deidlab.detect.answers import BACKING
from deidlab.detect.detector import Detector, load_detector
from deidlab.types import Document, Span

WORD = re.compile(r"\w+")
DRAWS = 2000
# What the English model's folder says of words that are likely to be PHI without one label standing out.
LEAST = 0.5


class Recorded:
    """A model whose findings were written down."""

    language = "en"

    def __init__(self, path: Path, least: float = LEAST) -> None:
        self.least = least
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            self._found = json.load(stream)
        self.tags: tuple[str, ...] = ("O", "B-PATIENT", "I-PATIENT")

    def predict(self, documents: Sequence[Document]) -> list[Any]:
        answers = []
        for document in documents:
            found = self._found[document.id]
            further = [row for row in found.get("further", ()) if row[3] >= self.least]
            rows = sorted([*found["spans"], *further])
            spans = [Span(start, end, label, score, "model") for start, end, label, score in rows]
            answers.append((spans, [tuple(word) for word in found["words"]]))
        return answers


def open_model(path: Path) -> Any:
    if path.is_dir():
        from deidlab.detect.model import load_model

        return load_model(path)
    return Recorded(path)


def covered(spans: Iterable[Span], length: int) -> bytearray:
    mask = bytearray(length)
    for span in spans:
        mask[span.start : span.end] = b"\1" * (span.end - span.start)
    return mask


def count_note(
    document: Document, found: Sequence[Span]
) -> tuple[Counter[str], Counter[str], list[int], list[tuple[str, int, int]]]:
    """Gold words and found ones by label; [found, missed, false]; and where the errors are."""
    text = document.text
    gold, mine = covered(document.spans, len(text)), covered(found, len(text))
    label_at = {place: span.label for span in document.spans for place in range(span.start, span.end)}
    wanted: Counter[str] = Counter()
    got: Counter[str] = Counter()
    totals, errors = [0, 0, 0], []
    for match in WORD.finditer(text):
        places = [place for place in range(*match.span()) if gold[place]]
        if places:
            label = label_at[places[0]]
            wanted[label] += 1
            hit = all(mine[place] for place in places)
            got[label] += hit
            totals[0 if hit else 1] += 1
            if not hit:
                errors.append((f"missed {label}", *match.span()))
        elif any(mine[place] for place in range(*match.span())):
            totals[2] += 1
            label = next(
                span.label for span in found if span.start < match.end() and match.start() < span.end
            )
            errors.append((f"false {label}", *match.span()))
    return wanted, got, totals, errors


def ratio(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest else 0.0


def interval(totals: Sequence[list[int]], first: int, other: int) -> tuple[float, float]:
    chance = random.Random(1)
    drawn = []
    for _ in range(DRAWS):
        notes = [totals[int(chance.random() * len(totals))] for _ in totals]
        drawn.append(ratio(sum(note[first] for note in notes), sum(note[other] for note in notes)))
    drawn.sort()
    return drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]


def judge(name: str, documents: Sequence[Document], detector: Detector, errors: bool) -> dict[str, Any]:
    """Figures of one way to detect; printed as one row."""
    detections = detector.detect(list(documents), with_words=False)
    wanted: Counter[str] = Counter()
    got: Counter[str] = Counter()
    totals = []
    for document, detection in zip(documents, detections, strict=True):
        gold, hits, counts, wrong = count_note(document, detection.spans)
        wanted.update(gold)
        got.update(hits)
        totals.append(counts)
        for what, start, end in wrong if errors else ():
            context = document.text[max(0, start - 30) : end + 20].replace("\n", "⏎")
            print(f"  {document.id} {what}: {document.text[start:end]!r} in {context!r}")
    found, missed, false = (sum(note[place] for note in totals) for place in range(3))
    recall, precision = ratio(found, missed), ratio(found, false)
    figures = {
        "recall": round(recall, 4), "precision": round(precision, 4),
        "recall_interval": [round(each, 4) for each in interval(totals, 0, 1)],
        "precision_interval": [round(each, 4) for each in interval(totals, 0, 2)],
        "words": found + missed, "missed": missed, "false": false,
        "recall_by_label": {label: [got[label], wanted[label]] for label, _ in wanted.most_common()},
    }  # fmt: skip
    low, high = figures["recall_interval"]
    least, most = figures["precision_interval"]
    print(f"{name:32s} recall {recall:.4f} ({low:.3f}–{high:.3f})", end="  ")
    print(f"precision {precision:.4f} ({least:.3f}–{most:.3f})  missed {missed}, false {false}")
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notes", type=Path)
    parser.add_argument("--model", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--how", default="union", help="how model and rules are brought together")
    parser.add_argument("--threshold", type=float, default=None)
    parser.add_argument(
        "--errors", action="store_true", help="list errors with their text, for notes that are nobody's"
    )
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    documents = list(read_corpus(arguments.notes, "inline"))
    answer = {
        "rules only": judge(
            "rules only",
            documents,
            load_detector(None, DetectorSettings("only")),
            arguments.errors and not arguments.model,
        )
    }
    for given in arguments.model:
        name, _, path = given.partition("=")
        model = open_model(Path(path))
        for rules in ("off", "on"):
            row = f"{name}, {'model and rules' if rules == 'on' else 'model'}"
            plain = load_detector(None, DetectorSettings("only"))
            detector = Detector(
                rules=plain.rules if rules == "on" else (),
                model=model,
                threshold=arguments.threshold,
                how=arguments.how,
                backing=BACKING,
            )
            answer[row] = judge(row, documents, detector, arguments.errors and rules == "on")
            for label, (hits, n) in answer[row]["recall_by_label"].items():
                print(f"    {label:16s} {hits:4d} of {n:4d}  {hits / n:.3f}")
    if arguments.out:
        arguments.out.write_text(json.dumps(answer, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
