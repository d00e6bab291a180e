"""The models inside on the committed notes, as `deidlab score` measures: notes without a leak, and words.

    python benchmarks/embedded.py --out benchmarks/results/embedded.json

Each set goes through `deidlab detect --model …` and `deidlab score --json`, with defaults. A note leaks where
a word of PHI has a visible character left, whatever its label.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NOTES = Path(__file__).parents[1] / "tests" / "data"
# Title, model, folder, and which notes of it: those that were only ever counted are the even-numbered ones.
SETS = (
    ("en, notes that nothing was chosen on", "en", "notes-en-fresh", r"f\d[02468]\."),
    ("en, those and notes whose errors were read", "en", "notes-en-fresh", r"f\d\d\."),
    ("en, notes that it was chosen on", "en", "notes-en", r"c\d\d\."),
    ("es, notes that nothing was chosen on", "es", "notes-es-fresh", r"g\d[02468]\."),
    ("es, those and notes whose errors were read", "es", "notes-es-fresh", r"[gh]\d\d\."),
)


def score(model: str, folder: str, which: str) -> dict[str, Any]:
    """What `deidlab score` says of a set of notes."""
    with tempfile.TemporaryDirectory() as place:
        gold, found = Path(place, "gold"), Path(place, "found")
        gold.mkdir()
        for path in (NOTES / folder).iterdir():
            if re.match(which, path.name):
                shutil.copy(path, gold)
        deidlab = [sys.executable, "-m", "deidlab"]
        subprocess.run([*deidlab, "detect", gold, "--model", model, "--out", found, "-q"], check=True)
        done = subprocess.run([*deidlab, "score", gold, found, "--json"], check=True, capture_output=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    print("| notes | without a leak | PHI words hidden | precision of words, PHI or not |\n|---|---|---|---|")
    answer = {}
    for title, model, folder, which in SETS:
        found = score(model, folder, which)
        leaking, words = found["privacy"]["leaking_documents"], found["words"]["binary"]
        clean, of = leaking["of"] - leaking["n"], leaking["of"]
        answer[title] = {
            "documents": of,
            "without_a_leak": clean,
            "word_recall": words["recall"],
            "precision": words["precision"],
            "leaked_words": found["privacy"]["leaked_words"],
        }
        share = f"{clean} of {of} ({clean / of:.2f})"
        print(f"| {title} | {share} | {words['recall']:.3f} | {words['precision']:.3f} |", flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(answer, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
