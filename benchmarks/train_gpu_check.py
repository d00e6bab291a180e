"""What only a GPU can show of training: kernels against others' kernels, and runs that go wrong there.

    PYTHONPATH=src python benchmarks/train_gpu_check.py --train TRAIN --model FOLDER

Prints one line a check and leaves with 1 if any fails.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from deidlab.detect.packed import fusing
from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.packing import build_rows, count_deciding, pack_windows
from deidlab.encode.pieced import Cutting, count_labels, piece_corpus
from deidlab.encode.windows import WindowShape
from deidlab.errors import ModelError
from deidlab.labels import auto_label_set
from deidlab.train import loop as loop_module
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.losses import TagLoss
from deidlab.train.models import ModelSource, build_model, load_config, load_pieces, name_tags
from deidlab.train.pretrain import PretrainRequest, pretrain
from deidlab.train.pretrain_settings import PretrainSettings
from deidlab.train.request import RunRequest
from deidlab.train.session import make_flat, plan_rows
from deidlab.train.settings import TrainSettings
from deidlab.train.stopping import Interrupted
from train_reference import read_documents

QUICK = TrainSettings(epochs=2, batch=16, learning_rate=3e-4, checkpoint_minutes=0.0)


def check_kernels() -> str:
    """Our attention against the library's, and the share that dropout drops."""
    from deidlab.detect.packed.kernels import window_attention

    edges = torch.tensor([0, 300, 301, 700, 1024, 1024], dtype=torch.int32, device="cuda")
    seed = torch.tensor([3], dtype=torch.int32, device="cuda")
    qkv = torch.randn(1024, 3, 4, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    ours, _ = window_attention(qkv, edges, seed, 512, 0.125, 0.0)
    heads = [qkv[:, part] for part in range(3)]
    theirs = torch.ops.aten._flash_attention_forward(
        *heads, edges, edges, 512, 512, 0.0, False, False, scale=0.125
    )[0]
    grad = torch.randn_like(ours)
    (left,), (right,) = (torch.autograd.grad(out, qkv, grad, retain_graph=True) for out in (ours, theirs))
    apart = [_apart(*pair) for pair in ((ours, theirs), (left, right))]
    ones = torch.ones_like(qkv)
    kept, _ = window_attention(ones, edges, seed, 512, 0.125, 0.1)
    assert max(apart) < 0.01, apart
    assert abs(float(kept.float().mean()) - 1.0) < 0.01
    return f"forward and gradient {apart[0]:.4f} and {apart[1]:.4f} apart; dropout keeps the mean"


def check_layers(documents: Any, model: str) -> str:
    """A step of the model with layers as one operation against the library's layers, without dropout."""
    settings = QUICK.changed(dropout=0.0)
    source = ModelSource(model)
    labels = auto_label_set(count_labels(documents))
    pieces, config = load_pieces(source), load_config(source)
    name_tags(config, labels)
    built = build_model(source, config, "TokenClassification", pieces, settings.dropout)
    tagger = Tagger(built).to("cuda")
    flat = make_flat(tagger, settings, True, 1)
    window = WindowShape(settings.window, settings.stride, pieces.prefix, pieces.suffix)
    corpus = piece_corpus(documents, Cutting(pieces, window), labels)
    loss = TagLoss(tagger).to("cuda")
    # The same row for all: what is chosen may be left out, but not laid otherwise.
    telling = plan_rows(tagger, corpus, settings, True, 1)
    assert telling.n_deciding
    lengths, deciding = corpus.lengths.tolist(), count_deciding(corpus).tolist()
    plan = pack_windows(lengths, list(range(corpus.n_windows)), telling, deciding=deciding)
    found = []
    is_fused = fusing.is_fused
    for fused, chosen in ((False, False), (True, False), (True, True)):
        fusing.is_fused = is_fused if fused else lambda _: False
        shape = telling if chosen else replace(telling, n_deciding=0)
        row = torch.from_numpy(build_rows(corpus, plan[:1], shape)[0]).to("cuda")
        value, _ = loss(row, shape)
        gradients = torch.autograd.grad(value, flat.parameters, allow_unused=True)
        found.append(torch.cat([each.flatten().float() for each in gradients if each is not None]))
    fusing.is_fused = is_fused
    apart = [_apart(each, found[0]) for each in found[1:]]
    assert max(apart) < 0.01, apart
    return f"gradients {apart[0]:.4f} apart, with chosen places {apart[1]:.4f}"


def _apart(ours: Any, theirs: Any) -> float:
    ours, theirs = ours.detach().float(), theirs.detach().float()
    return float((ours - theirs).norm() / theirs.norm())


def check_memory(documents: Any, model: str) -> str:
    torch.cuda.set_per_process_memory_fraction(0.03)
    folder = Path("/tmp/check-memory")
    try:
        fit(documents, [], RunRequest(model), QUICK.changed(batch=600), Launch(folder, overwrite=True))
    except ModelError as error:
        assert "fit: go on with" in str(error), str(error)
        fits = int(str(error).split("--batch ")[1].split()[0])
        fit(
            documents, [], RunRequest(model), QUICK.changed(batch=fits, epochs=1), Launch(folder, resume=True)
        )
        return f"{error}; and that ran"
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    raise AssertionError("600 windows fitted into 3% of the memory")


def check_interrupt(documents: Any, model: str) -> str:
    after_step = loop_module.Loop._after_step

    def press(loop: Any) -> None:
        if loop.progress.step == 7:
            signal.raise_signal(signal.SIGINT)
        after_step(loop)

    loop_module.Loop._after_step = press  # type: ignore[method-assign]
    folder = Path("/tmp/check-interrupt")
    try:
        fit(documents, [], RunRequest(model), QUICK, Launch(folder, overwrite=True))
    except Interrupted:
        loop_module.Loop._after_step = after_step  # type: ignore[method-assign]
        whole = fit(documents, [], RunRequest(model), QUICK, Launch(Path("/tmp/check-whole"), overwrite=True))
        resumed = fit(documents, [], RunRequest(model), QUICK, Launch(folder, resume=True))
        losses = [run.record["epochs"][-1]["train"]["loss"] for run in (whole, resumed)]
        assert abs(losses[1] / losses[0] - 1) < 0.02, losses
        return f"losses of the last epoch: whole {losses[0]:.5f}, resumed {losses[1]:.5f}"
    raise AssertionError("the run was not interrupted")


def check_crf(documents: Any, model: str) -> str:
    settings = QUICK.changed(decoding="crf", window=128, stride=96)
    run = fit(
        documents[:60],
        documents[60:80],
        RunRequest(model),
        settings,
        Launch(Path("/tmp/check-crf"), overwrite=True),
    )
    losses = [entry["train"]["loss"] for entry in run.record["epochs"]]
    assert losses[-1] < losses[0], losses
    return f"loss from {losses[0]:.3f} to {losses[-1]:.3f} in two epochs"


def check_pretraining(documents: Any, model: str) -> str:
    settings = PretrainSettings(epochs=8, batch=16, canaries=4, checkpoint_minutes=0.0)
    run = pretrain(
        documents, PretrainRequest(model), settings, Launch(Path("/tmp/check-pretrain"), overwrite=True)
    )
    losses = [entry["train"]["loss"] for entry in run.record["epochs"]]
    assert losses[-1] < losses[0], losses
    after = run.record["canaries"]["after"]
    told = f"{after['memorised']} of {after['canaries']} canaries memorised"
    return f"loss from {losses[0]:.3f} to {losses[-1]:.3f} in eight epochs; {told}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--model", required=True)
    arguments = parser.parse_args()
    documents = read_documents(arguments.train)[:120]
    checks: dict[str, Callable[[], str]] = {
        "kernels": check_kernels,
        "layers": lambda: check_layers(documents, arguments.model),
        "out of memory": lambda: check_memory(documents, arguments.model),
        "CRF": lambda: check_crf(documents, arguments.model),
        "pretraining": lambda: check_pretraining(documents, arguments.model),
        "interrupted": lambda: check_interrupt(documents, arguments.model),
    }
    failed = False
    for name, check in checks.items():
        try:
            print(f"{name}: {check()}", flush=True)
        except Exception as error:
            failed = True
            print(f"{name}: FAILED, {type(error).__name__}: {str(error)[:500]}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
