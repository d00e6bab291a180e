"""The memory model against a training step traced without a GPU, operation by operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("torch", reason="NEEDS torch: a training step is traced on the meta device")
pytest.importorskip("transformers", reason="NEEDS transformers: a training step is traced on the meta device")

from deidlab.zoo import meta
from deidlab.zoo.configs import load_model_facts
from deidlab.zoo.memory import LIBRARY_WORKSPACE, MemoryPlan, plan_memory
from deidlab.zoo.params import TensorList
from deidlab.zoo.sizes import read_sizes
from deidlab.zoo.sources import ModelSizes
from tests.unit.zoo.traced_step import TracedStep, trace_step

# Left out of the model: ModernBERT's first layer has no norm before its attention, and autocast spares
# the first layer of a projected embedding two copies.
KEPT_WITHIN = {"fp32": 0.012, "bf16": 0.012, "bf16-mixed": 0.02}
PEAK_WITHIN = 0.045
BERT_LIKE = ("bert-base", "roberta-base", "albert-base-v1", "albert-base-v2", "distilbert", "electra-small")
# Two kinds of layers or names for them; few layers keep the test short.
LAYER_KEYS = ("num_hidden_layers", "n_layers", "n_layer")


def compare(
    family: str,
    config: Mapping[str, Any],
    batch: int,
    length: int,
    head: str = "token",
    device: str = "meta",
    **how: Any,
) -> tuple[MemoryPlan, TracedStep]:
    built = meta.build_model(meta.make_config(family, config), head, 41)
    tensors = TensorList("model", head, 41, meta.list_tensors(built))
    plan = plan_memory(ModelSizes("model", family, read_sizes(family, config)), tensors, length, **how)
    return plan, trace_step(family, config, batch, length, head=head, device=device, **how)


def assert_close(plan: MemoryPlan, traced: TracedStep, batch: int) -> None:
    assert plan.activations(batch) == pytest.approx(
        traced.activations, rel=KEPT_WITHIN[plan.setting.precision.name]
    )
    assert plan.peak(batch) - LIBRARY_WORKSPACE == pytest.approx(traced.peak, rel=PEAK_WITHIN)


def short_config(name: str) -> tuple[str, dict[str, Any]]:
    facts = load_model_facts(name)
    return facts.family, dict(facts.config) | {key: 6 for key in LAYER_KEYS if key in facts.config}


@pytest.mark.parametrize("precision", ["fp32", "bf16", "bf16-mixed"])
@pytest.mark.parametrize("name", [*BERT_LIKE, "modernbert-base"])
def test_fused_attention(name: str, precision: str) -> None:
    plan, traced = compare(*short_config(name), batch=16, length=256, precision=precision)
    assert_close(plan, traced, 16)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", [*BERT_LIKE, "deberta-v3-base"])
def test_eager_attention(name: str, precision: str) -> None:
    plan, traced = compare(*short_config(name), batch=16, length=256, precision=precision, attention="eager")
    assert_close(plan, traced, 16)


@pytest.mark.parametrize(
    "name", ["bert-base", "roberta-base", "albert-base", "electra-small", "modernbert-base"]
)
def test_the_head_for_sequences(name: str) -> None:
    plan, traced = compare(*short_config(name), batch=16, length=256, head="sequence")
    assert_close(plan, traced, 16)


@pytest.mark.parametrize("batch", [1, 2, 6])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_shared_layer_as_large_as_its_activations(batch: int, precision: str) -> None:
    facts = load_model_facts("albert-xxlarge")
    plan, traced = compare(facts.family, facts.config, batch=batch, length=512, precision=precision)
    assert_close(plan, traced, batch)


@pytest.mark.parametrize("name", ["bert-large", "roberta-large"])
def test_small_batches_peak_in_the_optimizer_s_step(name: str) -> None:
    facts = load_model_facts(name)
    plan, traced = compare(facts.family, facts.config, batch=1, length=512)
    assert plan.peak(1) == plan.peak_step
    assert_close(plan, traced, 1)


# These two ask for values while they run, so they are traced on the CPU and in small.
XLNET = {"vocab_size": 50, "d_model": 192, "n_layer": 6, "n_head": 4, "d_inner": 768, "dropout": 0.1}
LONGFORMER = {
    "vocab_size": 50,
    "hidden_size": 192,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "intermediate_size": 768,
    "attention_window": 32,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "pad_token_id": 1,
}


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize(("batch", "length"), [(8, 64), (4, 128)])
@pytest.mark.parametrize(("family", "config"), [("xlnet", XLNET), ("longformer", LONGFORMER)])
def test_relative_and_local_attention(
    family: str, config: dict[str, Any], batch: int, length: int, precision: str
) -> None:
    plan, traced = compare(family, config, batch=batch, length=length, device="cpu", precision=precision)
    assert_close(plan, traced, batch)
