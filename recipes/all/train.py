"""Train the model for all languages on the notes that all_notes.py wrote, or distil a smaller one from it.

    python recipes/all/train.py --notes NOTES --model ENCODER --out RUN [--seconds 540]
    python recipes/all/train.py --notes NOTES2 --round 2 --model RUN --out RUN2
    python recipes/all/train.py --notes NOTES --teacher RUN --layers 3 --out STUDENT

ENCODER is what encoder.py wrote. With `--seconds` the first epoch is timed, and where all would not fit,
training begins again with as many as do. `--keep FOLDER` packs the run into small files, and
`--unpack FOLDER RUN` joins them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECIPES = Path(__file__).parents[1]
sys.path[:0] = [str(RECIPES / "all"), str(RECIPES)]

from all_notes import read_recipe, spread  # noqa: E402
from packing import pack_run, unpack_run  # noqa: E402

from deidlab.train.launch import Launch  # noqa: E402
from deidlab.types import Document, Span  # noqa: E402

# What is left to do when the last epoch ends: the figures, and writing the run.
_AFTER_SECONDS = 45.0


class TooLong(Exception):
    """So many epochs do not fit into the time; `epochs` do."""

    def __init__(self, epochs: int) -> None:
        super().__init__()
        self.epochs = epochs


def read_notes(folder: Path) -> list[Document]:
    """The notes of all parts, in an order that does not depend on the number of processes."""
    parts = sorted(folder.glob("*.jsonl"))
    return [note for part in spread(_read_part, parts) for note in part]


def _read_part(path: Path) -> list[Document]:
    return [_to_document(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _to_document(row: dict[str, Any]) -> Document:
    spans = tuple(Span(each["start"], each["end"], each["label"]) for each in row["spans"])
    return Document(row["id"], row.get("patient", ""), row["text"], spans)


def train(
    notes: Path, model: str, out: Path, changes: dict[str, Any], teacher: str = "", seconds: float = 0.0
) -> dict[str, Any]:
    """One run, with its languages in its description; its figures are on the held out notes."""
    from deidlab.train.fit import fit
    from deidlab.train.request import RunRequest
    from deidlab.train.settings import TrainSettings

    began = time.perf_counter()
    recipe = read_recipe()
    settings = TrainSettings().changed(**{**recipe["train"], **changes})
    documents, held_out = read_notes(notes / "train"), _read_part(notes / "held_out.jsonl")
    print(f"{len(documents)} notes read in {time.perf_counter() - began:.1f} s", flush=True)
    launch = Launch(out, overwrite=True, n_cutters=min(16, os.cpu_count() or 1))
    request = RunRequest(model, labels="made", teachers=(teacher,) if teacher else ())
    try:
        tell = watch(settings.epochs, began, seconds)
        run = fit(documents, held_out, request, settings, launch, tell=tell)
    except TooLong as error:
        print(f"{settings.epochs} epochs do not fit: begun again with {error.epochs}", flush=True)
        settings = settings.changed(epochs=error.epochs, validate_every=error.epochs)
        run = fit(documents, held_out, request, settings, launch, tell=watch(0, began, 0.0))
    path = out / "tagger.json"
    path.write_text(
        json.dumps(json.loads(path.read_text("utf-8")) | recipe["tagger"], indent=2) + "\n", "utf-8"
    )
    told = {"f1": run.f1, "epochs": settings.epochs, "seconds": round(time.perf_counter() - began, 1)}
    print(json.dumps(told | {"speed": run.record["speed"]}), flush=True)
    return run.record


def watch(epochs: int, began: float, seconds: float) -> Callable[[dict[str, Any]], None]:
    """Prints every epoch; after the first, with a limit, raises where all of them would take too long."""

    def tell(entry: dict[str, Any]) -> None:
        now = time.perf_counter() - began
        print(f"{now:.0f} s: {entry}", flush=True)
        took = float(entry["seconds"])
        if seconds and entry["epoch"] == 1 and now + took * (epochs - 1) + _AFTER_SECONDS > seconds:
            fits = int((seconds - now - _AFTER_SECONDS) / took)
            if fits < 1:
                raise SystemExit(f"an epoch takes {took:.0f} s: not one more fits into {seconds:.0f} s")
            raise TooLong(fits)

    return tell


def cut_layers(run: Path, n_layers: int, out: Path) -> Path:
    """A smaller encoder: every so many-th layer of a run's, the first and the last among them."""
    from safetensors.torch import load_file, save_file

    config = json.loads((run / "config.json").read_text("utf-8"))
    n_before = config["num_hidden_layers"]
    if not 1 <= n_layers < n_before:
        raise SystemExit(f"--layers is at least 1 and less than the teacher's {n_before}")
    places = [round(place * (n_before - 1) / max(1, n_layers - 1)) for place in range(n_layers)]
    new = {f".layer.{old}.": f".layer.{place}." for place, old in enumerate(places)}
    tensors = {}
    for name, tensor in load_file(run / "model.safetensors").items():
        old = next((part for part in new if part in name), "")
        if old or ".layer." not in name:
            tensors[name.replace(old, new[old]) if old else name] = tensor
    out.mkdir(parents=True, exist_ok=True)
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    (out / "config.json").write_text(json.dumps(config | {"num_hidden_layers": n_layers}), "utf-8")
    for name in ("tokenizer.json", "tagger.json"):
        (out / name).write_bytes((run / name).read_bytes())
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--model", help="folder of the encoder")
    parser.add_argument("--round", type=int, default=1, help="the training, from the run of the one before")
    parser.add_argument("--teacher", type=Path, help="a run to distil a smaller student from")
    parser.add_argument("--layers", type=int, default=3, help="layers of the student")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=0.0, help="time for all of it")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--unpack", type=Path, nargs=2)
    parser.add_argument("--changes", default="{}", help="settings to change, as JSON; for trying things out")
    said = parser.parse_args()
    if said.unpack:
        unpack_run(*said.unpack)
        return
    recipe, model = read_recipe(), said.model
    changes = recipe["rounds"][said.round - 1] | (recipe["shrink"] if said.teacher else {})
    changes |= json.loads(said.changes)
    if said.teacher:
        model = str(cut_layers(said.teacher, said.layers, said.out.with_name(f"{said.out.name}-start")))
    train(said.notes, model, said.out, changes, str(said.teacher or ""), said.seconds)
    if said.keep:
        pack_run(said.out, said.keep)


if __name__ == "__main__":
    main()
