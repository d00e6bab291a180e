"""The published figures are those of the study."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deidlab.report.study.published import find_published, published_study
from deidlab.zoo.configs import load_model_facts
from deidlab.zoo.study import STUDY_MODELS


@pytest.fixture(scope="module")
def pages(shared: Path) -> list[str]:
    return (shared / "reference" / "study.md").read_text("utf-8").splitlines()


def read_table(pages: list[str], title: str) -> dict[str, list[str]]:
    first = next(number for number, line in enumerate(pages) if line.startswith(title))
    start = next(number for number in range(first, len(pages)) if "\t" in pages[number])
    found = {}
    for line in pages[start + 1 :]:
        if "\t" not in line:
            break
        name, *cells = line.split("\t")
        found[name.lower()] = cells
    return found


def number(cell: str) -> float:
    return float(cell.replace(",", ""))


def models() -> dict[str, dict[str, object]]:
    return {model["title"].lower(): model for model in published_study()["models"]}


def test_tables_1_2_and_4(pages: list[str]) -> None:
    for name, cells in read_table(pages, "Table 1:").items():
        told = models()[name]["architecture"]
        assert isinstance(told, dict)
        assert [number(cell) for cell in cells[:8]] == [
            told[key]
            for key in (
                "file_gb",
                "parameters",
                "layers",
                "vocabulary",
                "embedding",
                "attention",
                "feed_forward",
                "dropout",
            )
        ]
        assert (cells[8], cells[9], cells[10]) == (
            told["activation"],
            str(told["sharing"]),
            told["objective"],
        )
    keys = ("batch", "epochs", "learning_rate", "weight_decay")
    for title, part in (("Table 2:", "searched"), ("Table 4:", "selected")):
        table = read_table(pages, title)
        assert len(table) == 6
        for name, cells in table.items():
            told = models()[name][part]
            assert isinstance(told, dict)
            for key, cell in zip(keys, cells, strict=True):
                values = [number(part) for part in re.findall(r"[\d.]+", cell)]
                assert values == (told[key] if isinstance(told[key], list) else [told[key]])


def test_table_3(pages: list[str]) -> None:
    table = read_table(pages, "Table 3:")
    told = published_study()["labels"]
    assert {name.lower() for name in told} == set(table)
    for name, counts in told.items():
        assert [int(cell.split()[0]) for cell in table[name.lower()]] == list(counts.values())
    sums = {part: sum(counts[part] for counts in told.values()) for part in published_study()["parts"]}
    said = {part: facts["tokens"] for part, facts in published_study()["parts"].items()}
    # The study's text says 50 more training tokens than its table holds; the table's percentages go by the sum.
    assert sums == {**said, "train": said["train"] - 50}


def test_tables_5_and_6(pages: list[str]) -> None:
    for name, cells in read_table(pages, "Table 5:").items():
        scores = models()[name]["scores"]
        assert isinstance(scores, dict)
        told = [value for part in ("train", "validation", "test") for value in scores[part].values()]
        assert [number(cell) for cell in cells] == told
    for name, cells in read_table(pages, "Table 6:").items():
        speed = models()[name]["speed"]
        assert isinstance(speed, dict)
        assert [number(cell) for cell in cells] == list(speed.values())


def test_a_model_is_known_by_name_by_size_or_not_at_all() -> None:
    for study in STUDY_MODELS:
        found = find_published(study.model)
        assert found is not None and found["title"] == study.title
        config = {"model_type": load_model_facts(study.model).family, **load_model_facts(study.model).config}
        assert find_published("some/folder", config) == found
    cased = find_published("bert-base-cased")
    assert cased is not None and cased["title"] == "Bert-Base"
    assert find_published("distilbert-base-uncased") is None
    assert find_published("nothing") is None
    tiny = {**load_model_facts("bert-base").config, "model_type": "bert", "hidden_size": 64}
    assert find_published("bert-base-uncased", tiny) is None
