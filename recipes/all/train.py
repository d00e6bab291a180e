"""Train one model for all languages, on the notes of all_notes.py with the settings of the English model.

    python recipes/all/train.py --base mtsamples.jsonl --meddocan MEDDOCAN --model MINILM_FOLDER --out RUN

MEDDOCAN is the folder with `train` and `dev`. `--base`, `--prepared`, `--keep` and `--changes` are those of
recipes/en/train.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

RECIPES = Path(__file__).parents[1]
sys.path[:0] = [str(RECIPES / "all"), str(RECIPES / "en"), str(RECIPES.parent / "benchmarks")]

from all_notes import Sizes, make_corpus  # noqa: E402
from corpus import prepare  # noqa: E402

VALIDATION_SEED = 999_001
# As for the English model: a word counts that is so likely to be PHI, though no label stands out.
MINIMUM = 0.2


def read_meddocan(folder: Path | None, part: str) -> list[Any]:
    if folder is None:
        return []
    from deidlab.corpus import read_corpus

    return list(read_corpus(folder / part, "i2b2"))


def train(arguments: argparse.Namespace) -> None:
    """One run; its figures are on made notes of another seed and on MEDDOCAN's development notes."""
    from deidlab.train.fit import fit
    from deidlab.train.request import RunRequest
    from deidlab.train.settings import read_settings

    changes = {"epochs": arguments.epochs, "validate_every": arguments.epochs}
    settings = read_settings(RECIPES / "en" / "settings.toml").changed(
        **changes, **json.loads(arguments.changes)
    )
    began = time.perf_counter()
    sizes = Sizes(*(getattr(arguments, each.name) for each in fields(Sizes)))
    notes = make_corpus(sizes, arguments.seed, arguments.prepared, read_meddocan(arguments.meddocan, "train"))
    dev = read_meddocan(arguments.meddocan, "dev")[:100]
    held_out = make_corpus(Sizes(150, 0, 150, 150, 1), VALIDATION_SEED, None, dev)
    print(f"{len(notes)} notes made in {time.perf_counter() - began:.1f} s", flush=True)
    request = RunRequest(arguments.model, labels="made")
    run = fit(notes, held_out, request, settings, arguments.out, overwrite=True, tell=_tell)
    path = arguments.out / "tagger.json"
    facts = json.loads(path.read_text("utf-8")) | {"language": "en", "least": MINIMUM}
    path.write_text(json.dumps(facts, indent=2) + "\n", "utf-8")
    print(json.dumps({"f1": run.f1, "speed": run.record["speed"]}), flush=True)


def _tell(entry: Any) -> None:
    print(entry, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, help="English notes to fill, in any format")
    parser.add_argument("--prepared", type=Path)
    parser.add_argument("--meddocan", type=Path)
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    for each in fields(Sizes):
        parser.add_argument(f"--{each.name}", type=int, default=each.default)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--changes", default="{}", help="settings to change, as JSON; for trying things out")
    arguments = parser.parse_args()
    if arguments.base and not arguments.prepared:
        from deidlab.corpus import read_corpus

        arguments.prepared = arguments.out.with_suffix(".base.gz")
        arguments.prepared.parent.mkdir(parents=True, exist_ok=True)
        prepare(read_corpus(arguments.base), arguments.prepared)
    train(arguments)
    if arguments.keep:
        from train_meddocan import pack_run

        pack_run(arguments.out, arguments.keep)


if __name__ == "__main__":
    main()
