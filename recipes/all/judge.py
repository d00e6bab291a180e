"""Figures of a model on hand-written notes: `python recipes/all/judge.py --model all [--out FILE.json]`.

`--model` is an embedded name, an export or a run. For each set of notes, with rules and without: word recall,
precision and notes without a leak, with 95% intervals, and what each label has.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

RECIPES = Path(__file__).parents[1]
sys.path.insert(0, str(RECIPES))

from package import Measured, detect, measure  # noqa: E402

from deidlab.corpus import read_corpus  # noqa: E402

DATA = RECIPES.parent / "tests" / "data"
SETS = {
    "notes-en": "40 English notes; development figures.",
    "notes-en-fresh": "40 English notes of another writer; development figures.",
    "notes-en-judge": "40 English notes of a third writer, only counted.",
    "notes-es-fresh": "70 Spanish notes of many countries; development figures.",
    "notes-es-judge": "40 Spanish notes, only counted.",
    "notes-fr-judge": "50 French notes, only counted.",
}
# What choices may be made on; the others are only counted.
DEVELOPMENT = ("notes-en", "notes-en-fresh", "notes-es-fresh")
COLUMNS = (r"\w+.recall", r"\w+.precision", "privacy.clean_documents", "strict.f1")


def judge(model: str, limit: int | None = None) -> tuple[Measured, ...]:
    """The figures of every set of notes, with rules and without."""
    rows = []
    for name, remark in SETS.items():
        notes = list(read_corpus(DATA / name, "inline"))[:limit]
        for rules, how in (("on", "Model and rules."), ("off", "`--rules off`.")):
            figures = measure(notes, detect(model, rules, notes))
            rows.append(Measured(f"{name}, rules {rules}", f"{how} {remark}", figures))
    return tuple(rows)


def table(rows: tuple[Measured, ...]) -> str:
    lines = [
        "| notes | word recall | precision | notes without a leak | strict F1 |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        values = (row.figures["headline"][key] for key in COLUMNS)
        lines.append(f"| {row.title} | {' | '.join(_cell(*each) for each in values)} |")
    return "\n".join(lines)


def _cell(value: float | None, low: Any, high: Any) -> str:
    return "–" if value is None else f"{value:.3f} ({low:.3f}–{high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="all")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--limit", type=int, help="first notes of each set; for trying it out")
    said = parser.parse_args()
    rows = judge(said.model, said.limit)
    print(table(rows))
    if said.out:
        said.out.write_text(json.dumps({row.title: row.figures for row in rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
