from __future__ import annotations

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.zoo.params import Tensor, TensorList, check_head, format_bytes
from deidlab.zoo.shipped import load_tensors


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("bert-base", 108_923_177),
        ("roberta-base", 124_086_569),
        ("albert-base", 11_124_521),
        ("bert-large", 334_134_313),
        ("roberta-large", 354_352_169),
        ("albert-xxlarge", 205_982_249),
    ],
)
def test_the_study_s_models_have_the_study_s_totals(name: str, total: int) -> None:
    assert load_tensors(name, "token", 41).total == total


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("bert-base-uncased", 109_482_240),
        ("bert-base-cased", 108_310_272),
        ("bert-large-uncased", 335_141_888),
        ("bert-large-cased", 333_579_264),
        ("bert-base-multilingual-cased", 177_853_440),
        ("bert-base-multilingual-uncased", 167_356_416),
        ("distilbert-base-uncased", 66_362_880),
        ("distilbert-base-cased", 65_190_912),
        ("distilroberta-base", 82_118_400),
        ("roberta-base", 124_645_632),
        ("roberta-large", 355_359_744),
        ("albert-large-v1", 17_683_968),
        ("albert-xlarge-v2", 58_724_864),
        ("albert-xxlarge-v2", 222_595_584),
        ("electra-base-discriminator", 108_891_648),
        ("deberta-v3-base", 183_831_552),
        ("deberta-v3-large", 434_012_160),
        ("xlnet-base-cased", 116_718_336),
        ("xlnet-large-cased", 360_268_800),
        ("xlm-roberta-base", 278_043_648),
        ("xlm-roberta-large", 559_890_432),
        ("all-minilm-l6-v2", 22_713_216),
        ("minilm-l12-h384-uncased", 33_360_000),
        ("scibert-scivocab-uncased", 109_918_464),
        ("modernbert-base", 149_014_272),
        ("modernbert-large", 394_781_696),
        ("longformer-base-4096", 148_659_456),
    ],
)
def test_bare_models_have_the_totals_of_the_published_weights(name: str, total: int) -> None:
    assert load_tensors(name, "none").total == total


def test_the_head_for_masked_words_counts_the_word_embeddings_once() -> None:
    listed = load_tensors("modernbert-base", "mlm")
    assert listed.total == 149_655_232
    assert sum("embeddings" in tensor.name for tensor in listed.tensors if tensor.count > 10**7) == 1
    assert not any("decoder.weight" in tensor.name for tensor in load_tensors("xlm-r-base", "mlm").tensors)


def test_labels_size_the_classifier_alone() -> None:
    two, many = load_tensors("bert-base", "token", 2), load_tensors("bert-base", "token", 41)
    assert many.total - two.total == 39 * 769
    assert two.tensors[:-2] == many.tensors[:-2]


def test_bytes_are_those_of_fp32() -> None:
    listed = TensorList("m", "none", None, (Tensor("a", (3, 4)), Tensor("b", (5,), trainable=False)))
    assert (listed.total, listed.trainable, listed.bytes) == (17, 12, 68)


@pytest.mark.parametrize(
    ("shape", "squeezed", "form"),
    [
        ((), (), "Scalar"),
        ((1,), (), "Scalar"),
        ((1, 768), (768,), "Vector"),
        ((1, 1, 768), (768,), "Vector"),
        ((2, 768), (2, 768), "Matrix"),
        ((768, 12, 64), (768, 12, 64), "Tensor rank 3"),
        ((2, 3, 4, 5), (2, 3, 4, 5), "Tensor rank 4"),
    ],
)
def test_a_form_is_the_rank_after_squeezing(
    shape: tuple[int, ...], squeezed: tuple[int, ...], form: str
) -> None:
    tensor = Tensor("t", shape)
    assert (tensor.squeezed, tensor.form) == (squeezed, form)


def test_a_scalar_counts_one() -> None:
    assert Tensor("t", ()).count == 1


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0.000 KiB"),
        (512, "0.500 KiB"),
        (2**20 - 1, "1023.999 KiB"),
        (2**20, "1.000 MiB"),
        (498_588_680, "475.491 MiB"),
        (2**30, "1.000 GiB"),
    ],
)
def test_sizes_are_written_with_three_decimals(n_bytes: int, text: str) -> None:
    assert format_bytes(n_bytes) == text


def test_heads_without_labels_refuse_them() -> None:
    assert check_head("token", None) == 2
    assert check_head("none", None) is None
    with pytest.raises(ConfigError, match="has no labels"):
        check_head("mlm", 41)
    with pytest.raises(ConfigError, match="at least 1 label"):
        check_head("token", 0)
    with pytest.raises(UnknownNameError, match="did you mean token"):
        check_head("tokens", 2)
