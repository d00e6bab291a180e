"""What `deidlab study plan` says of a study on this machine, and what its runs then took.

    PYTHONPATH=src python benchmarks/study_plan.py studies/meddocan.toml --measured FOLDER \\
        --corpus train=TRAIN --corpus test=DEV --set models.minilm.model=FOLDER …

--measured is the folder of the same study, with its records, from a machine of the same kind. Compared are
seconds of the GPU, or on a CPU of the clock, of all runs of a model; tests are not among them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from deidlab.study.completing import completions_by_run
from deidlab.study.planning import plan_study
from deidlab.study.reading import read_spec


def compare(study: str, sets: list[str], corpora: list[str], measured: Path, device: str) -> dict[str, Any]:
    plan = plan_study(read_spec(study, sets, corpora), None, device)
    runs = [run for run in completions_by_run(measured).values() if run.is_done]
    rows = []
    for each in plan.models:
        own = [run for run in runs if run.model == each.model]
        took = sum(run.gpu_seconds or run.seconds for run in own)
        if len(own) < each.runs:
            raise SystemExit(f"{measured}: {len(own)} of {each.runs} runs of {each.model} are there")
        planned = None if each.hours is None else each.hours * 3600
        rows.append(
            {
                "model": each.model,
                "pieces_per_word": each.pieces_per_word,
                "planned_pieces_per_second": each.pieces_per_second,
                "measured_pieces_per_second": [run.speed["train"]["pieces_per_second"] for run in own],
                "planned_seconds": planned,
                "measured_seconds": took,
                "planned_over_measured": None if planned is None else planned / took,
            }
        )
    return {"study": plan.name, "device": plan.device, "notes": plan.notes, "models": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--corpus", action="append", default=[])
    parser.add_argument("--measured", type=Path, required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = compare(given.study, given.set, given.corpus, given.measured, given.device)
    print(json.dumps(found, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
