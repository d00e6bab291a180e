from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from pathlib import Path

from deidlab.report.parameters.explain import tensors_to_explanation
from deidlab.report.parameters.listing import (
    rank_to_markdown,
    tensors_to_csv,
    tensors_to_json,
    tensors_to_listing,
    tensors_to_markdown,
)
from deidlab.report.parameters.page import tensors_to_html
from deidlab.zoo.params import Tensor, TensorList
from deidlab.zoo.shipped import load_tensors

# The page of roberta-base with a sequence head and 2 labels, as published.
ROBERTA_PAGE = "990ac3d5819f5df97950582d55ee1e9437d4627fdc36cc5ea61c45d071a05a06"


def made(model: str, *shapes: tuple[int, ...]) -> TensorList:
    return TensorList(model, "none", None, tuple(Tensor(f"t{i}", shape) for i, shape in enumerate(shapes)))


def test_the_page_of_roberta_base_is_the_published_one_to_the_byte() -> None:
    page = tensors_to_markdown(load_tensors("roberta-base", "sequence", 2))
    assert hashlib.sha256(page.encode()).hexdigest() == ROBERTA_PAGE


def test_the_published_page_itself(shared: Path) -> None:
    page = tensors_to_markdown(load_tensors("roberta-base", "sequence", 2))
    assert page.encode() == (shared / "reference" / "roberta-base.md").read_bytes()


def test_albert_large_follows_the_same_form() -> None:
    page = tensors_to_markdown(load_tensors("albert-large-v2", "sequence", 2))
    assert "**Number of layers: [ 27 ]**" in page
    assert "**Number of parameters: [ 67.467 MiB ] [Top <a href='./README.md'>Check rank</a> ]**" in page


def test_only_forms_that_occur_have_a_column() -> None:
    page = tensors_to_markdown(made("m", (), (3,), (2, 2), (2, 2, 2)))
    assert page.count("| Scalar | Vector | Matrix | Tensor rank 3 | \n|  --- | --- | --- | --- |\n") == 2
    assert "| 25.00 | 25.00 | 25.00 | 25.00 | \n" in page
    assert "| 6.25 | 18.75 | 25.00 | 50.00 | \n" in page
    assert "| Matrix | \n|  --- |\n| 100.00 | \n" in tensors_to_markdown(made("m", (2, 2)))


def test_frozen_parameters_are_not_called_trainable() -> None:
    listed = TensorList(
        "m", "none", None, (Tensor("a", (256, 1024)), Tensor("b", (256, 1024), trainable=False))
    )
    page = tensors_to_markdown(listed)
    assert "**Number of parameters: [ 2.000 MiB ]" in page
    assert "**Number of trainable parameters: [ 1.000 MiB ]**" in page


def test_a_listing_is_a_line_a_tensor_with_a_blank_line_between() -> None:
    assert tensors_to_listing(made("m", (2, 3), (4,))) == (
        "t0 torch.Size([2, 3]) 参数个数为: 6\n\nt1 torch.Size([4]) 参数个数为: 4\n"
    )


def test_the_listing_of_bert_holds_every_line_that_goes_around(shared: Path) -> None:
    published = (shared / "reference" / "bert-base-listing.txt").read_text(encoding="utf-8")
    lines = [line for line in published.splitlines() if line.startswith("bert.")]
    ours = tensors_to_listing(load_tensors("bert-base", "none")).split("\n\n")
    assert len(lines) == 21
    assert [line.removeprefix("bert.") for line in lines] == ours[:21]


def test_json_has_the_promised_keys() -> None:
    answer = json.loads(tensors_to_json([load_tensors("bert-base", "token", 41)]))
    assert list(answer) == ["model", "head", "labels", "total", "trainable", "bytes", "tensors"]
    assert (answer["model"], answer["head"], answer["labels"]) == ("bert-base-uncased", "token", 41)
    assert answer["bytes"] == 4 * answer["total"] == 4 * 108_923_177
    assert answer["tensors"][0] == {
        "name": "bert.embeddings.word_embeddings.weight",
        "shape": [30522, 768],
        "count": 23_440_896,
    }


def test_json_of_several_models_is_a_list() -> None:
    answers = json.loads(tensors_to_json([made("a", (2,)), made("b", (3,))]))
    assert [answer["model"] for answer in answers] == ["a", "b"]


def test_csv_names_the_model_in_each_row() -> None:
    rows = list(csv.DictReader(io.StringIO(tensors_to_csv([made("a", (2, 1)), made("b", ())]))))
    assert [(row["model"], row["shape"], row["squeezed_shape"], row["count"]) for row in rows] == [
        ("a", "2x1", "2", "2"),
        ("b", "", "", "1"),
    ]


def test_the_rank_falls_with_size_and_equal_ones_stand_by_name() -> None:
    text = rank_to_markdown([made("small", (256,)), made("zeta", (256, 1024)), made("alpha", (1024, 256))])
    assert text == (
        "# Top parameter models\n\n"
        "| Rank | Model | Number of parameters (unit: bytes) |\n| --- | --- | --- |\n"
        '| 1 | <a href="alpha.md">alpha</a> | 1.000 MiB |\n'
        '| 2 | <a href="zeta.md">zeta</a> | 1.000 MiB |\n'
        '| 3 | <a href="small.md">small</a> | 1.000 KiB |\n'
    )


def test_an_explanation_ends_in_the_total() -> None:
    text = tensors_to_explanation(load_tensors("albert-base", "token", 41))
    assert "the same tensors serve all 12 layers" in text
    assert "(768×768+768)×4" in text
    assert text.rstrip().endswith("11,124,521")


def test_a_web_page_needs_nothing_else() -> None:
    lists = [load_tensors("bert-base", "token", 41), load_tensors("albert-base", "mlm")]
    page = tensors_to_html(lists)
    assert not re.search(r"""(src|href)\s*=|@import|url\(|https?://""", page)
    assert page.count("<section>") == 2
    assert page.count("<tr>") == sum(1 + len(listed.tensors) for listed in lists)


def test_names_in_a_web_page_are_escaped() -> None:
    page = tensors_to_html([TensorList("<b>'", "none", None, (Tensor("<script>x", (2, 2)),))])
    assert "<b>'" not in page
    assert "<script>x" not in page
