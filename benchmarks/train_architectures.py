"""The study's six architectures, each from scratch for an epoch on one GPU.

    PYTHONPATH=src python benchmarks/train_architectures.py --train TRAIN --dev DEV --tokenizers FOLDER

FOLDER holds `minilm` (its tokenizer.json serves for BERT), `roberta` and `albert`.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from pathlib import Path
from typing import Any

from train_reference import TOKENIZERS, read_documents

SIX = ("bert-base", "bert-large", "roberta-base", "roberta-large", "albert-base", "albert-xxlarge")


def train_one(name: str, arguments: Any, train: Any, dev: Any) -> dict[str, Any]:
    import torch

    from deidlab.train.fit import fit
    from deidlab.train.launch import Launch
    from deidlab.train.presets import load_preset
    from deidlab.train.request import RunRequest
    from deidlab.zoo.configs import load_model_facts

    # Of the model before, or its memory would count as this one's.
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    family = load_model_facts(name).family
    tokenizer = str(Path(arguments.tokenizers) / TOKENIZERS[family])
    request = RunRequest(name, scratch=True, tokenizer=tokenizer)
    settings = load_preset("meaney-2022", name).changed(epochs=arguments.epochs, checkpoint_minutes=0.0)
    began = time.perf_counter()
    record = fit(
        train, dev, request, settings, Launch(Path("/tmp/architectures") / name, overwrite=True)
    ).record
    found = {
        "model": name,
        "batch": settings.batch,
        "loss": record["epochs"][-1]["train"]["loss"],
        "accuracy": record["epochs"][-1]["train"]["accuracy"],
        "real_tokens_per_second": record["speed"]["pieces_per_second"],
        "samples_per_second": record["speed"]["samples_per_second"],
        "compiled": record["compiled"],
        "peak_memory_gib": round(record["peak_memory_bytes"] / 2**30, 2),
        "seconds": round(time.perf_counter() - began, 1),
    }
    print(json.dumps(found), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--tokenizers", required=True)
    parser.add_argument("--models", nargs="+", default=list(SIX))
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    train, dev = read_documents(arguments.train), read_documents(arguments.dev)[:40]
    found = []
    for name in arguments.models:
        found.append(train_one(name, arguments, train, dev))
        if arguments.out:
            arguments.out.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
