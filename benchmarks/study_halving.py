"""Successive halving against the full grid: GPU time, and how far its winner falls behind, over three seeds.

    PYTHONPATH=src python benchmarks/study_halving.py --train TRAIN.jsonl --dev DEV.jsonl --model FOLDER

Both search the settings of `studies/meddocan-halving.toml` with the training notes cut 80:20. Each winner is
then trained again on the 80% with seeds that the search did not use, and judged on the development notes,
which neither search has seen. GPU time is what the completion records say: from the moment that the GPU has
something to do to a run's end; `time_ratio_on_the_clock` is of the whole time, with starting, reading and
cutting the notes. A short run before both leaves the GPU's kernels compiled on disk, as any earlier training
on a machine does. `--searched FILE` takes up an answer whose searches are done, and only trains its winners
again. A search that is interrupted leaves the runs that it had finished in the answer.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deidlab.study.reading import read_spec
from deidlab.study.records import StudyRecords, read_study
from deidlab.study.run_options import RunOptions
from deidlab.study.running import run_study
from deidlab.study.spec import CorpusSpec, ModelSpec, RunSpec, StudySpec

ROOT = Path(__file__).parents[1]
SEEDS = [11, 12, 13]


def write_parts(arguments: Any, spec: StudySpec, folder: Path) -> dict[str, str]:
    """The 80:20 cut as files of their own, so that searches and retrainings see the same notes."""
    from deidlab.corpus import read_corpus
    from deidlab.corpus.split import read_ratios, split_corpus

    names = ("train", "validation")
    ratios = dict(zip(names, read_ratios(spec.split.ratios).values(), strict=True))
    manifest = split_corpus(read_corpus(arguments.train), ratios, spec.split.seed, spec.split.by)
    part_of = manifest.part_of()
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {name: [] for name in names}
    for line in Path(arguments.train).read_text("utf-8").splitlines():
        lines[part_of[json.loads(line)["id"]]].append(line)
    for name in names:
        (folder / f"{name}.jsonl").write_text("\n".join(lines[name]) + "\n", "utf-8")
    return {name: str(folder / f"{name}.jsonl") for name in names} | {
        "dev": str(Path(arguments.dev).resolve())
    }


def search(spec: StudySpec, folder: Path, device: str) -> tuple[StudyRecords, float]:
    """Run a search without keeping weights; its records, and the time on the clock."""
    shutil.rmtree(folder, ignore_errors=True)
    began = time.perf_counter()
    records = run_study(spec, folder, RunOptions(device=device))
    return records, time.perf_counter() - began


def describe_search(records: StudyRecords, wall: float) -> dict[str, Any]:
    assert records.selection is not None
    choice = next(iter(records.selection.choices.values()))
    return {
        "runs": len(records.completions),
        "failed": sum(not each.is_done for each in records.completions),
        "epochs": sum(int(each.settings["epochs"]) for each in records.completions),
        "gpu_seconds": round(sum(each.gpu_seconds for each in records.completions), 2),
        "seconds": round(sum(each.seconds for each in records.completions), 2),
        "wall_seconds": round(wall, 2),
        "winner": choice.run,
        "winner_validation_f1": choice.f1,
        "winner_settings": _told(choice.settings),
        "all": describe_runs(records),
    }


def describe_runs(records: StudyRecords) -> list[dict[str, Any]]:
    return [
        {"run": each.run, "rung": each.rung, "f1": each.f1}
        | {"seconds": round(each.seconds, 2), "gpu_seconds": round(each.gpu_seconds, 2)}
        | _told(each.settings)
        for each in records.completions
    ]


def _told(settings: Any) -> dict[str, Any]:
    return {key: settings[key] for key in ("learning_rate", "layer_decay", "label_smoothing", "epochs")}


def retrain(
    spec: StudySpec,
    parts: dict[str, str],
    winners: dict[str, Any],
    folder: Path,
    device: str,
    seeds: Sequence[int],
) -> dict[str, Any]:
    """Each winner's settings on each seed, judged on the development notes."""
    source = spec.models[0]
    models = tuple(
        ModelSpec(
            name,
            source.model,
            source.tokenizer,
            source.scratch,
            settings=dict(settings),
            grid={"seed": list(seeds)},
        )
        for name, settings in winners.items()
    )
    again = replace(
        spec, name="retrained", models=models, settings={}, grid={}, halving=None,
        corpus=CorpusSpec(train=parts["train"], validation=parts["dev"], test=parts["dev"]),
    )  # fmt: skip
    records, _ = search(again, folder, device)
    found = {}
    for name in winners:
        own = records.completions_of(name)
        found[name] = {
            "word_f1": [each.validation["f1"] for each in own if each.validation],
            "strict_f1": [each.validation["strict_f1"] for each in own if each.validation],
            "seeds": [each.seed for each in own],
        }
        found[name] |= {f"mean_{key}": statistics.fmean(found[name][key]) for key in ("word_f1", "strict_f1")}
    return found


