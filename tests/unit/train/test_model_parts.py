"""The parts that compute: attention, CRF, AdamW and decoding, each against a plain reference."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect.packed.attention import PACKED, can_pack, fuse_projections, register_attention
from deidlab.detect.packed.fusing import can_choose_places, fuse_layers
from deidlab.detect.packed.tagger import Tagger, first_position
from deidlab.encode.decoding import TagGrammar, decode_greedy, decode_valid
from deidlab.encode.packing import RowShape
from deidlab.encode.windows import IGNORED
from deidlab.labels import LabelSet
from deidlab.train.compiling import compile_layers, is_worth_compiling
from deidlab.train.flat import FlatParameters, knobs_at
from deidlab.train.loop import rate_factor
from deidlab.train.losses import crf_loss, weigh_tags
from deidlab.train.settings import TrainSettings
from tests.unit.train.conftest import SMALL
from tests.unit.train.test_packing import make_corpus

MODELS: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"pad_token_id": 1},
    "xlm-roberta": {"pad_token_id": 1},
    "albert": {"embedding_size": 16},
    "electra": {"embedding_size": 16},
    "modernbert": {
        "local_attention": 8, "pad_token_id": 0, "cls_token_id": 1, "bos_token_id": 1, "sep_token_id": 2,
        "eos_token_id": 2,
    },
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 16},
}  # fmt: skip
LENGTHS = (10, 1, 33, 20)


def make_row(n_ids: int, first: int) -> tuple[Any, RowShape]:
    n_pieces = sum(LENGTHS)
    shape = RowShape(n_pieces, len(LENGTHS) + 2, 40, first)
    row = torch.zeros(shape.width, dtype=torch.int32)
    generator = torch.Generator().manual_seed(0)
    row[shape.field(0)] = torch.randint(5, n_ids, (n_pieces,), generator=generator).int()
    row[shape.field(1)] = torch.cat([torch.arange(length) for length in LENGTHS]).int() + first
    edges = [0, *itertools.accumulate(LENGTHS)]
    row[shape.edges] = n_pieces
    row[shape.edges][: len(edges)] = torch.tensor(edges).int()
    return row, shape


@pytest.mark.parametrize("family", MODELS)
def test_packed_windows_give_what_each_window_gives_alone(family: str) -> None:
    from transformers import AutoConfig, AutoModelForTokenClassification

    register_attention()
    config = AutoConfig.for_model(family, vocab_size=100, num_labels=5, **(SMALL | MODELS[family]))
    packs = family != "deberta-v2"
    torch.manual_seed(0)
    model = AutoModelForTokenClassification.from_config(
        copy.deepcopy(config), **({"attn_implementation": PACKED} if packs else {})
    )
    plain = AutoModelForTokenClassification.from_config(copy.deepcopy(config), attn_implementation="eager")
    plain.load_state_dict(model.state_dict())
    plain.eval()
    of_bert_s_form = 2 if family in ("bert", "roberta", "xlm-roberta", "electra") else 0
    assert fuse_projections(model) == fuse_layers(model) == of_bert_s_form
    assert can_pack(model) is packs
    assert not can_choose_places(model)
    row, shape = make_row(100, first_position(model))
    with torch.no_grad():
        found = Tagger(model).eval()(row, shape)
        parts = row[shape.field(0)].long().split(LENGTHS)
        wanted = torch.cat(
            [plain(part[None], attention_mask=torch.ones(1, len(part))).logits[0] for part in parts]
        )
    assert torch.allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "n_fused"),
    [("camembert", 2), ("data2vec-text", 2), ("ernie", 2), ("roc_bert", 2), ("xmod", 0), ("mobilebert", 0), ("esm", 0)],
)  # fmt: skip
def test_only_layers_that_are_bert_s_to_the_letter_are_fused(family: str, n_fused: int) -> None:
    """XMOD has adapters, MobileBERT bottlenecks and ESM turned queries beside parts of the same names."""
    from transformers import AutoConfig, AutoModelForTokenClassification

    extra: dict[str, dict[str, Any]] = {
        "esm": {"position_embedding_type": "rotary", "pad_token_id": 1},
        "mobilebert": {"embedding_size": 16},
        "xmod": {"default_language": "en_XX"},
    }
    config = AutoConfig.for_model(family, vocab_size=50, num_labels=3, **(SMALL | extra.get(family, {})))
    model = AutoModelForTokenClassification.from_config(config).eval()
    ids = torch.arange(5, 20)[None]
    with torch.no_grad():
        before = model(ids).logits
        assert fuse_layers(model) == n_fused
        assert n_fused or torch.equal(model(ids).logits, before)


def test_layers_are_compiled_once_for_all() -> None:
    from transformers import AutoConfig, AutoModelForTokenClassification

    config = AutoConfig.for_model("bert", vocab_size=50, **(SMALL | {"num_hidden_layers": 4}))
    model = AutoModelForTokenClassification.from_config(config)
    assert compile_layers(model, 64) == 5
    config = AutoConfig.for_model("albert", vocab_size=50, embedding_size=8, **SMALL)
    assert compile_layers(AutoModelForTokenClassification.from_config(config), 64) == 2


def test_short_runs_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoConfig, AutoModelForTokenClassification

    from deidlab.detect.packed import fusing
    from deidlab.train import compiling

    config = AutoConfig.for_model("bert", vocab_size=50, **SMALL)
    model = AutoModelForTokenClassification.from_config(config)
    assert fuse_layers(model) == 2
    corpus, settings = make_corpus([100] * 10), TrainSettings(epochs=1)

    def is_worth(flop: float, half: bool = True, how: str = "auto") -> bool:
        monkeypatch.setattr(compiling, "flop_per_piece", lambda *_: flop / corpus.n_pieces)
        return is_worth_compiling(model, corpus, settings.changed(compile=how), half)

    assert is_worth(1e17) and not is_worth(1e16)
    monkeypatch.setattr(fusing, "find_kernels", lambda: SimpleNamespace(HEAD_SIZES=(8, 16)))
    assert is_worth(1e18) and not is_worth(1e17) and is_worth(1e17, half=False)
    assert is_worth(1.0, how="on") and not is_worth(1e18, how="off")
    assert compile_layers(model, 64, half=True) == 1


def test_the_flat_step_is_adamw() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(7, 5), torch.nn.LayerNorm(5), torch.nn.Linear(5, 3))
    other = copy.deepcopy(model)
    flat = FlatParameters(model, TrainSettings(weight_decay=0.1, clip=0.5))
    decayed = [each for each in other.parameters() if each.ndim > 1]
    rest = [each for each in other.parameters() if each.ndim == 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    usual = torch.optim.AdamW(groups, lr=1e-2)
    for step in range(1, 6):
        inputs = torch.randn(11, 7)
        gradients = torch.autograd.grad(model(inputs).square().sum(), flat.parameters)
        flat.collect(gradients, first=True)
        flat.step(torch.tensor(knobs_at(step, 1e-2)))
        other.zero_grad()
        other(inputs).square().sum().backward()
        torch.nn.utils.clip_grad_norm_(other.parameters(), 0.5)
        usual.step()
    for left, right in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.allclose(left, right, atol=1e-6)


def test_a_gradient_that_lies_in_its_place_is_not_copied() -> None:
    model = torch.nn.Linear(3, 2)
    flat = FlatParameters(model, TrainSettings(weight_decay=0.0))
    slots = [each.gradient_slot for each in flat.parameters]
    flat.gradient.fill_(7.0)
    flat.collect([slots[0], None], first=True)
    assert (slots[0] == 7.0).all() and (slots[1] == 0.0).all()
    flat.collect([torch.ones_like(slots[0]), torch.ones_like(slots[1])], first=True)
    assert all((slot == 1.0).all() for slot in slots)
    exact = FlatParameters(model, TrainSettings(weight_decay=0.0), exact_gradients=True)
    assert all(each.gradient_slot is None for each in exact.parameters)


def test_layers_below_learn_less_and_heads_more() -> None:
    from transformers import AutoConfig, AutoModelForTokenClassification

    config = AutoConfig.for_model("bert", vocab_size=50, num_labels=3, **SMALL)
    tagger = Tagger(AutoModelForTokenClassification.from_config(config), shapes=True)
    flat = FlatParameters(tagger, TrainSettings(weight_decay=0.01, layer_decay=0.5, head_rate=4.0))
    rates = {segment.rate for segment in flat.segments}
    assert rates == {4.0, 0.5, 0.25, 0.125}
    assert flat.segments[-1].end == len(flat)


def test_half_precision_keeps_a_master_copy() -> None:
    model = torch.nn.Linear(8, 8)
    before = model.weight.detach().clone()
    flat = FlatParameters(model, TrainSettings(weight_decay=0.0, average=0.5), dtype=torch.bfloat16)
    assert model.weight.dtype == torch.bfloat16
    for step in range(1, 4):
        flat.collect([torch.ones_like(each) for each in flat.parameters], first=True)
        flat.step(torch.tensor(knobs_at(step, 1e-6)))
    flat.release(flat.master)
    assert model.weight.dtype == torch.float32
    assert torch.allclose(model.weight, before - 3e-6, atol=2e-7)
    assert flat.average is not None and not torch.equal(flat.average, flat.master)


def test_the_crf_is_the_sum_over_all_paths() -> None:
    torch.manual_seed(0)
    n_tags, labels = 3, torch.tensor([IGNORED, 1, IGNORED, 2, 0, IGNORED, 2, 1])
    scores, steps = (
        torch.randn(8, n_tags, dtype=torch.float64),
        torch.randn(n_tags, n_tags, dtype=torch.float64),
    )
    edges = torch.tensor([0, 6, 8, 8], dtype=torch.int32)
    wanted = 0.0
    for places in ([1, 3, 4], [6, 7]):

        def path_score(path: tuple[int, ...], places: list[int] = places) -> Any:
            own = sum(scores[place, tag] for place, tag in zip(places, path, strict=True))
            return own + sum(steps[a, b] for a, b in itertools.pairwise(path))

        paths = [path_score(path) for path in itertools.product(range(n_tags), repeat=len(places))]
        gold = path_score(tuple(labels[places].tolist()))
        wanted += (torch.logsumexp(torch.stack(paths), 0) - gold).item()
    assert crf_loss(scores, labels, edges, steps, 6).item() == pytest.approx(wanted)


def test_rare_tags_weigh_more() -> None:
    counts = torch.tensor([1000, 10, 0])
    assert weigh_tags(counts, "none") is None
    balanced, root = weigh_tags(counts, "balanced"), weigh_tags(counts, "sqrt")
    assert balanced[1] / balanced[0] == pytest.approx(100.0)
    assert root[1] / root[0] == pytest.approx(10.0)
    assert balanced[2] <= 100


@pytest.mark.parametrize(
    ("schedule", "share", "factor"),
    [("linear", 0.1, 0.5), ("linear", 0.2, 1.0), ("linear", 0.6, 0.5), ("linear", 1.0, 0.0),
     ("cosine", 0.6, 0.5), ("cosine", 1.0, 0.0), ("constant", 1.0, 1.0), ("constant", 0.05, 0.25)],
)  # fmt: skip
def test_the_learning_rate_rises_and_falls(schedule: str, share: float, factor: float) -> None:
    assert rate_factor(share, 0.2, schedule) == pytest.approx(factor)


TAGS = LabelSet.of("t", ("A", "B")).tags


def is_valid(tags: list[str]) -> bool:
    before = "O"
    for tag in tags:
        if tag.startswith("I-") and before[2:] != tag[2:]:
            return False
        before = tag
    return True


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6), st.integers(0, 99), st.booleans())
def test_decoding_finds_the_best_valid_path(lengths: list[int], seed: int, with_steps: bool) -> None:
    draw = np.random.default_rng(seed)
    scores = [draw.normal(size=(length, len(TAGS))).astype(np.float32) for length in lengths]
    steps = draw.normal(size=(len(TAGS), len(TAGS))).astype(np.float32) if with_steps else None
    found = decode_valid(scores, TagGrammar.of(TAGS), steps)

    def worth(note: Any, path: Any) -> float:
        own = float(sum(note[place, tag] for place, tag in enumerate(path)))
        moves = sum(steps[a, b] for a, b in itertools.pairwise(path)) if steps is not None else 0.0
        return own + float(moves)

    for note, path in zip(scores, found, strict=True):
        assert len(path) == len(note)
        assert is_valid([TAGS[tag] for tag in path])
        if len(note) <= 4:
            every = itertools.product(range(len(TAGS)), repeat=len(note))
            best = max(worth(note, each) for each in every if is_valid([TAGS[tag] for tag in each]))
            assert worth(note, path) == pytest.approx(best, abs=1e-4)


def test_greedy_decoding_takes_each_word_alone() -> None:
    scores = np.eye(5, dtype=np.float32)
    assert decode_greedy([scores, scores[:0]])[0].tolist() == [0, 1, 2, 3, 4]


def test_kernels_give_what_plain_attention_gives() -> None:
    """In another process: Triton's interpreter has to be asked for before Triton is loaded."""
    pytest.importorskip("triton", reason="Triton is not installed: it comes with torch for GPUs")
    script = Path(__file__).with_name("kernel_check.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
