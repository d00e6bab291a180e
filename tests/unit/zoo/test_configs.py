from __future__ import annotations

import pytest

from deidlab.errors import UnknownNameError
from deidlab.zoo.configs import find_model, known_models, load_model_facts, short_names
from deidlab.zoo.sizes import FAMILIES, read_sizes

ASKED_FOR = {
    "bert": ["bert-base-uncased", "bert-base-cased", "bert-large-uncased", "bert-large-cased", "mbert"],
    "roberta": ["roberta-base", "roberta-large", "distilroberta"],
    "albert": [
        f"albert-{size}-{version}"
        for size in ("base", "large", "xlarge", "xxlarge")
        for version in ("v1", "v2")
    ],
    "distilbert": ["distilbert"],
    "electra": ["electra-small", "electra-base", "electra-large"],
    "deberta-v2": ["deberta-v3-small", "deberta-v3-base", "deberta-v3-large"],
    "xlnet": ["xlnet-base", "xlnet-large"],
    "xlm-roberta": ["xlm-r-base", "xlm-r-large", "xlm-roberta-base", "xlm-roberta-large"],
    "modernbert": ["modernbert-base", "modernbert-large"],
    "longformer": ["longformer-base"],
}


@pytest.mark.parametrize(("family", "name"), [(f, name) for f, names in ASKED_FOR.items() for name in names])
def test_every_architecture_that_people_ask_for_is_known(family: str, name: str) -> None:
    assert load_model_facts(name).family == family


@pytest.mark.parametrize("name", ["minilm", "biobert", "scibert", "clinicalbert", "pubmedbert"])
def test_the_kin_of_bert_are_known_too(name: str) -> None:
    assert load_model_facts(name).family == "bert"


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("bert-base", "bert-base-uncased"),
        ("BERT-Large", "bert-large-uncased"),
        ("Roberta-Large", "roberta-large"),
        ("albert-base", "albert-base-v2"),
        ("Albert-XXLarge", "albert-xxlarge-v2"),
        ("google-bert/bert-base-uncased", "bert-base-uncased"),
        ("microsoft/deberta-v3-base", "deberta-v3-base"),
        ("answerdotai/ModernBERT-base", "modernbert-base"),
        ("emilyalsentzer/Bio_ClinicalBERT", "clinicalbert"),
        ("dmis-lab/biobert-v1.1", "biobert-base-cased-v1.1"),
        ("allenai/scibert_scivocab_uncased", "scibert-scivocab-uncased"),
        ("sentence-transformers/all-MiniLM-L6-v2", "all-minilm-l6-v2"),
    ],
)
def test_a_model_goes_by_its_other_names(name: str, model: str) -> None:
    assert load_model_facts(name).name == model


def test_the_study_s_names_mean_uncased_and_without_dropout() -> None:
    bert, albert = load_model_facts("bert-base"), load_model_facts("albert-xxlarge")
    assert bert.config["vocab_size"] == 30522
    assert (albert.config["hidden_dropout_prob"], albert.config["attention_probs_dropout_prob"]) == (0.0, 0.0)
    assert load_model_facts("albert-base-v1").config["hidden_dropout_prob"] == 0.1


def test_an_unknown_name_is_one_line_with_the_nearest_ones() -> None:
    with pytest.raises(
        UnknownNameError, match="unknown model 'robrta-base'; did you mean roberta-base"
    ) as caught:
        load_model_facts("robrta-base")
    assert "\n" not in str(caught.value)


def test_a_name_like_no_other_gets_a_short_line_too() -> None:
    with pytest.raises(UnknownNameError, match="deidlab params --list") as caught:
        load_model_facts("zzzz")
    assert len(str(caught.value)) < 160


def test_find_model_answers_none_for_an_unknown_name() -> None:
    assert find_model("no-such-model") is None


def test_every_configuration_says_all_sizes() -> None:
    for model in known_models():
        sizes = read_sizes(model.family, model.config)
        assert sizes.hidden % sizes.heads == 0
        assert model.objective
    assert {model.family for model in known_models()} == set(FAMILIES)


def test_names_are_tidy() -> None:
    assert all(name == name.lower() and "_" not in name for name in short_names())