def write(answer: dict[str, Any], out: Path | None) -> None:
    """What is known so far: a search that took long should not be lost to what comes after it."""
    if out:
        out.write_text(json.dumps(answer, indent=1) + "\n", "utf-8")


def search_both(spec: StudySpec, arguments: Any) -> dict[str, Any]:
    """Halving and the full grid, one after the other."""
    answer: dict[str, Any] = {}
    first = {key: values[:1] for key, values in spec.grid.items()}
    short = replace(
        spec, halving=None, grid=first, settings={**spec.settings, "epochs": 1, "validate_every": 1}
    )
    search(short, arguments.folder / "first", arguments.device)
    for name, chosen in (("halving", spec), ("full", replace(spec, halving=None))):
        try:
            records, wall = search(chosen, arguments.folder / name, arguments.device)
        except KeyboardInterrupt:
            answer[f"{name}_cut_off"] = describe_runs(read_study(arguments.folder / name))
            write(answer, arguments.out)
            raise
        answer[name] = describe_search(records, wall)
        answer["environment"] = records.study.environment
        print(name, {key: value for key, value in answer[name].items() if key != "all"}, flush=True)
        write(answer, arguments.out)
    return answer


def compare_times(halving: dict[str, Any], full: dict[str, Any]) -> dict[str, float]:
    """Time of halving over time of the grid: of the GPU, and on the clock."""
    measure = "gpu_seconds" if full["gpu_seconds"] else "seconds"
    return {
        "time_ratio": round(halving[measure] / full[measure], 4),
        "time_ratio_on_the_clock": round(halving["wall_seconds"] / full["wall_seconds"], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--study", type=Path, default=ROOT / "studies" / "meddocan-halving.toml")
    parser.add_argument("--set", action="append", default=[], help="change the study, for trying things out")
    parser.add_argument("--folder", type=Path, default=Path("halving-work"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--searched", type=Path, help="an earlier answer whose searches are done")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    model = str(Path(arguments.model).resolve())
    spec = read_spec(arguments.study, [f"models.minilm.model={model}", *arguments.set])
    parts = write_parts(arguments, spec, arguments.folder / "parts")
    corpus = CorpusSpec(train=parts["train"], validation=parts["validation"], test=parts["dev"])
    spec = replace(spec, corpus=corpus, run=RunSpec(keep="none"))
    if arguments.searched:
        answer = json.loads(arguments.searched.read_text("utf-8"))
    else:
        answer = search_both(spec, arguments)
    answer |= compare_times(answer["halving"], answer["full"])
    winners = {name: {**spec.settings, **answer[name]["winner_settings"]} for name in ("halving", "full")}
    answer["same_winner"] = winners["halving"] == winners["full"]
    again = {name: winners[name] for name in (("full",) if answer["same_winner"] else ("full", "halving"))}
    answer["retrained"] = retrain(
        spec, parts, again, arguments.folder / "again", arguments.device, arguments.seeds
    )
    other = answer["retrained"].get("halving", answer["retrained"]["full"])
    for key in ("mean_word_f1", "mean_strict_f1"):
        answer[f"points_behind_{key.removeprefix('mean_')}"] = round(
            100 * (answer["retrained"]["full"][key] - other[key]), 3
        )
    print(
        {key: value for key, value in answer.items() if key not in ("full", "halving", "environment")},
        flush=True,
    )
    write(answer, arguments.out)


if __name__ == "__main__":
    main()
