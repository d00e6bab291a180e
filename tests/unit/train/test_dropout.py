"""Hashed dropout: the share that stays, no pattern, fresh masks, and gradients through the same mask."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from deidlab.train.compiling import compile_layers  # noqa: E402
from deidlab.train.dropout import HashDropout, hash_dropouts, keep_mask  # noqa: E402


def _key(value: int):
    return torch.tensor([value], dtype=torch.int32)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
def test_the_share_dropped_is_the_share_asked_for_in_every_row_and_column(share):
    kept = keep_mask(3000, 700, share, _key(-77)).float()
    error = (share * (1 - share)) ** 0.5
    assert abs(float(kept.mean()) - (1 - share)) < 5 * error / (3000 * 700) ** 0.5
    assert float((kept.mean(0) - (1 - share)).abs().max()) < 6 * error / 3000**0.5
    assert float((kept.mean(1) - (1 - share)).abs().max()) < 6 * error / 700**0.5


def test_masks_of_neighbours_and_of_other_seeds_do_not_go_together():
    dropped = ~keep_mask(2000, 512, 0.1, _key(5))
    other = ~keep_mask(2000, 512, 0.1, _key(6))
    pairs = [
        (dropped, other), (dropped[1:], dropped[:-1]),
        (dropped[:, 1:], dropped[:, :-1]), (dropped[:, 64:], dropped[:, :-64]),
    ]  # fmt: skip
    for left, right in pairs:
        assert abs(float((left & right).float().mean()) - 0.01) < 0.001


def test_gradients_pass_where_values_did_and_nowhere_else():
    dropout = HashDropout(0.3, _key(9), 4)
    values = torch.randn(1, 50, 40, requires_grad=True)
    out = dropout(values)
    out.sum().backward()
    assert torch.equal(values.grad != 0, out != 0)
    assert torch.allclose(values.grad[values.grad != 0], torch.tensor(1 / 0.7))
    assert torch.equal(dropout.eval()(values), values)


def test_a_model_draws_new_masks_each_time_and_none_twice():
    from transformers import BertConfig, BertForTokenClassification

    config = BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=32,
        attention_probs_dropout_prob=0.0, classifier_dropout=0.0,
    )  # fmt: skip
    model = BertForTokenClassification(config).train()
    names = set(model.state_dict())
    assert hash_dropouts(model, [model.bert.embeddings, *model.bert.encoder.layer]) == 7
    assert set(model.state_dict()) == names
    salts = [int(module.salt) for module in model.modules() if isinstance(module, HashDropout)]
    assert len(set(salts)) == 7
    ids = torch.arange(20)[None]
    first, second = model(input_ids=ids).logits, model(input_ids=ids).logits
    assert not torch.allclose(first, second)
    still = [model.eval()(input_ids=ids).logits for _ in range(2)]
    assert torch.equal(*still)


def test_layers_that_run_more_than_once_a_step_keep_the_library_s_dropout():
    from transformers import AlbertConfig, AlbertForTokenClassification

    config = AlbertConfig(
        vocab_size=50, embedding_size=8, hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=32, hidden_dropout_prob=0.1,
    )  # fmt: skip
    model = AlbertForTokenClassification(config)
    assert compile_layers(model, 64) == 2
    assert not any(isinstance(module, HashDropout) for module in model.modules())
