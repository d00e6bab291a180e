from __future__ import annotations

import re

import pytest

from deidlab.zoo.arithmetic import explain_tensors
from deidlab.zoo.blocks import block_of, count_blocks, count_parts
from deidlab.zoo.configs import known_models
from deidlab.zoo.params import HEADS, Tensor
from deidlab.zoo.shipped import load_tensors

ALL = [(model.name, head) for model in known_models() for head in HEADS]


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("bert.embeddings.word_embeddings.weight", "embeddings"),
        ("bert.embeddings.LayerNorm.bias", "norms"),
        ("albert.encoder.embedding_hidden_mapping_in.weight", "embeddings"),
        ("deberta.encoder.rel_embeddings.weight", "embeddings"),
        ("transformer.mask_emb", "embeddings"),
        ("bert.encoder.layer.3.attention.output.dense.weight", "attention"),
        ("bert.encoder.layer.3.attention.output.LayerNorm.weight", "norms"),
        ("bert.encoder.layer.3.output.dense.weight", "feed-forward"),
        ("distilbert.transformer.layer.0.ffn.lin1.weight", "feed-forward"),
        ("distilbert.transformer.layer.0.sa_layer_norm.weight", "norms"),
        ("transformer.layer.0.rel_attn.seg_embed", "attention"),
        ("model.layers.4.mlp_norm.weight", "norms"),
        ("model.layers.4.mlp.Wi.weight", "feed-forward"),
        ("bert.pooler.dense.weight", "head"),
        ("head.norm.weight", "head"),
        ("cls.predictions.transform.LayerNorm.weight", "head"),
        ("classifier.out_proj.bias", "head"),
        ("vision.patch.weight", "other"),
    ],
)
def test_each_tensor_has_its_block(name: str, block: str) -> None:
    assert block_of(name) == block


def test_no_tensor_of_a_known_model_is_left_over_and_blocks_add_up() -> None:
    for model, head in ALL:
        listed = load_tensors(model, head)
        blocks = count_blocks(listed.tensors)
        assert "other" not in blocks, model
        assert sum(blocks.values()) == listed.total
        assert {block: sum(parts.values()) for block, parts in count_parts(listed.tensors).items()} == blocks


def test_the_arithmetic_adds_up_for_every_model_and_head() -> None:
    for model, head in ALL:
        listed = load_tensors(model, head)
        assert sum(section.total for section in explain_tensors(listed.tensors)) == listed.total, (
            model,
            head,
        )


def test_every_formula_says_its_number() -> None:
    for model, head in ALL:
        for section in explain_tensors(load_tensors(model, head).tensors):
            for line in section.lines:
                assert re.fullmatch(r"[\d×+()]+", line.formula)
                assert eval(line.formula.replace("×", "*")) == line.count, (model, line)


def test_the_arithmetic_of_bert_reads_as_people_write_it() -> None:
    _, layers, head = explain_tensors(load_tensors("bert-base", "token", 41).tensors)
    assert (layers.repeat, layers.one) == (12, 7_087_872)
    assert [(line.what, line.formula) for line in layers.lines[:2]] == [
        ("attention.self.query, key, value", "(768×768+768)×3"),
        ("attention.output.dense", "768×768+768"),
    ]
    assert head.lines[0].formula == "768×41+41"


def test_layers_that_differ_are_not_taken_for_one() -> None:
    first, others = (
        s
        for s in explain_tensors(load_tensors("modernbert-base", "none").tensors)
        if "layer" in s.title and "after" not in s.title
    )
    assert (first.repeat, others.repeat) == (1, 21)


def test_layers_of_two_towers_are_kept_apart() -> None:
    tensors = [Tensor(f"{tower}.layer.{number}.w", (2, 2)) for tower in "ab" for number in (0, 1)]
    titles = [section.title for section in explain_tensors(tensors)]
    assert titles == ["layers 0–1 of a.layer", "layers 0–1 of b.layer"]
