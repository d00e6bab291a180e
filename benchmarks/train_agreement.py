"""The same fine-tuning by the Hugging Face Trainer and by us: do the models come out equally good?

Plain settings that both can take, the same windows, three seeds; both are scored on the development notes by
the same code. Runs that are not timed go side by side.

    PYTHONPATH=src python benchmarks/train_agreement.py --train train.jsonl --dev dev.jsonl --model FOLDER
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from train_reference import read_documents, run_trainer

SEEDS = (1, 2, 3)


def make_settings(epochs: int, seed: int) -> Any:
    from deidlab.train.settings import TrainSettings

    return TrainSettings(
        epochs=epochs, batch=16, learning_rate=3e-4, seed=seed, keep="last", validate_every=epochs,
        checkpoint_minutes=0.0,
    )  # fmt: skip


def by_trainer(job: tuple[int, Any]) -> dict[str, Any]:
    """Train with the Trainer, then put its weights into our tagger to score them."""
    seed, arguments = job
    import torch
    from transformers import AutoModelForTokenClassification

    from deidlab.detect.packed.scoring import WordScorer
    from deidlab.detect.packed.tagger import Tagger
    from deidlab.encode.decoding import TagGrammar
    from deidlab.encode.pieced import Cutting, count_labels, piece_corpus
    from deidlab.encode.windows import WindowShape
    from deidlab.labels import auto_label_set
    from deidlab.train.models import ModelSource, build_model, load_config, load_pieces, name_tags
    from deidlab.train.validating import Validation

    settings = make_settings(arguments.epochs, seed)
    train, dev = read_documents(arguments.train), read_documents(arguments.dev)
    source, labels = ModelSource(arguments.model), auto_label_set(count_labels(train))
    pieces, config = load_pieces(source), load_config(source)
    name_tags(config, labels)
    window = WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
    corpus = piece_corpus(train, Cutting(pieces, window), labels)
    torch.manual_seed(seed)
    plain = AutoModelForTokenClassification.from_pretrained(
        arguments.model, config=config, dtype=torch.float32, attn_implementation="sdpa"
    )
    steps = math.ceil(corpus.n_windows / settings.batch) * settings.epochs
    found = run_trainer(plain, corpus, settings, steps, 1.0, seed)
    config = load_config(source)
    name_tags(config, labels)
    ours = build_model(source, config, "TokenClassification", pieces, None)
    ours.load_state_dict({name: tensor.cpu().float() for name, tensor in plain.state_dict().items()})
    device = torch.device("cuda", 0)
    tagger = Tagger(ours).to(device).to(torch.bfloat16).eval()
    held_out = piece_corpus(dev, Cutting(pieces, window), labels, as_gold=False)
    scorer = WordScorer(tagger, held_out, device)
    figures = Validation(scorer, held_out, TagGrammar.of(labels.tags), "viterbi").measure()
    last = found["losses"][-max(1, len(found["losses"]) // 10) :]
    return {"seed": seed, "f1": figures["f1"], "last_tenth_loss": statistics.fmean(last)}


def by_us(job: tuple[int, Any]) -> dict[str, Any]:
    seed, arguments = job
    from deidlab.train.fit import fit
    from deidlab.train.launch import Launch
    from deidlab.train.request import RunRequest

    train, dev = read_documents(arguments.train), read_documents(arguments.dev)
    folder = Path(f"/tmp/agreement-{seed}")
    run = fit(
        train,
        dev,
        RunRequest(arguments.model),
        make_settings(arguments.epochs, seed),
        Launch(folder, overwrite=True),
    )
    losses = [entry["train"]["loss"] for entry in run.record["epochs"]]
    last = losses[-max(1, len(losses) // 10) :]
    return {"seed": seed, "f1": run.f1, "last_tenth_loss": statistics.fmean(last)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    jobs = [(seed, arguments) for seed in arguments.seeds]
    # Not a Pool: its workers may have no children, and the Trainer loads data with some.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2 * len(jobs), mp_context=context) as pool:
        theirs, ours = pool.map(by_trainer, jobs), pool.map(by_us, jobs)
        answer: dict[str, Any] = {"epochs": arguments.epochs, "trainer": list(theirs), "ours": list(ours)}
    for who in ("trainer", "ours"):
        answer[f"mean_f1_{who}"] = statistics.fmean(run["f1"] for run in answer[who])
        answer[f"mean_loss_{who}"] = statistics.fmean(run["last_tenth_loss"] for run in answer[who])
    answer["points_apart"] = 100 * (answer["mean_f1_ours"] - answer["mean_f1_trainer"])
    text = json.dumps(answer, indent=2)
    print(text, flush=True)
    if arguments.out:
        arguments.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
