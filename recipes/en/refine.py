"""Go on with a finished run on further made notes, on a CPU: `refine.py RUN OUT --prepared BASE`.

For a change of the grammar that does not justify training anew. Embeddings and the lowest layers stay as they
are; the rest learns with a rate that falls over the time given. What was done is added to the run's record.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).parent)]

from corpus import _BASE, read_prepared  # noqa: E402

from deidlab.detect.folder import SHAPES_KEY, read_tagger  # noqa: E402
from deidlab.detect.torch_model import load_window_model  # noqa: E402
from deidlab.encode.pieced import Cutting, piece_corpus  # noqa: E402
from deidlab.encode.pieces import WordPieces  # noqa: E402
from deidlab.encode.windows import IGNORED, WindowShape  # noqa: E402
from deidlab.labels import load_label_set  # noqa: E402
from deidlab.make.base import fill_notes  # noqa: E402
from deidlab.make.notes import make_notes  # noqa: E402
from deidlab.train.folder import save_weights  # noqa: E402

_POOL = 240
_BATCH = 12


def batches(arguments: Any, pieces: WordPieces) -> Iterator[tuple[Any, Any, Any]]:
    """Ids, shapes and labels of windows of about one length, cut to the shortest of them."""
    shape = WindowShape(arguments.window, arguments.window * 3 // 4, pieces.prefix, pieces.suffix)
    labels = load_label_set("i2b2-2014")
    chance = random.Random(arguments.seed)
    first = 0
    while True:
        n_base = int(_POOL * arguments.base_share)
        documents = list(make_notes(_POOL - n_base, arguments.seed, lift=True, first=first))
        documents += fill_notes(_BASE, n_base, arguments.seed, lift=True, first=first)
        first += _POOL
        corpus = piece_corpus(documents, Cutting(pieces, shape), labels, all_pieces=True)
        edges = corpus.starts.tolist()
        windows = sorted(itertools.pairwise(edges), key=lambda edge: edge[1] - edge[0])
        groups = [windows[at : at + _BATCH] for at in range(0, len(windows) - _BATCH + 1, _BATCH)]
        chance.shuffle(groups)
        for group in groups:
            length = min(end - start for start, end in group)
            yield tuple(  # type: ignore[misc]
                torch.stack([torch.from_numpy(values[start : start + length]).long() for start, _ in group])
                for values in (corpus.ids, corpus.shapes, corpus.labels)
            )


def refine(arguments: Any) -> None:
    facts = read_tagger(arguments.run)
    torch.manual_seed(arguments.seed)
    pieces = WordPieces.from_file(arguments.run / "tokenizer.json")
    window, _ = load_window_model(arguments.run, facts)
    _freeze(window.model, arguments.frozen)
    learning = [each for each in window.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=arguments.rate, weight_decay=0.01)
    average = [each.detach().clone() for each in learning]
    window.train()
    began = told = time.monotonic()
    seconds = arguments.minutes * 60
    n_steps = n_pieces = 0
    running = 0.0
    for ids, shapes, labels in batches(arguments, pieces):
        passed = (time.monotonic() - began) / seconds
        if passed >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * min(1.0, (n_steps + 1) / 30) * (1 - passed)
        hidden = (torch.rand(ids.shape) < 0.08) & (ids > 103)
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bf16):
            scores = window(ids.masked_fill(hidden, pieces.hidden), shapes)
        loss = functional.cross_entropy(
            scores.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, label_smoothing=0.05
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        n_steps, n_pieces = n_steps + 1, n_pieces + ids.numel()
        keep = min(0.99, n_steps / (n_steps + 10))
        torch._foreach_lerp_(average, [each.detach() for each in learning], 1 - keep)
        running = 0.95 * running + 0.05 * float(loss.detach())
        if time.monotonic() - told > arguments.tell:
            told = time.monotonic()
            speed = n_pieces / (told - began)
            print(f"{passed:.2f} done, {n_steps} steps, {speed:.0f} pieces/s, loss {running:.4f}", flush=True)
            if arguments.save_often:
                save(arguments, window, learning, average, n_steps, n_pieces)
    save(arguments, window, learning, average, n_steps, n_pieces)


def _freeze(model: Any, n_layers: int) -> None:
    """Embeddings and the lowest layers stay as they are: no gradient has to reach them."""
    for each in model.bert.embeddings.parameters():
        each.requires_grad_(False)
    for layer in model.bert.encoder.layer[:n_layers]:
        for each in layer.parameters():
            each.requires_grad_(False)


def save(
    arguments: Any, window: Any, learning: list[Any], average: list[Any], n_steps: int, n_pieces: int
) -> None:
    """The averaged weights as a run of their own, with what was done in its record."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in arguments.run.iterdir():
        if path.is_file() and path.name not in ("model.safetensors", "README"):
            shutil.copy(path, arguments.out / path.name)
    own = [each.detach().clone() for each in learning]
    with torch.no_grad():
        for each, mean in zip(learning, average, strict=True):
            each.copy_(mean)
        save_weights(arguments.out, window.model, {SHAPES_KEY: window.shapes.weight})
        for each, old in zip(learning, own, strict=True):
            each.copy_(old)
    record = json.loads((arguments.run / "record.json").read_text("utf-8"))
    done = {
        "minutes": arguments.minutes,
        "rate": arguments.rate,
        "seed": arguments.seed,
        "steps": n_steps,
        "pieces": n_pieces,
        "window": arguments.window,
        "base_share": arguments.base_share,
        "batch": _BATCH,
        "device": "cpu",
    }
    record.setdefault("refined", []).append(done)
    (arguments.out / "record.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--prepared", type=Path, required=True, help="a base that train.py --prepare wrote")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--window", type=int, default=192)
    parser.add_argument("--base-share", type=float, default=0.35)
    parser.add_argument("--seed", type=int, default=501)
    parser.add_argument("--frozen", type=int, default=2, help="lowest layers that stay as they are")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--tell", type=float, default=30, help="seconds from one line to the next")
    parser.add_argument("--save-often", action="store_true")
    arguments = parser.parse_args()
    _BASE[:] = read_prepared(arguments.prepared)
    refine(arguments)


if __name__ == "__main__":
    main()
