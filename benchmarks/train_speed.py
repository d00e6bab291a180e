"""Our training step beside the Hugging Face Trainer, in one run on one GPU.

Same windows, same starting weights, same number of steps, the study's batch sizes. The Trainer is the usual
one: bf16, dynamic padding, SDPA, fused AdamW, 4 workers, not compiled. Tuned, it is compiled and pads all
rows to the window, so that one graph serves them all. Real tokens are those that are no padding; shares of
the chip are of the matrix rate measured here, and count only products that are done (our last layer leaves
out pieces that decide nothing); compiling is timed apart.

    PYTHONPATH=src python benchmarks/train_speed.py --corpus train.jsonl --tokenizers FOLDER --out FILE

FOLDER holds `minilm` (its tokenizer.json serves for BERT) and `roberta`.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import random
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.pieced import Cutting, PiecedCorpus, count_labels, piece_corpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.labels import auto_label_set
from deidlab.train.compiling import compile_layers
from deidlab.train.flops import flop_per_piece
from deidlab.train.launch import Bookkeeping
from deidlab.train.loop import Loop
from deidlab.train.losses import TagLoss
from deidlab.train.models import ModelSource, build_model, load_config, name_tags
from deidlab.train.presets import load_preset
from deidlab.train.processes import find_place
from deidlab.train.record import describe_environment
from deidlab.train.session import make_flat, plan_rows
from deidlab.train.settings import TrainSettings
from deidlab.train.steps import TrainSteps
from deidlab.types import Document
from train_reference import TOKENIZERS, WARM_UP, read_documents, run_trainer

TRAINERS = ("trainer", "tuned_trainer")


def measure_peak(repeats: int, size: int = 8192) -> float:
    """FLOP a second of a large bf16 matrix product on random data.

    Twenty of them are over before the chip has to lower its clock; a thousand take a second and a half, long
    enough for the clock that training gets.
    """
    left, right = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    out = torch.empty_like(left)
    for _ in range(5):
        torch.mm(left, right, out=out)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(repeats):
        torch.mm(left, right, out=out)
    end.record()
    torch.cuda.synchronize()
    return 2.0 * size**3 * repeats / (start.elapsed_time(end) / 1000)


def run_ours(
    model: Any, corpus: PiecedCorpus, settings: TrainSettings, compiled: bool, flop: float
) -> dict[str, Any]:
    """Our steps over the corpus, epoch after epoch."""
    place = find_place()
    torch.cuda.reset_peak_memory_stats()
    tagger = Tagger(model).to(place.device)
    tagger.train()
    flat = make_flat(tagger, settings, True, 1)
    shape = plan_rows(tagger, corpus, settings, True, 1)
    if compiled:
        compile_layers(model, shape.n_pieces, half=True)
    steps = TrainSteps(TagLoss(tagger).to(place.device), flat)
    loop = Loop(corpus, shape, steps, settings, place, Bookkeeping(Path()))
    prepared = loop.prepare(graphed=True, resume=False)
    sums: list[Any] = []
    run = steps.run

    def run_and_note(rows: Any, shapes: Any, knobs: Any) -> None:
        run(rows, shapes, knobs)
        sums.append(steps.sums.clone())
        steps.sums.zero_()

    steps.run = run_and_note  # type: ignore[method-assign]
    tokens = _step_tokens(loop, settings.epochs)
    n_steps = len(tokens)
    idle = 1 - shape.n_deciding / shape.n_pieces if shape.n_deciding else 0.0
    done = flop - left_out(model, idle, mean_context(corpus))
    began = _timed_steps(loop, sums, n_steps)
    seconds = time.perf_counter() - began
    found = torch.stack(sums[:n_steps]).tolist()
    real = sum(tokens[WARM_UP:n_steps])
    return {
        "steps": n_steps,
        "real_tokens_per_second": real / seconds,
        "samples_per_second": real / seconds / float(corpus.lengths.mean()),
        "mean_real_tokens_a_step": statistics.fmean(tokens[:n_steps]),
        "padding_share": 1 - sum(tokens[:n_steps]) / (n_steps * shape.n_pieces),
        "flop_per_token": done,
        "flop_per_second": real * done / seconds,
        "compile_and_capture_seconds": prepared,
        "peak_memory_gib": torch.cuda.max_memory_allocated() / 2**30,
        "losses": [each[0] / max(each[1], 1.0) for each in found],
    }


def mean_context(corpus: PiecedCorpus) -> float:
    """How many pieces a piece sees on average."""
    lengths = corpus.lengths.astype(np.float64)
    return float((lengths**2).sum() / lengths.sum())


def left_out(model: Any, share: float, context: float) -> float:
    """FLOP a piece that the last layer and the head leave out for the share of pieces that decide nothing."""
    layer = model.base_model.encoder.layer[-1]
    skipped = (layer.attention.output.dense, layer.intermediate.dense, layer.output.dense, model.classifier)
    attention = 2.0 * model.config.hidden_size * context
    return 6.0 * share * (attention + sum(each.weight.numel() for each in skipped))


class _Enough(Exception):
    """Stops the loop at the wanted number of steps."""


def _timed_steps(loop: Loop, sums: list[Any], n_steps: int) -> float:
    began = [0.0]

    def watch() -> None:
        if len(sums) == WARM_UP:
            torch.cuda.synchronize()
            began[0] = time.perf_counter()
        if len(sums) == n_steps:
            torch.cuda.synchronize()
            raise _Enough

    loop._after_step = watch  # type: ignore[method-assign]
    loop._end_epoch = lambda plan, start: _next_epoch(loop)  # type: ignore[method-assign, assignment]
    with contextlib.suppress(_Enough):
        loop.run()
    return began[0]


def _next_epoch(loop: Loop) -> None:
    loop.progress.epoch, loop.progress.done_steps = loop.progress.epoch + 1, 0


def _step_tokens(loop: Loop, epochs: int) -> list[int]:
    lengths = loop.corpus.lengths.tolist()
    return [sum(lengths[each] for each in row) for epoch in range(epochs) for row in loop._plan(epoch)]


def plain_model(source: ModelSource, pieces: WordPieces, n_tags: int, state: Any) -> Any:
    """The same model as the library builds it: SDPA, nothing of ours."""
    from transformers import AutoModelForTokenClassification

    config = load_config(source)
    config.num_labels, config.vocab_size = n_tags, pieces.n_vocabulary
    model = AutoModelForTokenClassification.from_config(config, attn_implementation="sdpa")
    model.load_state_dict(state)
    return model


def compare(
    name: str, n_steps: int, arguments: Any, documents: list[Document], peaks: dict[str, float]
) -> dict[str, Any]:
    """One model, ours and the Trainer's."""
    source = ModelSource(name, scratch=True)
    config = load_config(source)
    settings = load_preset("meaney-2022", name)
    pieces = WordPieces.from_file(
        Path(arguments.tokenizers) / TOKENIZERS[config.model_type] / "tokenizer.json"
    )
    labels = auto_label_set(count_labels(documents))
    name_tags(config, labels)
    window = WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
    corpus = piece_corpus(documents, Cutting(pieces, window), labels)
    torch.manual_seed(1)
    model = build_model(source, config, "TokenClassification", pieces, None)
    state = {key: value.clone() for key, value in model.state_dict().items()}
    flop = flop_per_piece(model, mean_context(corpus))
    per_epoch = math.ceil(corpus.n_windows / settings.batch)
    # Whole epochs: both learning rates then fall to zero over the same number of steps.
    settings = settings.changed(epochs=max(1, round(n_steps / per_epoch)) if n_steps else 10, seed=1)
    result: dict[str, Any] = {
        "model": name,
        "batch": settings.batch,
        "flop_per_token": flop,
    }
    for compiled in arguments.compile:
        key = "ours" if compiled == "on" else "ours_not_compiled"
        result[key] = run_ours(model, corpus, settings, compiled == "on", flop)
        result["steps"] = result[key].pop("steps")
        torch.cuda.empty_cache()
        print(name, key, {k: v for k, v in result[key].items() if k != "losses"}, flush=True)
    if arguments.trainers:
        del model
        torch.cuda.empty_cache()
        plain = plain_model(source, pieces, len(labels.tags), state)
        for key in arguments.trainers:
            plain.load_state_dict(state)
            # As many epochs, not steps: both then have learned from the same tokens.
            result[key] = run_trainer(
                plain, corpus, settings, per_epoch * settings.epochs, flop, tuned=key == "tuned_trainer"
            )
            print(name, key, {k: v for k, v in result[key].items() if k != "losses"}, flush=True)
    return summarise(result, peaks)


