"""A script, not a test: the GPU kernels in Triton's interpreter, on a CPU, against plain sums."""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from deidlab.detect.packed import attention, fusing, kernels
from deidlab.detect.packed import layer as layer_module
from deidlab.detect.packed.kernels.dropout import drop_below
from deidlab.detect.packed.tagger import Tagger
from deidlab.encode.packing import build_rows, choose_row_shape
from deidlab.encode.pieced import PiecedCorpus
from deidlab.encode.windows import IGNORED
from deidlab.train.flat import FlatParameters, Segment, Stretch
from deidlab.train.flat import _adamw as plain_adamw
from deidlab.train.losses import TagLoss
from deidlab.train.settings import TrainSettings

ONES = 0xFFFFFFFF
SEED = 12345


def mix(x: Any) -> Any:
    x = x & ONES
    x ^= x >> 16
    x = (x * 0x7FEB352D) & ONES
    x ^= x >> 15
    x = (x * 0x846CA68B) & ONES
    return x ^ (x >> 16)


def kept(head: int, window: int, length: int, dropout: float) -> Any:
    """Which weights the kernel keeps, by its hash."""
    key = mix((SEED + mix((head * 0x9E3779B1 + window) & ONES)) & ONES)
    along = np.arange(length, dtype=np.uint64)
    left, right = mix(along ^ np.uint64(key)), (along * 0x85EBCA77 + key) & ONES
    return torch.from_numpy(((left[:, None] ^ right[None, :]) * 0x846CA68B & ONES) >= drop_below(dropout))


def plain(qkv: Any, lengths: tuple[int, ...], dropout: float, places: Any) -> Any:
    done, at = [], 0
    size = qkv.shape[-1]
    for window, length in enumerate(lengths):
        heads = []
        for head in range(qkv.shape[2]):
            query, key, value = (qkv[at : at + length, part, head] for part in range(3))
            if places is not None:
                query = query[places[(places >= at) & (places < at + length)] - at]
            weights = torch.softmax(query @ key.T * size**-0.5, -1)
            if dropout:
                weights = weights * kept(head, window, length, dropout)[: len(query)] / (1 - dropout)
            heads.append(weights @ value)
        done.append(torch.stack(heads, 1))
        at += length
    return torch.cat(done)


def check_attention(
    lengths: tuple[int, ...], size: int, n_heads: int, dropout: float, places: Any = None
) -> None:
    n_pieces = sum(lengths)
    edges = torch.tensor([0, *np.cumsum(lengths), n_pieces, n_pieces], dtype=torch.int32)
    qkv = torch.randn(n_pieces, 3, n_heads, size, requires_grad=True)
    wanted = plain(qkv, lengths, dropout, places)
    grad = torch.randn_like(wanted)
    (wanted_gradient,) = torch.autograd.grad(wanted, qkv, grad)
    seed = torch.tensor([SEED], dtype=torch.int32)
    how = (edges, seed, 256, size**-0.5, dropout)
    if places is None:
        found, _ = kernels.window_attention(qkv, *how)
        (gradient,) = torch.autograd.grad(found, qkv, grad)
    else:
        chosen, given = fusing._choose(places, edges), qkv.detach()
        found, lse = kernels.attend(given, *how, chosen)
        sums = kernels.PartSums(given.device)
        gradient = kernels.attend_gradient(grad, given, found, lse, *how, chosen, sums)
        of_query, of_value = sums.add_up(torch.float32)
        assert torch.allclose(of_query, wanted_gradient[:, 0].sum(0).flatten(), atol=1e-4)
        assert torch.allclose(of_value, wanted_gradient[:, 2].sum(0).flatten(), atol=1e-4)
    assert torch.allclose(found, wanted, atol=1e-5)
    assert torch.allclose(gradient, wanted_gradient, atol=1e-5)


def check_adamw() -> None:
    ours = [torch.randn(3000), torch.randn(3000), torch.randn(3000), torch.rand(3000)]
    theirs = [each.clone() for each in ours]
    knobs, scale = torch.tensor([1e-2, 0.1, 0.001]), torch.tensor(0.5)
    kernels.adamw(ours[0], None, *ours[1:], scale, knobs, 0.9, 0.01, (0.9, 0.999), 1e-8)
    plain_adamw(Stretch(theirs[0], None, *theirs[1:]), Segment(0, 3000, 0.9, 0.01), scale, knobs)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(ours, theirs, strict=True))


def check_norm(dropout: float) -> None:
    x, before = torch.randn(2, 37, 24).unbind()
    weight, bias = torch.randn(2, 24).unbind()
    leaves = [each.clone().requires_grad_() for each in (x, before, weight, bias)]
    seed = torch.tensor([SEED], dtype=torch.int32)
    found, normed = kernels.add_and_norm(x, before, weight, bias, seed, 1e-5, dropout)
    keep = kept_by_row(37, 24, dropout) / (1 - dropout) if dropout else torch.ones(37, 24)
    wanted = functional.layer_norm(leaves[0] * keep + leaves[1], (24,), leaves[2], leaves[3], 1e-5)
    grad = torch.randn_like(wanted)
    gradients = torch.autograd.grad(wanted, leaves, grad)
    sums = kernels.PartSums(x.device)
    dx, d_before = kernels.add_and_norm_gradient(grad, normed, weight, seed, dropout, sums)
    rest = sums.add_up(torch.float32)[0].chunk(3)
    pairs = [
        (found, wanted), (dx, gradients[0]), (d_before, gradients[1]), (rest[0], gradients[2]),
        (rest[1], gradients[3]), (rest[2], gradients[0].sum(0)),
    ]  # fmt: skip
    assert all(torch.allclose(ours, theirs, atol=1e-4) for ours, theirs in pairs)


