"""Measure the peak memory of training on a GPU and compare it with what `deidlab.zoo.memory` derives.

    PYTHONPATH=src python benchmarks/memory_model.py [--out FOLDER] [--length 512]

The study's six models with a token head of 41 labels and random weights are trained for three steps
of AdamW with eager transformers, at two batch sizes each, in fp32, bf16 (weights, too) and
bf16-mixed (autocast over fp32 weights). Some windows end in padding, as in any real batch. The
table goes to FOLDER/memory_model.md and FOLDER/memory_model.json; the exit status is 1 if any peak
is missed by more than 15 %.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deidlab.zoo.configs import load_model_facts
from deidlab.zoo.memory import plan_memory
from deidlab.zoo.sources import open_sizes, open_tensors
from deidlab.zoo.study import STUDY_LABELS, STUDY_MODELS

PRECISIONS = ("fp32", "bf16", "bf16-mixed")
TOLERANCE = 0.15
N_STEPS = 3
# The larger batch of each model is the study's own.
SMALL_BATCHES = {35: 8, 12: 4, 6: 2}
GIB = 2**30


@dataclass(frozen=True)
class Row:
    """One measurement: bytes as torch counted them (None: out of memory) and as the model says."""

    model: str
    precision: str
    batch: int
    measured: int | None
    modelled: int
    seconds: float

    @property
    def difference(self) -> float | None:
        return None if self.measured is None else self.modelled / self.measured - 1

    @property
    def is_close(self) -> bool:
        return self.difference is not None and abs(self.difference) <= TOLERANCE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--length", type=int, default=512)
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("this benchmark needs a CUDA device", file=sys.stderr)
        return 2
    rows = []
    for study in STUDY_MODELS:
        for precision in PRECISIONS:
            for batch in (SMALL_BATCHES[study.batch], study.batch):
                rows.append(measure(study.model, precision, batch, arguments.length))
                print(_markdown_row(rows[-1]), flush=True)
    write_results(rows, describe_machine(arguments.length), arguments.out)
    missed = [row for row in rows if not row.is_close]
    print(f"{len(rows) - len(missed)} of {len(rows)} peaks within {TOLERANCE:.0%}")
    return 1 if missed else 0


def measure(model: str, precision: str, batch: int, length: int) -> Row:
    """Train for a few steps and compare the peak with the plan."""
    tensors = open_tensors(model, "token", STUDY_LABELS)
    plan = plan_memory(open_sizes(model), tensors, length, precision)
    started = time.perf_counter()
    measured = measure_peak(model, precision, batch, length)
    return Row(model, precision, batch, measured, plan.peak(batch), round(time.perf_counter() - started, 1))


def measure_peak(model: str, precision: str, batch: int, length: int) -> int | None:
    """`max_memory_allocated` over the steps; None where they do not fit. Leaves the device empty."""
    import torch

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    try:
        train_steps(model, precision, batch, length)
        torch.cuda.synchronize()
        return int(torch.cuda.max_memory_allocated())
    except torch.cuda.OutOfMemoryError:
        return None
    finally:
        gc.collect()
        torch.cuda.empty_cache()


def train_steps(model: str, precision: str, batch: int, length: int, device: str = "cuda") -> None:
    """A plain training loop: forward, backward, step, gradients set to None."""
    import torch
    import transformers

    facts = load_model_facts(model)
    config = transformers.AutoConfig.for_model(facts.family, **facts.config)
    config.num_labels = STUDY_LABELS
    torch.manual_seed(0)
    with torch.device(device):
        network = transformers.AutoModelForTokenClassification.from_config(config)
    if precision == "bf16":
        network = network.to(torch.bfloat16)
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5)
    inputs = make_batch(config.vocab_size, batch, length, device)
    for _ in range(N_STEPS):
        with _casting(precision, device):
            loss = network(**inputs).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        del loss


def make_batch(n_vocabulary: int, batch: int, length: int, device: str) -> dict[str, Any]:
    """Random pieces and labels; every second window ends in padding."""
    import torch

    mask = torch.ones(batch, length, dtype=torch.long)
    mask[::2, -max(length // 16, 1) :] = 0
    made = {
        "input_ids": torch.randint(1000, n_vocabulary, (batch, length)),
        "attention_mask": mask,
        "labels": torch.randint(0, STUDY_LABELS, (batch, length)),
    }
    return {name: tensor.to(device) for name, tensor in made.items()}


def _casting(precision: str, device: str) -> contextlib.AbstractContextManager[Any]:
    import torch

    casting: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if precision == "bf16-mixed":
        casting = torch.autocast(device, dtype=torch.bfloat16)
    return casting


def describe_machine(length: int) -> dict[str, Any]:
    import torch
    import transformers

    return {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "length": length,
        "labels": STUDY_LABELS,
        "steps": N_STEPS,
        "optimizer": "AdamW",
    }


def write_results(rows: list[Row], machine: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = machine | {"rows": [asdict(row) | {"difference": row.difference} for row in rows]}
    (folder / "memory_model.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (folder / "memory_model.md").write_text(results_to_markdown(rows, machine), encoding="utf-8")


def results_to_markdown(rows: list[Row], machine: dict[str, Any]) -> str:
    """The measured table, the worst miss, and where it was measured."""
    worst = max((abs(row.difference) for row in rows if row.difference is not None), default=float("nan"))
    n_close = sum(row.is_close for row in rows)
    where = (
        f"{machine['device']}, torch {machine['torch']}, transformers {machine['transformers']}: eager "
        f"transformers, token head with {machine['labels']} labels, windows of {machine['length']} pieces, "
        f"{machine['steps']} steps of {machine['optimizer']}, `torch.cuda.max_memory_allocated`."
    )
    lines = [
        "# Peak memory of training: measured and modelled",
        "",
        "Written by `benchmarks/memory_model.py`; do not edit.",
        "",
        where,
        "",
        f"Largest difference: {worst:.1%}; {n_close} of {len(rows)} within {TOLERANCE:.0%}.",
        "",
        "| Model | Precision | Batch | Measured (GiB) | Modelled (GiB) | Difference |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *map(_markdown_row, rows),
    ]
    return "\n".join(lines) + "\n"


def _markdown_row(row: Row) -> str:
    measured = "out of memory" if row.measured is None else f"{row.measured / GIB:.3f}"
    difference = "–" if row.difference is None else f"{row.difference:+.1%}"
    cells = (row.model, row.precision, str(row.batch), measured, f"{row.modelled / GIB:.3f}", difference)
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
