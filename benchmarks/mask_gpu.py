"""Masking on a GPU: what the model part and the whole way take, and whether words come out as on a processor.

    PYTHONUNBUFFERED=1 PYTHONPATH=src python benchmarks/mask_gpu.py --notes NOTES --model FOLDER-OR-NAME \
        [--large roberta-large --tokenizer FOLDER] [--parts model words whole] [--out FILE.json]

The notes, any corpus, are taken again under other names until there are `--many` of them. Three parts:

- `model`: windows that are already cut, laid out and scored, for the model and a large one with random
  weights: notes and pieces a second, median of the rounds after one that warms up;
- `words`: the share of words that the model masks alike on GPU and processor, over the notes as they are;
- `whole`: `deidlab mask` as a process, text in, masked text out, with a worker a core or as `--workers` says;
  less its time for a hundredth of the notes, which is start-up for the most part.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from by_turns import measure
from deidlab.corpus import read_corpus
from deidlab.corpus.records import document_to_record
from deidlab.detect.embedded import model_folder
from deidlab.detect.model import TaggingModel, load_model
from deidlab.encode.pieces import WordPieces
from deidlab.labels import load_label_set
from deidlab.machine import n_cores
from deidlab.mask.keys import new_key
from deidlab.train.folder import save_weights
from deidlab.train.models import ModelSource, build_model, load_config
from deidlab.types import Document
from rebuilt import hidden, through_torch

ROOT = Path(__file__).parents[1]
PARTS = ("model", "words", "whole")


def random_run(name: str, tokenizer: str, folder: Path) -> Path:
    """A run folder of a named architecture with random weights: only its speed means anything."""
    source = ModelSource(name, scratch=True, tokenizer=tokenizer)
    config, pieces = load_config(source), WordPieces(transformers.AutoTokenizer.from_pretrained(tokenizer))
    tags = load_label_set("i2b2-2014").tags
    config.num_labels = len(tags)
    torch.manual_seed(1)
    model = build_model(source, config, "TokenClassification", pieces, None)
    folder.mkdir()
    save_weights(folder, model, {})
    (folder / "tokenizer.json").write_text(pieces.to_json(), "utf-8")
    first = int(config.pad_token_id) + 1 if config.model_type == "roberta" else 0
    facts = {"tags": tags, "window": 512, "stride": 384, "words": "runs", "decoding": "viterbi"}
    (folder / "tagger.json").write_text(
        json.dumps(facts | {"shapes": False, "first_position": first}), "utf-8"
    )
    return folder


def many(notes: Sequence[Document], n: int) -> list[Document]:
    """So many notes: these again and again, each under a name of its own."""
    return [replace(notes[place % len(notes)], id=f"{place}") for place in range(n)]


def model_part(model: TaggingModel, notes: Sequence[Document], rounds: int) -> dict[str, Any]:
    """Notes and pieces a second from cut windows to scores, and what the steps around it take on one core."""
    began = time.perf_counter()
    cut = [model.cut(note) for note in notes]
    cutting = time.perf_counter() - began
    windows = [window for note in cut for window in note.windows]
    n_pieces = sum(int(window.arrays["input_ids"].shape[1]) for window in windows)
    runtime: Any = model.runtime
    began = time.perf_counter()
    rows = runtime.lay_out(windows)
    laying_out = time.perf_counter() - began
    times = measure({"scoring": lambda: runtime.run(rows), "all": lambda: model.score(cut)}, rounds)
    scores = model.score(cut)
    began = time.perf_counter()
    list(model.decide(cut, scores))
    deciding = time.perf_counter() - began
    seconds = {name: statistics.median(each) for name, each in times.items()}
    return {
        "notes": len(notes), "windows": len(windows), "pieces": n_pieces, "rows": len(rows),
        "notes_per_second": len(notes) / seconds["scoring"],
        "pieces_per_second": n_pieces / seconds["scoring"],
        "with_laying_out_notes_per_second": len(notes) / seconds["all"],
        "seconds": seconds | {"cutting": cutting, "laying_out": laying_out, "deciding": deciding},
    }  # fmt: skip


def masked_words(model: TaggingModel, notes: Sequence[Document]) -> list[np.ndarray]:
    """Of each note, which of its words a span covers."""
    return [hidden(note.text, spans) for note, spans in zip(notes, model.find_spans(notes), strict=True)]


def words_part(folder: Path, notes: Sequence[Document], device: str) -> dict[str, Any]:
    """Words masked alike on the device and on a processor, as the export computes there."""
    here, there = (masked_words(load_model(folder, device=each), notes) for each in ("cpu", device))
    apart = {note.id: int((one != other).sum()) for note, one, other in zip(notes, here, there, strict=True)}
    n_words = sum(map(len, here))
    return {
        "words": n_words,
        "alike": 1 - sum(apart.values()) / n_words,
        "apart_by_note": {name: n for name, n in apart.items() if n},
    }


def whole_part(
    notes: Sequence[Document], model: str, device: str, workers: int, style: str
) -> dict[str, Any]:
    """Notes a second of `deidlab mask`, text in and masked text out."""
    few = notes[: max(1, len(notes) // 100)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        new_key(folder / "key")
        settings = ("--model", model, "--style", style, "--device", device, "--workers", str(workers),
                    "--key-file", str(folder / "key"))  # fmt: skip
        some, all_of_them = (
            time_masking(folder / f"{len(each)}.jsonl", each, settings) for each in (few, notes)
        )
    return {
        "notes": len(notes), "workers": workers or n_cores(), "seconds": {"few": some, "all": all_of_them},
        "notes_per_second": (len(notes) - len(few)) / (all_of_them - some),
        "with_start_up": len(notes) / all_of_them,
    }  # fmt: skip


def time_masking(source: Path, notes: Sequence[Document], settings: Sequence[str]) -> float:
    """Seconds of one run of the command over these notes."""
    rows = (document_to_record(replace(note, spans=())) for note in notes)
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    out = source.with_name(f"masked-{source.name}")
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), "-q", *settings]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=Path, required=True)
    parser.add_argument("--model", default="es", help="an embedded model, an export or a run")
    parser.add_argument("--large", help="name of an architecture to time with random weights as well")
    parser.add_argument("--tokenizer", help="folder of its tokenizer")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--many", type=int, default=6000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[0])
    parser.add_argument("--style", default="surrogate")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    notes = list(read_corpus(asked.notes))
    figures: dict[str, Any] = {"device": torch.cuda.get_device_name() if asked.device == "cuda" else "cpu"}
    folder = model_folder(asked.model)

    def tell(name: str, found: dict[str, Any]) -> None:
        figures[name] = found
        print(
            name,
            json.dumps({key: value for key, value in found.items() if key != "apart_by_note"}),
            flush=True,
        )
        if asked.out:
            asked.out.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")

    if "model" in asked.parts:
        model = through_torch(folder, asked.device)
        tell(f"model part, {asked.model}", model_part(model, many(notes, asked.many), asked.rounds))
        if asked.large:
            with tempfile.TemporaryDirectory() as name:
                run = random_run(asked.large, asked.tokenizer, Path(name) / "run")
                large = through_torch(run, asked.device)
            tell(f"model part, {asked.large}", model_part(large, many(notes, asked.many // 4), asked.rounds))
    if "words" in asked.parts:
        tell("words", words_part(folder, notes, asked.device))
    if "whole" in asked.parts:
        for workers in asked.workers:
            tell(
                f"whole, {workers} workers",
                whole_part(many(notes, asked.many), asked.model, asked.device, workers, asked.style),
            )


if __name__ == "__main__":
    main()