def kept_by_row(n_rows: int, n_columns: int, dropout: float) -> Any:
    return kept(0, 0, max(n_rows, n_columns), dropout)[:n_rows, :n_columns]


def check_gelu() -> None:
    x = (torch.randn(70, 200) * 3).requires_grad_()
    wanted = functional.gelu(x)
    grad = torch.randn_like(x)
    (wanted_gradient,) = torch.autograd.grad(wanted, x, grad)
    sums = kernels.PartSums(x.device)
    gradient = kernels.gelu_gradient(grad, x.detach(), sums)
    (summed,) = sums.add_up(torch.float32)
    assert torch.allclose(kernels.gelu(x.detach()), wanted, atol=2e-6)
    assert torch.allclose(gradient, wanted_gradient, atol=1e-5)
    assert torch.allclose(summed, wanted_gradient.sum(0), atol=1e-4)


def check_layer(places: Any) -> None:
    """A whole layer against the library's, windows apart; at chosen places, that rows of the whole are the same."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    config = BertConfig(
        hidden_size=32, num_attention_heads=2, intermediate_size=48, attn_implementation="eager"
    )
    theirs = BertLayer(config).eval()
    for each in theirs.parameters():
        torch.nn.init.normal_(each, std=0.2)
    lengths = (20, 7)
    edges = torch.tensor([0, 20, 27, 27], dtype=torch.int32)
    hidden = torch.randn(27, 32, requires_grad=True)
    wanted = torch.cat([theirs(part[None])[0] for part in hidden.split(lengths)])
    if places is not None:
        wanted = wanted[places]
    parts = [fusing._part(theirs, path) for path in fusing._PARTS]
    parameters = [each for part in parts for each in (part.weight, part.bias)]
    chosen = None if places is None else fusing._choose(places, edges)
    seeds = torch.zeros(3, dtype=torch.int32)
    work = layer_module.LayerWork(edges, 32, seeds, 0.25, 16, (1e-12, 1e-12), (0.0, 0.0, 0.0), places, chosen)
    found = layer_module.EncoderLayer.apply(hidden, work, *parameters)
    grad = torch.randn_like(wanted)
    ours, others = (torch.autograd.grad(each, [hidden, *parameters], grad) for each in (found, wanted))
    assert torch.allclose(found, wanted, atol=1e-4)
    for left, right in zip(ours, others, strict=True):
        assert torch.allclose(left, right, atol=2e-3), float((left - right).abs().max())


def check_model() -> None:
    """A whole model's loss and gradients, with layers as one operation and with the library's."""
    from transformers import BertConfig, BertForTokenClassification

    attention.register_attention()
    config = BertConfig(
        vocab_size=40, hidden_size=64, num_attention_heads=4, intermediate_size=96, num_hidden_layers=2,
        num_labels=5, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout=0.0,
    )  # fmt: skip
    config._attn_implementation = attention.PACKED
    tagger = Tagger(BertForTokenClassification(config))
    assert fusing.fuse_layers(tagger.model) == 2
    flat = FlatParameters(tagger, TrainSettings(weight_decay=0.01))
    corpus = make_corpus()
    plain, telling = (choose_row_shape(corpus, 3, 0, tell) for tell in (False, True))
    assert 0 < telling.n_deciding < telling.n_pieces
    found = []
    for shape, fused in ((plain, False), (plain, True), (telling, True)):
        fusing._runs_as_one = (lambda *_: True) if fused else (lambda *_: False)
        row = torch.from_numpy(build_rows(corpus, [[0, 1, 2]], shape)[0])
        loss, sums = TagLoss(tagger)(row, shape)
        gradients = torch.autograd.grad(loss, flat.parameters)
        flat.collect(gradients, first=True)
        found.append((loss.detach(), sums, flat.gradient.clone()))
    for each in found[1:]:
        assert all(
            torch.allclose(ours, theirs, atol=1e-4) for ours, theirs in zip(each, found[0], strict=True)
        )


def make_corpus() -> PiecedCorpus:
    """Three windows in which every third piece decides."""
    lengths = np.array([90, 120, 60])
    size = int(lengths.sum())
    ids = np.random.default_rng(0).integers(5, 40, size).astype(np.int32)
    labels = np.where(np.arange(size) % 3 == 0, ids % 5, IGNORED).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    deciding = np.flatnonzero(labels != IGNORED)
    return PiecedCorpus(
        ids=ids,
        labels=labels,
        shapes=np.ones(size, np.int32),
        starts=starts,
        deciding=deciding,
        words=[],
        spans=[],
    )


torch.manual_seed(0)
layer_module.find_kernels = fusing.find_kernels = lambda: kernels
for dropout in (0.0, 0.2):
    check_attention((70, 3, 130), 16, 2, dropout)
    check_attention((70, 3, 130), 16, 2, dropout, torch.tensor([0, 1, 40, 69, 75, 76, 150, 202]))
    check_norm(dropout)
check_adamw()
check_gelu()
for places in (None, torch.tensor([0, 3, 4, 19, 20, 26])):
    check_layer(places)
check_model()
