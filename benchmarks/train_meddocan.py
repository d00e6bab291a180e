"""MiniLM on MEDDOCAN with the shipped preset, over seeds that are fixed beforehand; all of them are listed.

    PYTHONPATH=src python benchmarks/train_meddocan.py --train train.jsonl --dev dev.jsonl --model FOLDER

`--keep FOLDER` packs the first run into a few files of at most 15 MiB, weights in half precision, so that
it can be taken from a machine that gives back only small files; `--unpack FOLDER RUN` is the mirror.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "recipes"))

from packing import pack_run, unpack_run

from train_reference import read_documents

SEEDS = (1, 2, 3)


def run_seed(seed: int, arguments: Any) -> dict[str, Any]:
    """One run with the preset; the time is that of the whole run, compiling and validation included."""
    from deidlab.train.fit import fit
    from deidlab.train.launch import Launch
    from deidlab.train.presets import load_preset
    from deidlab.train.request import RunRequest

    settings = load_preset(arguments.preset, arguments.model).changed(
        seed=seed, **json.loads(arguments.changes)
    )
    train, dev = read_documents(arguments.train), read_documents(arguments.dev)
    began = time.perf_counter()
    run = fit(
        train, dev, RunRequest(arguments.model), settings, Launch(arguments.runs / str(seed), overwrite=True)
    )
    seconds = time.perf_counter() - began
    record = run.record
    curve = [entry["validation"]["f1"] for entry in record["epochs"] if "validation" in entry]
    found = {
        "seed": seed,
        "f1": run.f1,
        "precision": record["validation"]["precision"],
        "recall": record["validation"]["recall"],
        "last_epoch_f1": curve[-1],
        "best_epoch": record["best_epoch"],
        "f1_by_validation": [round(each, 5) for each in curve],
        "seconds": round(seconds, 1),
        "speed": record["speed"],
        "peak_memory_gib": round(record["peak_memory_bytes"] / 2**30, 2),
        "environment": record["environment"],
    }
    print(json.dumps({key: found[key] for key in found if key != "environment"}), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path)
    parser.add_argument("--dev", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--preset", default="meddocan-minilm")
    parser.add_argument("--changes", default="{}", help="settings to change, as JSON; for trying things out")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--runs", type=Path, default=Path("/tmp/meddocan-runs"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--unpack", type=Path, nargs=2)
    arguments = parser.parse_args()
    if arguments.unpack:
        unpack_run(*arguments.unpack)
        return
    runs = [run_seed(seed, arguments) for seed in arguments.seeds]
    answer = {
        "preset": arguments.preset,
        "changes": json.loads(arguments.changes),
        "mean_f1": statistics.fmean(run["f1"] for run in runs),
        "mean_last_epoch_f1": statistics.fmean(run["last_epoch_f1"] for run in runs),
        "slowest_seconds": max(run["seconds"] for run in runs),
        "runs": runs,
    }
    print({key: value for key, value in answer.items() if key != "runs"}, flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(answer, indent=2) + "\n", "utf-8")
    if arguments.keep:
        pack_run(arguments.runs / str(arguments.seeds[0]), arguments.keep)


if __name__ == "__main__":
    main()