def summarise(result: dict[str, Any], peaks: dict[str, float]) -> dict[str, Any]:
    """Shares of the peak, the ratio of speeds and the agreement of losses."""
    for key in ("ours", "ours_not_compiled", *TRAINERS):
        if key in result:
            rate = result[key].pop("flop_per_second")
            result[key] |= {f"share_of_{kind}": rate / peak for kind, peak in peaks.items()}
            losses = result[key].pop("losses")
            last = losses[-max(1, len(losses) // 10) :]
            result[key]["first_loss"] = statistics.fmean(losses[:5])
            result[key]["last_tenth_loss"] = statistics.fmean(last)
            result[key]["loss_curve"] = [
                round(statistics.fmean(losses[i : i + 10]), 4) for i in range(0, len(losses), 10)
            ]
    for key in TRAINERS:
        if "ours" in result and key in result:
            result[f"beside_{key}"] = beside(result["ours"], result[key])
    return result


def beside(ours: dict[str, Any], trainer: dict[str, Any]) -> dict[str, float]:
    return {
        "times_as_fast": ours["real_tokens_per_second"] / trainer["real_tokens_per_second"],
        "tokens_a_step_ratio": ours["mean_real_tokens_a_step"] / trainer["mean_real_tokens_a_step"],
        "last_tenth_loss_ratio": ours["last_tenth_loss"] / trainer["last_tenth_loss"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True, type=Path)
    parser.add_argument("--tokenizers", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--models", nargs="+", default=["bert-base", "roberta-large"])
    parser.add_argument(
        "--steps", type=int, nargs="+", default=[0], help="a number for each model; 0: ten epochs"
    )
    parser.add_argument("--compile", nargs="+", default=["on"], choices=["on", "off"])
    parser.add_argument("--trainers", nargs="*", default=list(TRAINERS), choices=TRAINERS)
    arguments = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    documents = read_documents(arguments.corpus)
    peaks = {"peak": measure_peak(20), "sustained": measure_peak(2000)}
    print({kind: f"{peak / 1e12:.0f} TFLOP/s" for kind, peak in peaks.items()}, flush=True)
    found = {
        "environment": describe_environment(torch.device("cuda", 0)),
        **{f"{kind}_tflop_per_second": peak / 1e12 for kind, peak in peaks.items()},
        "models": [
            compare(name, n_steps, arguments, documents, peaks)
            for name, n_steps in zip(arguments.models, itertools.cycle(arguments.steps), strict=False)
        ],
    }
    text = json.dumps(found, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
