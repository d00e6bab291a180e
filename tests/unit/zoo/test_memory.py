from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.errors import ConfigError, ModelError, UnknownNameError
from deidlab.zoo.activations import PRECISIONS, activation_widths
from deidlab.zoo.configs import known_models
from deidlab.zoo.memory import MemoryPlan, longest_window, parse_memory, plan_memory
from deidlab.zoo.sizes import read_sizes
from deidlab.zoo.sources import open_sizes, open_tensors
from deidlab.zoo.study import STUDY_LABELS, STUDY_MODELS

ALL = [model.name for model in known_models()]


def plan(name: str, length: int = 512, head: str = "token", **how: str) -> MemoryPlan:
    return plan_memory(open_sizes(name), open_tensors(name, head, 41), length, **how)


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("32GB", 32 * 10**9),
        ("32 gb", 32 * 10**9),
        ("32G", 32 * 10**9),
        ("31.75GiB", int(31.75 * 2**30)),
        ("512MiB", 2**29),
        ("1TB", 10**12),
    ],
)
def test_memory_is_read_in_decimal_and_binary_units(text: str, n_bytes: int) -> None:
    assert parse_memory(text) == n_bytes


@pytest.mark.parametrize(
    "text", ["32", "", "GB", "-3GB", "0GB", "thirty GB", "32GBit", "1e3GB", f"{10**400}GB"]
)
def test_what_is_no_size_of_memory_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write it as 32GB"):
        parse_memory(text)


def test_adamw_in_fp32_takes_sixteen_bytes_a_parameter() -> None:
    found = plan("bert-base")
    assert (found.weights, found.gradients, found.state) == (
        4 * 108_923_177,
        4 * 108_923_177,
        8 * 108_923_177,
    )


def test_bf16_halves_all_of_it_and_mixed_none() -> None:
    full, half, mixed = (
        plan("bert-base"),
        plan("bert-base", precision="bf16"),
        plan("bert-base", precision="bf16-mixed"),
    )
    assert (2 * half.weights, 2 * half.state) == (full.weights, full.state) == (mixed.weights, mixed.state)
    assert half.per_window < mixed.per_window < full.per_window
    assert mixed.cast_weights > 0 == full.cast_weights


def test_sgd_keeps_no_state() -> None:
    assert plan("bert-base", optimizer="sgd").state == 0
    assert plan("bert-base", optimizer="sgd").peak(1) < plan("bert-base").peak(1)


def test_eager_attention_keeps_its_weights() -> None:
    fused, eager = plan("bert-base"), plan("bert-base", attention="eager")
    kept = 12 * 12 * 512 * 512 * (4 + 4 + 1)
    replaced = 12 * (12 * 512 * 4 + 512 * 512 * 4)
    assert eager.per_window - fused.per_window == kept - replaced


def test_layers_that_share_tensors_still_keep_activations_each() -> None:
    assert plan("albert-base-v1").per_window > 0.9 * plan("bert-base").per_window


def test_without_dropout_no_mask_is_kept() -> None:
    assert not any("dropout" in row.what for row in plan("albert-base-v2").kept if row.block != "head")


def test_the_study_s_batches_fit_its_card() -> None:
    """V100 of 32 GB; in 2022 transformers had no fused attention."""
    for study in STUDY_MODELS:
        tensors = open_tensors(study.model, "token", STUDY_LABELS)
        fits = plan_memory(open_sizes(study.model), tensors, 512, attention="eager").largest_batch(
            parse_memory("32GB")
        )
        assert study.batch <= fits < 1.5 * study.batch, study.title


@given(name=st.sampled_from(ALL), length=st.integers(1, 512), memory=st.integers(0, 200 * 2**30))
def test_the_largest_batch_fits_and_one_more_does_not(name: str, length: int, memory: int) -> None:
    found = plan(name, length)
    fits = found.largest_batch(memory)
    assert fits == 0 or found.peak(fits) <= memory
    assert found.peak(fits + 1) > memory
    assert found.largest_batch(memory, accumulate=True) <= fits


@given(name=st.sampled_from(ALL), length=st.integers(1, 511), batch=st.integers(1, 300))
def test_more_never_takes_less(name: str, length: int, batch: int) -> None:
    found = plan(name, length)
    assert found.peak(batch) <= found.peak(batch + 1) <= found.peak(batch + 1, accumulate=True)
    assert found.peak(batch) <= plan(name, length + 1).peak(batch)


def test_a_window_longer_than_the_model_takes_is_refused() -> None:
    with pytest.raises(ConfigError, match="roberta-base takes windows of at most 512 pieces, not 513"):
        plan("roberta-base", 513)
    with pytest.raises(ConfigError, match="at least 1 piece"):
        plan("roberta-base", 0)
    assert longest_window(open_sizes("xlnet-base")) is None
    assert plan("longformer-base", 4096).peak(1) > plan("longformer-base", 512).peak(1)


def test_longformer_pads_windows_to_what_it_sees() -> None:
    assert plan("longformer-base", 513).peak(4) == plan("longformer-base", 1024).peak(4)


def test_wrong_names_are_refused_with_the_right_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean fp32"):
        plan("bert-base", precision="fp23")
    with pytest.raises(UnknownNameError, match="did you mean adamw"):
        plan("bert-base", optimizer="adam")
    with pytest.raises(UnknownNameError, match="sdpa"):
        plan("bert-base", attention="flash")
    with pytest.raises(ConfigError, match="no fused attention"):
        plan("deberta-v3-base", attention="sdpa")
    with pytest.raises(ConfigError, match="not modelled"):
        plan("xlnet-base", precision="bf16-mixed")
    with pytest.raises(ConfigError, match="heads token and sequence"):
        plan_memory(open_sizes("bert-base"), open_tensors("bert-base", "none"), 512)


def test_an_unknown_activation_or_family_is_not_guessed() -> None:
    with pytest.raises(ModelError, match="'mish'"):
        activation_widths("mish", PRECISIONS["fp32"])
    with pytest.raises(ModelError, match="'t5'"):
        read_sizes("t5", {})
    with pytest.raises(ModelError, match="lacks 'num_hidden_layers'"):
        read_sizes("bert", {"hidden_size": 8})
