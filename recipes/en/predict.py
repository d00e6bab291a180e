"""What a run finds in notes, as offsets and certainties: `python predict.py RUN NOTES.jsonl OUT.json.gz`.

A line a note comes in (`id`, `text`); a note's spans, and its words with their PHI probability, go out.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from deidlab.detect.findings import Findings
from deidlab.detect.model import load_model
from deidlab.types import Document

# Words of so small a probability are kept too, so that thresholds can be tried on what was written.
LEAST = 0.2


def split_spans(findings: Findings) -> dict[str, list[list[int | str | float]]]:
    """Spans that the tags give, and further words that are likely without one."""
    tags = {start: tag for (start, _), tag in zip(findings.words, findings.tags, strict=True)}
    rows: dict[str, list[list[int | str | float]]] = {"spans": [], "further": []}
    for span in findings.spans:
        kind = "further" if tags[span.start] == "O" else "spans"
        rows[kind].append([span.start, span.end, span.label, round(span.score or 0.0, 4)])
    return rows


def main() -> None:
    run, notes, out = map(Path, sys.argv[1:4])
    rows = [json.loads(line) for line in notes.read_text("utf-8").splitlines()]
    documents = [Document(id=row["id"], text=row["text"]) for row in rows]
    model = load_model(run)
    model.phi_minimum = LEAST
    found = {
        document.id: {
            **split_spans(findings),
            "words": [
                [start, end, round(sure, 4)] for start, end, sure in findings.word_scores() if sure >= 0.01
            ],
        }
        for document, findings in zip(documents, model.tag_notes(documents), strict=True)
    }
    with gzip.open(out, "wt", encoding="utf-8") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main()
